-- +goose Up

-- How many members of each kind an incident has, and how many of them are not resolved: so nobody counts the members.
CREATE TABLE incident_count (
  incident INTEGER NOT NULL,
  kind     TEXT NOT NULL CHECK (kind <> ''),
  members  INTEGER NOT NULL CHECK (members >= 0),
  open     INTEGER NOT NULL CHECK (open BETWEEN 0 AND members),
  PRIMARY KEY (incident, kind)
) STRICT, WITHOUT ROWID;
INSERT INTO incident_count (incident, kind, members, open)
  SELECT incident, kind, count(*), sum(resolved_at IS NULL) FROM incident_member GROUP BY incident, kind;

-- +goose StatementBegin
CREATE TRIGGER incident_member_made AFTER INSERT ON incident_member
BEGIN
  INSERT INTO incident_count (incident, kind, members, open) VALUES (NEW.incident, NEW.kind, 1, NEW.resolved_at IS NULL)
    ON CONFLICT (incident, kind) DO UPDATE SET members = members + 1, open = open + excluded.open;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER incident_member_changed AFTER UPDATE OF kind, resolved_at ON incident_member
  WHEN OLD.kind <> NEW.kind OR (OLD.resolved_at IS NULL) <> (NEW.resolved_at IS NULL)
BEGIN
  UPDATE incident_count SET members = members - 1, open = open - (OLD.resolved_at IS NULL) WHERE incident = OLD.incident AND kind = OLD.kind;
  INSERT INTO incident_count (incident, kind, members, open) VALUES (NEW.incident, NEW.kind, 1, NEW.resolved_at IS NULL)
    ON CONFLICT (incident, kind) DO UPDATE SET members = members + 1, open = open + excluded.open;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER incident_member_gone AFTER DELETE ON incident_member
BEGIN
  UPDATE incident_count SET members = members - 1, open = open - (OLD.resolved_at IS NULL) WHERE incident = OLD.incident AND kind = OLD.kind;
END;
-- +goose StatementEnd

-- What of an incident is still in trouble, and its members in the order in which they are shown.
CREATE INDEX incident_member_open ON incident_member (incident, instance) WHERE resolved_at IS NULL AND kind <> 'blocked';
CREATE INDEX incident_member_shown ON incident_member (incident, kind = 'blocked', since, instance);

-- How many instances of each state a backfill has, in all and of each natural day by the clock of their job: so nobody counts the instances.
CREATE TABLE backfill_count (
  key       TEXT NOT NULL,
  state     TEXT NOT NULL CHECK (state <> ''),
  instances INTEGER NOT NULL CHECK (instances >= 0),
  PRIMARY KEY (key, state)
) STRICT, WITHOUT ROWID;
CREATE TABLE backfill_day (
  key       TEXT NOT NULL,
  day       INTEGER NOT NULL CHECK (day % 86400000 = 0),
  state     TEXT NOT NULL CHECK (state <> ''),
  instances INTEGER NOT NULL CHECK (instances >= 0),
  PRIMARY KEY (key, day, state)
) STRICT, WITHOUT ROWID;
INSERT INTO backfill_day (key, day, state, instances)
  SELECT key, local - ((local % 86400000) + 86400000) % 86400000 AS day, state, count(*)
    FROM (SELECT key, plan_time + plan_offset * 1000 AS local, state FROM instance WHERE kind = 'backfill') GROUP BY key, day, state;
INSERT INTO backfill_count (key, state, instances) SELECT key, state, sum(instances) FROM backfill_day GROUP BY key, state;

-- +goose StatementBegin
CREATE TRIGGER backfill_instance_made AFTER INSERT ON instance WHEN NEW.kind = 'backfill'
BEGIN
  INSERT INTO backfill_count (key, state, instances) VALUES (NEW.key, NEW.state, 1) ON CONFLICT (key, state) DO UPDATE SET instances = instances + 1;
  INSERT INTO backfill_day (key, day, state, instances)
    VALUES (NEW.key, (NEW.plan_time + NEW.plan_offset * 1000) - (((NEW.plan_time + NEW.plan_offset * 1000) % 86400000) + 86400000) % 86400000, NEW.state, 1)
    ON CONFLICT (key, day, state) DO UPDATE SET instances = instances + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER backfill_instance_changed AFTER UPDATE OF state ON instance WHEN NEW.kind = 'backfill' AND OLD.state <> NEW.state
BEGIN
  UPDATE backfill_count SET instances = instances - 1 WHERE key = OLD.key AND state = OLD.state;
  INSERT INTO backfill_count (key, state, instances) VALUES (NEW.key, NEW.state, 1) ON CONFLICT (key, state) DO UPDATE SET instances = instances + 1;
  UPDATE backfill_day SET instances = instances - 1 WHERE key = OLD.key AND state = OLD.state
    AND day = (OLD.plan_time + OLD.plan_offset * 1000) - (((OLD.plan_time + OLD.plan_offset * 1000) % 86400000) + 86400000) % 86400000;
  INSERT INTO backfill_day (key, day, state, instances)
    VALUES (NEW.key, (NEW.plan_time + NEW.plan_offset * 1000) - (((NEW.plan_time + NEW.plan_offset * 1000) % 86400000) + 86400000) % 86400000, NEW.state, 1)
    ON CONFLICT (key, day, state) DO UPDATE SET instances = instances + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER backfill_instance_gone AFTER DELETE ON instance WHEN OLD.kind = 'backfill'
BEGIN
  UPDATE backfill_count SET instances = instances - 1 WHERE key = OLD.key AND state = OLD.state;
  UPDATE backfill_day SET instances = instances - 1 WHERE key = OLD.key AND state = OLD.state
    AND day = (OLD.plan_time + OLD.plan_offset * 1000) - (((OLD.plan_time + OLD.plan_offset * 1000) % 86400000) + 86400000) % 86400000;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER backfill_gone AFTER DELETE ON backfill
BEGIN
  DELETE FROM backfill_count WHERE key = OLD.key;
  DELETE FROM backfill_day WHERE key = OLD.key;
END;
-- +goose StatementEnd

-- What became of the definition of a job.
CREATE INDEX event_define ON event (job, id) WHERE kind = 'define';
