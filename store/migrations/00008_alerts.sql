-- +goose Up

-- When an instance must be looked at for an alert. One of an instance that is gone is dropped when its time comes.
CREATE TABLE alert_watch (
  instance INTEGER PRIMARY KEY,
  at       INTEGER NOT NULL,
  deadline INTEGER
) STRICT;
CREATE INDEX alert_watch_at ON alert_watch (at);

-- One root cause of trouble. Its instances may be gone before it is.
CREATE TABLE incident (
  id          INTEGER PRIMARY KEY,
  cause       TEXT NOT NULL CHECK (cause <> ''),
  instance    INTEGER NOT NULL,
  job         INTEGER NOT NULL,
  key         TEXT NOT NULL,
  plan_time   INTEGER NOT NULL,
  plan_offset INTEGER NOT NULL,
  kind        TEXT NOT NULL CHECK (kind = 'never-started' OR kind = 'will-be-late' OR kind = 'still-running' OR kind = 'ended-late' OR kind = 'failed' OR kind = 'lost' OR kind = 'cancelled'),
  reason      TEXT NOT NULL,
  opened_at   INTEGER NOT NULL,
  look_at     INTEGER NOT NULL,
  blocked     INTEGER NOT NULL CHECK (blocked >= 0),
  told        INTEGER NOT NULL CHECK (told >= 0),
  acked_at    INTEGER,
  acked_by    TEXT NOT NULL,
  note        TEXT NOT NULL,
  closed_at   INTEGER
) STRICT;
-- Two servers that see the same trouble write one.
CREATE UNIQUE INDEX incident_open ON incident (cause) WHERE closed_at IS NULL;
CREATE INDEX incident_look ON incident (look_at) WHERE closed_at IS NULL;
CREATE INDEX incident_closed ON incident (closed_at) WHERE closed_at IS NOT NULL;

CREATE TABLE incident_member (
  incident    INTEGER NOT NULL,
  instance    INTEGER NOT NULL,
  job         INTEGER NOT NULL,
  plan_time   INTEGER NOT NULL,
  plan_offset INTEGER NOT NULL,
  kind        TEXT NOT NULL CHECK (kind = 'never-started' OR kind = 'will-be-late' OR kind = 'still-running' OR kind = 'ended-late' OR kind = 'failed' OR kind = 'lost' OR kind = 'cancelled' OR kind = 'root' OR kind = 'blocked'),
  since       INTEGER NOT NULL,
  resolved_at INTEGER,
  PRIMARY KEY (incident, instance)
) STRICT, WITHOUT ROWID;
-- The trouble of a job that its next good end may settle.
CREATE INDEX incident_member_job ON incident_member (job, plan_time, incident) WHERE resolved_at IS NULL AND kind <> 'blocked';
CREATE INDEX incident_member_instance ON incident_member (instance, incident) WHERE resolved_at IS NULL;

-- The outbox of alerts.
CREATE TABLE delivery (
  id         INTEGER PRIMARY KEY,
  incident   INTEGER,
  cause      TEXT NOT NULL,
  sink       TEXT NOT NULL CHECK (sink <> ''),
  class      TEXT NOT NULL CHECK (class = 'deadline' OR class = 'failure' OR class = 'recovery' OR class = 'update' OR class = 'test'),
  body       BLOB NOT NULL,
  not_before INTEGER NOT NULL,
  attempts   INTEGER NOT NULL CHECK (attempts >= 0),
  state      TEXT NOT NULL CHECK (state = 'pending' OR state = 'delivered' OR state = 'failed'),
  reason     TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at   INTEGER
) STRICT;
CREATE INDEX delivery_pending ON delivery (not_before) WHERE state = 'pending';
CREATE INDEX delivery_failed ON delivery (ended_at) WHERE state = 'failed';
CREATE INDEX delivery_incident ON delivery (incident) WHERE incident IS NOT NULL;
CREATE INDEX delivery_test ON delivery (ended_at) WHERE incident IS NULL AND ended_at IS NOT NULL;
-- What a sink was told of a cause last.
CREATE INDEX delivery_told ON delivery (sink, cause, class, created_at);
