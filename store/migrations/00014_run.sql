-- +goose Up

-- A run is one life of an instance: from when it was planned or opened again to its end. The row of the instance tells the current one. What it was before is
-- here. started_at of an instance was that of its first run before.
ALTER TABLE instance ADD COLUMN run INTEGER NOT NULL DEFAULT 1 CHECK (run > 0);

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
-- What ran at a time, of which days, and how long it took.
CREATE INDEX run_ended ON run (job, ended_at) WHERE started_at IS NOT NULL;
CREATE INDEX run_plan ON run (plan_time) WHERE started_at IS NOT NULL;
CREATE INDEX run_succeeded ON run (job, key, plan_time) WHERE state = 'succeeded';

-- The history tells where a run of an old database ended: at a rerun, and when a person settled what had ended or was lost.
CREATE TABLE reopened AS
  SELECT id, at, instance, from_state, row_number() OVER lives AS number, coalesce(lag(id) OVER lives, 0) AS after
  FROM event
  WHERE instance IS NOT NULL AND (kind = 'rerun' OR kind IN ('force', 'skip') AND from_state IN ('lost', 'failed', 'cancelled'))
    AND EXISTS (SELECT 1 FROM instance i WHERE i.id = event.instance)
  WINDOW lives AS (PARTITION BY instance ORDER BY id);

INSERT INTO run (instance, number, job, key, plan_time, state, reason, fence, started_at, ended_at)
  SELECT r.instance, r.number, i.job, i.key, i.plan_time, r.from_state,
    coalesce((SELECT e.reason FROM event e WHERE e.instance = r.instance AND e.id < r.id AND e.to_state = r.from_state ORDER BY e.id DESC LIMIT 1), i.reason),
    coalesce((SELECT max(a.fence) FROM attempt a WHERE a.instance = r.instance AND a.action = 'main' AND a.started_at <= r.at), 0),
    coalesce(
      (SELECT e.at FROM event e WHERE e.instance = r.instance AND e.id > r.after AND e.id < r.id AND e.to_state = 'running' ORDER BY e.id DESC LIMIT 1),
      CASE WHEN r.number = 1 AND i.started_at <= r.at THEN i.started_at END),
    CASE WHEN r.from_state = 'lost' THEN r.at
      ELSE coalesce((SELECT e.at FROM event e WHERE e.instance = r.instance AND e.id < r.id AND e.to_state = r.from_state ORDER BY e.id DESC LIMIT 1), r.at) END
  FROM reopened r JOIN instance i ON i.id = r.instance;

-- Where the event of the start is gone, the first attempt of the run tells it.
UPDATE instance SET run = last.number + 1,
  started_at = coalesce(
    (SELECT e.at FROM event e WHERE e.instance = instance.id AND e.id > last.id AND e.to_state = 'running' ORDER BY e.id DESC LIMIT 1),
    (SELECT min(a.started_at) FROM attempt a WHERE a.instance = instance.id AND a.action = 'main' AND a.started_at > last.at),
    CASE WHEN state = 'running' THEN last.at END)
  FROM (SELECT instance AS of, number, id, at FROM reopened r WHERE id = (SELECT max(id) FROM reopened m WHERE m.instance = r.instance)) last
  WHERE instance.id = last.of;

DROP TABLE reopened;
