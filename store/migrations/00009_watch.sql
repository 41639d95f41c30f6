-- +goose Up

-- Steps that hold no slot while they are not over: they wait for something outside until it is so, or for an instance that they have started. A row becomes
-- the attempt of its id when it ends.
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
CREATE INDEX watch_child ON watch (child) WHERE child IS NOT NULL;
CREATE INDEX watch_over ON watch (id) WHERE over = 1;
