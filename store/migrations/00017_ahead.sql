-- +goose Up

-- A person has paused a job, or with an empty name of a job all of its workflow: nothing of it starts from since on, up to until or until somebody
-- resumes it. What is over is kept: it says what was missed by it.
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

-- What a person ordered of one due time of a job ahead of it. The planner obeys it when it writes the instance down, and again whenever it writes the
-- instance anew; it stays while no definition has that due time.
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

-- Since a frozen instance may be one that the planner wrote so, only what a person touched is kept when definitions change.
UPDATE instance SET touched = 1 WHERE frozen = 1 AND touched = 0;
