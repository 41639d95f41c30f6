-- +goose Up

-- What an instance waited for until a person took something of it away: an explanation as of an
-- earlier time tells it. The columns are those of wait.
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
