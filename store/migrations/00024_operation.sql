-- +goose Up

-- An operation on more instances than one transaction changes: what was asked for, and how far it is. While it is changing, nothing on its list starts; then
-- what was held so is let be looked at.
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
CREATE INDEX operation_open ON operation (id) WHERE ended_at IS NULL;

-- The list of one that is under way. It stands apart, so that how far the operation is is a small row.
CREATE TABLE operation_target (
  operation INTEGER PRIMARY KEY REFERENCES operation (id),
  list      BLOB NOT NULL
) STRICT;

-- +goose Down
DROP TABLE operation_target;
DROP TABLE operation;
