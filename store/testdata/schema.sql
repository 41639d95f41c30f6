CREATE TRIGGER backfill_gone AFTER DELETE ON backfill
BEGIN
  DELETE FROM backfill_count WHERE key = OLD.key;
  DELETE FROM backfill_day WHERE key = OLD.key;
END;

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

CREATE TRIGGER backfill_instance_gone AFTER DELETE ON instance WHEN OLD.kind = 'backfill'
BEGIN
  UPDATE backfill_count SET instances = instances - 1 WHERE key = OLD.key AND state = OLD.state;
  UPDATE backfill_day SET instances = instances - 1 WHERE key = OLD.key AND state = OLD.state
    AND day = (OLD.plan_time + OLD.plan_offset * 1000) - (((OLD.plan_time + OLD.plan_offset * 1000) % 86400000) + 86400000) % 86400000;
END;

CREATE TRIGGER backfill_instance_made AFTER INSERT ON instance WHEN NEW.kind = 'backfill'
BEGIN
  INSERT INTO backfill_count (key, state, instances) VALUES (NEW.key, NEW.state, 1) ON CONFLICT (key, state) DO UPDATE SET instances = instances + 1;
  INSERT INTO backfill_day (key, day, state, instances)
    VALUES (NEW.key, (NEW.plan_time + NEW.plan_offset * 1000) - (((NEW.plan_time + NEW.plan_offset * 1000) % 86400000) + 86400000) % 86400000, NEW.state, 1)
    ON CONFLICT (key, day, state) DO UPDATE SET instances = instances + 1;
END;

CREATE TRIGGER event_is_final BEFORE UPDATE ON event
BEGIN
  SELECT RAISE(ABORT, 'the history is append-only');
END;

CREATE TRIGGER event_is_kept BEFORE DELETE ON event WHEN OLD.id > (SELECT id FROM event_anchor)
BEGIN
  SELECT RAISE(ABORT, 'the history is append-only');
END;

CREATE TRIGGER incident_member_changed AFTER UPDATE OF kind, resolved_at ON incident_member
  WHEN OLD.kind <> NEW.kind OR (OLD.resolved_at IS NULL) <> (NEW.resolved_at IS NULL)
BEGIN
  UPDATE incident_count SET members = members - 1, open = open - (OLD.resolved_at IS NULL) WHERE incident = OLD.incident AND kind = OLD.kind;
  INSERT INTO incident_count (incident, kind, members, open) VALUES (NEW.incident, NEW.kind, 1, NEW.resolved_at IS NULL)
    ON CONFLICT (incident, kind) DO UPDATE SET members = members + 1, open = open + excluded.open;
END;

CREATE TRIGGER incident_member_gone AFTER DELETE ON incident_member
BEGIN
  UPDATE incident_count SET members = members - 1, open = open - (OLD.resolved_at IS NULL) WHERE incident = OLD.incident AND kind = OLD.kind;
END;

CREATE TRIGGER incident_member_made AFTER INSERT ON incident_member
BEGIN
  INSERT INTO incident_count (incident, kind, members, open) VALUES (NEW.incident, NEW.kind, 1, NEW.resolved_at IS NULL)
    ON CONFLICT (incident, kind) DO UPDATE SET members = members + 1, open = open + excluded.open;
END;

CREATE TABLE alert_watch (
  instance INTEGER PRIMARY KEY,
  at       INTEGER NOT NULL,
  deadline INTEGER
) STRICT;

