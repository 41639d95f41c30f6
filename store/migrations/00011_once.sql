-- +goose Up

-- Requests that were sent with a key of their own, so that sending one again changes nothing. The row is written together with what the request
-- changes, its answer after that: answer is NULL in between, and for good when the server ended there.
CREATE TABLE once (
  principal TEXT NOT NULL,
  operation TEXT NOT NULL CHECK (operation <> ''),
  key       TEXT NOT NULL CHECK (key <> ''),
  request   BLOB NOT NULL,
  answer    BLOB,
  at        INTEGER NOT NULL,
  PRIMARY KEY (principal, operation, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX once_at ON once (at);