CREATE TABLE attempt (
  id         INTEGER PRIMARY KEY,
  instance   INTEGER NOT NULL REFERENCES instance (id),
  job        INTEGER NOT NULL,
  step       TEXT NOT NULL,
  number     INTEGER NOT NULL,
  action     TEXT NOT NULL CHECK (action IN ('main', 'error')),
  outbox     INTEGER,
  fence      INTEGER NOT NULL,
  pool       TEXT NOT NULL,
  started_at INTEGER NOT NULL,

  -- The result; all NULL while the attempt lives.
  outcome    TEXT CHECK (outcome = 'succeeded' OR outcome = 'failed' OR outcome = 'timeout' OR outcome = 'cancelled' OR outcome = 'lost'),
  ran_at     INTEGER,
  ended_at   INTEGER,
  exit       INTEGER,
  signal     TEXT,
  status     INTEGER,
  message    TEXT,
  outputs    TEXT,
  log_bytes  INTEGER,
  truncated  INTEGER CHECK (truncated IN (0, 1)), owner TEXT NOT NULL DEFAULT '',
  CHECK (outcome IS NOT NULL OR (ended_at IS NULL AND exit IS NULL))
) STRICT;

CREATE TABLE backfill (
  id         INTEGER PRIMARY KEY,
  job        INTEGER NOT NULL REFERENCES job (id),
  key        TEXT NOT NULL UNIQUE CHECK (key <> ''),
  from_time  INTEGER NOT NULL,
  to_time    INTEGER NOT NULL CHECK (to_time > from_time),
  state      TEXT NOT NULL CHECK (state = 'open' OR state = 'ended' OR state = 'cancelled'),
  options    TEXT NOT NULL,
  actor      TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at   INTEGER, stage TEXT NOT NULL DEFAULT 'running' CHECK (stage = 'running' OR stage = 'paused' OR stage = 'cancelling'), reason TEXT NOT NULL DEFAULT '{"code":"planned"}', resumed_at INTEGER, applying TEXT NOT NULL DEFAULT '' CHECK (applying = '' OR applying = 'applying' OR applying = 'withdrawing'), written INTEGER NOT NULL DEFAULT 0 CHECK (written >= 0),
  CHECK ((state = 'open') = (ended_at IS NULL))
) STRICT;

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

CREATE TABLE event (
  id         INTEGER PRIMARY KEY,
  at         INTEGER NOT NULL,
  kind       TEXT NOT NULL CHECK (kind <> ''),
  instance   INTEGER,
  job        INTEGER,
  from_state TEXT NOT NULL CHECK (from_state = '' OR from_state = 'waiting' OR from_state = 'running' OR from_state = 'lost' OR from_state = 'succeeded' OR from_state = 'forced' OR from_state = 'failed' OR from_state = 'skipped' OR from_state = 'cancelled'),
  to_state   TEXT NOT NULL CHECK (to_state = '' OR to_state = 'waiting' OR to_state = 'running' OR to_state = 'lost' OR to_state = 'succeeded' OR to_state = 'forced' OR to_state = 'failed' OR to_state = 'skipped' OR to_state = 'cancelled'),
  reason     TEXT NOT NULL,
  actor      TEXT NOT NULL,
  hash       BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE TABLE event_anchor (
  one  INTEGER PRIMARY KEY CHECK (one = 1),
  id   INTEGER NOT NULL,
  hash BLOB NOT NULL
) STRICT;

CREATE TABLE former_wait (
  instance           INTEGER NOT NULL,
  until              INTEGER NOT NULL,
  n                  INTEGER NOT NULL,
  dependency         INTEGER NOT NULL,
  upstream           INTEGER NOT NULL,
  key                TEXT NOT NULL,
  first_time         INTEGER,
  first_offset       INTEGER NOT NULL,
  last_time          INTEGER,
  last_offset        INTEGER NOT NULL,
  times              INTEGER NOT NULL CHECK (times >= 0),
  rule               TEXT NOT NULL,
  selects            TEXT NOT NULL,
  window_from        INTEGER,
  window_from_offset INTEGER NOT NULL,
  window_to          INTEGER,
  window_to_offset   INTEGER NOT NULL,
  closed             TEXT NOT NULL,
  on_missing         TEXT NOT NULL,
  on_failed          TEXT NOT NULL,
  ended              INTEGER NOT NULL CHECK (ended IN (0, 1)),
  timeout            INTEGER NOT NULL CHECK (timeout >= 0),
  bound              INTEGER NOT NULL,
  PRIMARY KEY (instance, until, n),
  CHECK ((times = 0) = (first_time IS NULL) AND (times = 0) = (last_time IS NULL))
) STRICT, WITHOUT ROWID;

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

CREATE TABLE incident_count (
  incident INTEGER NOT NULL,
  kind     TEXT NOT NULL CHECK (kind <> ''),
  members  INTEGER NOT NULL CHECK (members >= 0),
  open     INTEGER NOT NULL CHECK (open BETWEEN 0 AND members),
  PRIMARY KEY (incident, kind)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE instance (
  id          INTEGER PRIMARY KEY,
  job         INTEGER NOT NULL,
  version     INTEGER NOT NULL,
  kind        TEXT NOT NULL CHECK (kind = 'scheduled' OR kind = 'manual' OR kind = 'backfill'),
  key         TEXT NOT NULL CHECK ((kind = 'scheduled') = (key = '')),
  plan_time   INTEGER NOT NULL,
  plan_offset INTEGER NOT NULL,
  state       TEXT NOT NULL CHECK (state = 'waiting' OR state = 'running' OR state = 'lost' OR state = 'succeeded' OR state = 'forced' OR state = 'failed' OR state = 'skipped' OR state = 'cancelled'),
  gate        TEXT NOT NULL CHECK (gate = 'time' OR gate = '' OR gate = 'dependency' OR gate = 'confirm' OR gate = 'frozen' OR gate = 'concurrency' OR gate = 'slot' OR gate = 'disk'),
  reason      TEXT NOT NULL,
  fence       INTEGER NOT NULL CHECK (fence >= 0),
  owner       TEXT NOT NULL,
  lease       INTEGER,
  dry_run     INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
  frozen      INTEGER NOT NULL CHECK (frozen IN (0, 1)),
  not_before  INTEGER NOT NULL,
  priority    INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 9),
  pool        TEXT NOT NULL,
  params      TEXT,
  confirmed   TEXT NOT NULL,
  cancel      TEXT,
  started_at  INTEGER,
  ended_at    INTEGER,

  -- When the waiting instance must be looked at; NULL is only when woken.
  wake        INTEGER,
  -- The one upstream instance whose end wakes it.
  watch_job   INTEGER,
  watch_key   TEXT,
  watch_time  INTEGER, touched INTEGER NOT NULL DEFAULT 0 CHECK (touched IN (0, 1)), run_now TEXT NOT NULL DEFAULT '', run INTEGER NOT NULL DEFAULT 1 CHECK (run > 0),

  UNIQUE (job, plan_time, key),
  CHECK (CASE state
    WHEN 'waiting' THEN gate <> '' AND owner = '' AND lease IS NULL AND cancel IS NULL AND ended_at IS NULL
    WHEN 'running' THEN gate = '' AND owner <> '' AND fence > 0 AND started_at IS NOT NULL AND ended_at IS NULL AND wake IS NULL AND watch_job IS NULL
    WHEN 'lost' THEN gate = '' AND owner = '' AND lease IS NULL AND cancel IS NULL AND ended_at IS NULL AND wake IS NULL AND watch_job IS NULL
    ELSE gate = '' AND owner = '' AND lease IS NULL AND cancel IS NULL AND ended_at IS NOT NULL AND wake IS NULL AND watch_job IS NULL
  END),
  CHECK (watch_job IS NULL OR (watch_key IS NOT NULL AND watch_time IS NOT NULL))
) STRICT;

CREATE TABLE job (
  id         INTEGER PRIMARY KEY,
  workflow   TEXT NOT NULL REFERENCES workflow (name),
  name       TEXT NOT NULL CHECK (name <> ''),
  version    INTEGER NOT NULL,
  created_at INTEGER,
  disabled   INTEGER NOT NULL CHECK (disabled IN (0, 1)),
  removed    INTEGER NOT NULL CHECK (removed IN (0, 1)), source TEXT NOT NULL DEFAULT '', revision INTEGER NOT NULL DEFAULT 0, rows_to INTEGER, count_from INTEGER, counted INTEGER NOT NULL DEFAULT 0, counted_gone INTEGER NOT NULL DEFAULT 0 CHECK (counted_gone >= 0),
  UNIQUE (workflow, name)
) STRICT;

CREATE TABLE job_upstream (
  upstream INTEGER NOT NULL,
  job      INTEGER NOT NULL,
  reach    INTEGER NOT NULL CHECK (reach >= 0), ahead INTEGER NOT NULL DEFAULT 0 CHECK (ahead >= 0),
  PRIMARY KEY (upstream, job)
) STRICT, WITHOUT ROWID;

CREATE TABLE job_version (
  id         INTEGER PRIMARY KEY,
  job        INTEGER NOT NULL REFERENCES job (id),
  definition BLOB NOT NULL,
  folder     TEXT NOT NULL,
  created_at INTEGER
) STRICT;

CREATE TABLE lease (
  name       TEXT PRIMARY KEY,
  holder     TEXT NOT NULL CHECK (holder <> ''),
  epoch      INTEGER NOT NULL CHECK (epoch > 0),
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE once (
  principal TEXT NOT NULL,
  operation TEXT NOT NULL CHECK (operation <> ''),
  key       TEXT NOT NULL CHECK (key <> ''),
  request   BLOB NOT NULL,
  answer    BLOB,
  at        INTEGER NOT NULL,
  PRIMARY KEY (principal, operation, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE operation (
  id       INTEGER PRIMARY KEY,
  stage    TEXT NOT NULL CHECK (stage = 'changing' OR stage = 'waking' OR stage = 'ended'),
  asked    TEXT NOT NULL,
  total    INTEGER NOT NULL CHECK (total > 0),
  done     INTEGER NOT NULL CHECK (done BETWEEN 0 AND total),
  digest   TEXT NOT NULL CHECK (digest <> ''),
  outcome  TEXT NOT NULL,
  actor    TEXT NOT NULL CHECK (actor <> ''),
  at       INTEGER NOT NULL,
  ended_at INTEGER,
  CHECK ((stage = 'ended') = (ended_at IS NOT NULL))
) STRICT;

CREATE TABLE operation_target (
  operation INTEGER PRIMARY KEY REFERENCES operation (id),
  list      BLOB NOT NULL
) STRICT;

CREATE TABLE outbox (
  id         INTEGER PRIMARY KEY,
  kind       TEXT NOT NULL,
  instance   INTEGER REFERENCES instance (id),
  not_before INTEGER NOT NULL,
  attempts   INTEGER NOT NULL CHECK (attempts >= 0),
  state      TEXT NOT NULL CHECK (state = 'pending' OR state = 'delivered' OR state = 'failed'),
  reason     TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at   INTEGER
) STRICT;

CREATE TABLE override (
  job         INTEGER NOT NULL REFERENCES job (id),
  plan_time   INTEGER NOT NULL,
  plan_offset INTEGER NOT NULL,
  frozen      INTEGER NOT NULL CHECK (frozen IN (0, 1)),
  priority    INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 9),
  not_before  INTEGER,
  actor       TEXT NOT NULL CHECK (actor <> ''),
  note        TEXT NOT NULL,
  at          INTEGER NOT NULL,
  PRIMARY KEY (job, plan_time),
  CHECK (frozen = 1 OR priority > 0 OR not_before IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE TABLE pause (
  workflow TEXT NOT NULL CHECK (workflow <> ''),
  job      TEXT NOT NULL,
  since    INTEGER NOT NULL,
  until    INTEGER CHECK (until > since),
  resumed  INTEGER CHECK (resumed >= since),
  missed   TEXT NOT NULL CHECK (missed = '' OR missed = 'run' OR missed = 'latest' OR missed = 'skip'),
  actor    TEXT NOT NULL CHECK (actor <> ''),
  note     TEXT NOT NULL,
  PRIMARY KEY (workflow, job, since)
) STRICT, WITHOUT ROWID;

CREATE TABLE plan_mark (
  job            INTEGER PRIMARY KEY REFERENCES job (id),
  planned_to     INTEGER NOT NULL,
  planned_offset INTEGER NOT NULL
) STRICT;

CREATE TABLE principal (
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE CHECK (name <> ''),
  role       TEXT NOT NULL CHECK (role <> ''),
  secret     TEXT,
  created_at INTEGER NOT NULL,
  disabled   INTEGER NOT NULL CHECK (disabled IN (0, 1))
) STRICT;

CREATE TABLE resource (
  kind TEXT NOT NULL CHECK (kind <> ''),
  key  TEXT NOT NULL CHECK (key <> ''),
  id   INTEGER NOT NULL,
  job  INTEGER REFERENCES job (id),
  body BLOB NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE run (
  instance   INTEGER NOT NULL REFERENCES instance (id),
  number     INTEGER NOT NULL CHECK (number > 0),
  job        INTEGER NOT NULL,
  key        TEXT NOT NULL,
  plan_time  INTEGER NOT NULL,
  state      TEXT NOT NULL CHECK (state = 'lost' OR state = 'succeeded' OR state = 'forced' OR state = 'failed' OR state = 'skipped' OR state = 'cancelled'),
  reason     TEXT NOT NULL,
  fence      INTEGER NOT NULL CHECK (fence >= 0),
  started_at INTEGER,
  ended_at   INTEGER NOT NULL,
  PRIMARY KEY (instance, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE sequence (
  name TEXT PRIMARY KEY,
  next INTEGER NOT NULL CHECK (next > 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE step (
  instance   INTEGER NOT NULL REFERENCES instance (id),
  step       TEXT NOT NULL,
  n          INTEGER NOT NULL,
  state      TEXT NOT NULL CHECK (state = 'waiting' OR state = 'running' OR state = 'succeeded' OR state = 'failed' OR state = 'skipped' OR state = 'cancelled'),
  attempts   INTEGER NOT NULL CHECK (attempts >= 0),
  not_before INTEGER,
  outputs    TEXT,
  PRIMARY KEY (instance, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE tally (
  job         INTEGER PRIMARY KEY REFERENCES job (id),
  occurrences INTEGER NOT NULL CHECK (occurrences >= 0), -- instances of which the action was attempted
  attempts    INTEGER NOT NULL CHECK (attempts >= occurrences),
  failed      INTEGER NOT NULL CHECK (failed BETWEEN 0 AND attempts),
  faulted     INTEGER NOT NULL CHECK (faulted >= 0),
  last        INTEGER,
  -- The scheduled instance with the latest plan time.
  final       TEXT,
  final_time  INTEGER,
  final_ended INTEGER,
  CHECK ((attempts = 0) = (last IS NULL)),
  CHECK ((final IS NULL) = (final_time IS NULL) AND (final IS NULL) = (final_ended IS NULL))
) STRICT;

CREATE TABLE token (
  id         INTEGER PRIMARY KEY,
  principal  INTEGER REFERENCES principal (id),
  name       TEXT NOT NULL CHECK (name <> ''),
  hash       BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  role       TEXT NOT NULL CHECK (role <> ''),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE TABLE wait (
  instance           INTEGER NOT NULL,
  n                  INTEGER NOT NULL,
  dependency         INTEGER NOT NULL,
  upstream           INTEGER NOT NULL,
  key                TEXT NOT NULL,
  first_time         INTEGER,
  first_offset       INTEGER NOT NULL,
  last_time          INTEGER,
  last_offset        INTEGER NOT NULL,
  times              INTEGER NOT NULL CHECK (times >= 0),
  rule               TEXT NOT NULL,
  selects            TEXT NOT NULL CHECK (selects = 'all' OR selects = 'any' OR selects = 'first' OR selects = 'last' OR CAST(selects AS INTEGER) > 0),
  window_from        INTEGER,
  window_from_offset INTEGER NOT NULL,
  window_to          INTEGER,
  window_to_offset   INTEGER NOT NULL,
  closed             TEXT NOT NULL CHECK (closed = 'left' OR closed = 'right' OR closed = 'both' OR closed = ''),
  on_missing         TEXT NOT NULL CHECK (on_missing = 'run' OR on_missing = 'wait' OR on_missing = 'cancel' OR on_missing = ''),
  on_failed          TEXT NOT NULL CHECK (on_failed = 'wait' OR on_failed = 'run' OR on_failed = 'cancel' OR on_failed = ''),
  ended              INTEGER NOT NULL CHECK (ended IN (0, 1)),
  timeout            INTEGER NOT NULL CHECK (timeout >= 0), bound INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (instance, n),
  CHECK ((times = 0) = (first_time IS NULL) AND (times = 0) = (last_time IS NULL) AND (times = 0 OR first_time <= last_time))
) STRICT, WITHOUT ROWID;

CREATE TABLE watch (
  id         INTEGER PRIMARY KEY,
  instance   INTEGER NOT NULL,
  step       TEXT NOT NULL,
  number     INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  until      INTEGER,
  next_at    INTEGER,
  polls      INTEGER NOT NULL CHECK (polls >= 0),
  last       TEXT NOT NULL,
  child      INTEGER,
  -- The child has ended.
  over       INTEGER NOT NULL CHECK (over = 0 OR over = 1 AND child IS NOT NULL),
  UNIQUE (instance, step)
) STRICT;

CREATE TABLE workflow (
  name       TEXT PRIMARY KEY CHECK (name <> ''),
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE zone (
  name  TEXT PRIMARY KEY CHECK (name <> ''),
  rules TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX alert_watch_at ON alert_watch (at);

CREATE INDEX attempt_instance ON attempt (instance);

CREATE INDEX attempt_job ON attempt (job, started_at, instance, action, outcome);

CREATE INDEX attempt_live ON attempt (id) WHERE outcome IS NULL;

CREATE INDEX attempt_outbox ON attempt (outbox) WHERE outcome IS NULL AND outbox IS NOT NULL;

CREATE INDEX backfill_applying ON backfill (key, written) WHERE applying <> '';

CREATE INDEX backfill_ended ON backfill (ended_at) WHERE ended_at IS NOT NULL;

CREATE INDEX backfill_open ON backfill (id) WHERE ended_at IS NULL;

CREATE INDEX delivery_failed ON delivery (ended_at) WHERE state = 'failed';

CREATE INDEX delivery_incident ON delivery (incident) WHERE incident IS NOT NULL;

CREATE INDEX delivery_pending ON delivery (not_before) WHERE state = 'pending';

CREATE INDEX delivery_test ON delivery (ended_at) WHERE incident IS NULL AND ended_at IS NOT NULL;

CREATE INDEX delivery_told ON delivery (sink, cause, class, created_at);

CREATE INDEX event_act ON event (id) WHERE actor <> '' OR kind = 'load' OR kind = 'define';

CREATE INDEX event_define ON event (job, id) WHERE kind = 'define';

CREATE INDEX event_detach ON event (id) WHERE kind = 'detach' OR kind = 'rebind';

CREATE INDEX event_instance ON event (instance) WHERE instance IS NOT NULL;

CREATE INDEX incident_closed ON incident (closed_at) WHERE closed_at IS NOT NULL;

CREATE INDEX incident_look ON incident (look_at) WHERE closed_at IS NULL;

CREATE INDEX incident_member_instance ON incident_member (instance, incident) WHERE resolved_at IS NULL;

CREATE INDEX incident_member_job ON incident_member (job, plan_time, incident) WHERE resolved_at IS NULL AND kind <> 'blocked';

CREATE INDEX incident_member_open ON incident_member (incident, instance) WHERE resolved_at IS NULL AND kind <> 'blocked';

CREATE INDEX incident_member_shown ON incident_member (incident, kind = 'blocked', since, instance);

CREATE UNIQUE INDEX incident_open ON incident (cause) WHERE closed_at IS NULL;

CREATE INDEX instance_asks ON instance (plan_time, id) WHERE state = 'waiting' AND (gate = 'confirm' OR gate = 'frozen') AND kind <> 'backfill';

CREATE INDEX instance_ended ON instance (ended_at) WHERE ended_at IS NOT NULL;

CREATE INDEX instance_failed ON instance (job, key, plan_time) WHERE state IN ('failed', 'cancelled');

CREATE INDEX instance_faulted ON instance (job, id) WHERE state = 'failed';

CREATE INDEX instance_held ON instance (job, gate, priority DESC, plan_time, id) WHERE state = 'waiting' AND gate <> 'time';

CREATE INDEX instance_key ON instance (job, key, plan_time) WHERE key <> '';

CREATE INDEX instance_lane ON instance (key, state, gate, id) WHERE kind = 'backfill';

CREATE INDEX instance_list_ended ON instance (plan_time) WHERE ended_at IS NOT NULL;

CREATE INDEX instance_list_job ON instance (job, state, plan_time)
  WHERE state <> 'waiting' AND state <> 'running' AND state <> 'succeeded';

CREATE INDEX instance_list_kind ON instance (kind, plan_time) WHERE kind <> 'scheduled';

CREATE INDEX instance_list_notable ON instance (state, plan_time) WHERE state <> 'waiting' AND state <> 'succeeded';

CREATE INDEX instance_list_open ON instance (plan_time) WHERE ended_at IS NULL;

CREATE INDEX instance_open ON instance (job, key, frozen, plan_time, ended_at) WHERE ended_at IS NULL;

CREATE INDEX instance_put_off ON instance (job, id) WHERE state = 'waiting' AND gate = 'time' AND wake > not_before;

CREATE INDEX instance_queue ON instance (pool, priority DESC, plan_time, id) WHERE state = 'waiting' AND gate = 'slot' AND kind <> 'backfill';

CREATE INDEX instance_ran ON instance (job, length(ended_at - started_at), started_at, ended_at) WHERE ended_at - started_at >= 1000;

CREATE INDEX instance_running ON instance (job) WHERE state IN ('running', 'lost');

CREATE INDEX instance_satisfied ON instance (job, key, plan_time) WHERE state = 'succeeded' OR state = 'forced' OR state = 'skipped';

CREATE INDEX instance_wake ON instance (wake) WHERE state = 'waiting' AND wake IS NOT NULL;

CREATE INDEX instance_watch ON instance (watch_job, watch_time, watch_key) WHERE watch_job IS NOT NULL;

CREATE INDEX job_revision ON job (revision);

CREATE INDEX job_version_job ON job_version (job);

CREATE INDEX once_at ON once (at);

CREATE INDEX operation_open ON operation (id) WHERE ended_at IS NULL;

CREATE INDEX outbox_instance ON outbox (instance) WHERE instance IS NOT NULL;

CREATE INDEX outbox_pending ON outbox (not_before) WHERE state = 'pending';

CREATE INDEX resource_job ON resource (job, id) WHERE job IS NOT NULL;

CREATE INDEX run_ended ON run (job, ended_at) WHERE started_at IS NOT NULL;

CREATE INDEX run_plan ON run (plan_time) WHERE started_at IS NOT NULL;

CREATE INDEX run_succeeded ON run (job, key, plan_time) WHERE state = 'succeeded';

CREATE INDEX token_principal ON token (principal) WHERE principal IS NOT NULL;

CREATE INDEX wait_cancel ON wait (upstream, key, last_time, first_time, instance) WHERE on_failed = 'cancel';

CREATE INDEX wait_some ON wait (upstream, key, last_time, first_time, instance) WHERE selects <> 'all';

CREATE INDEX watch_child ON watch (child) WHERE child IS NOT NULL;

CREATE INDEX watch_over ON watch (id) WHERE over = 1;
