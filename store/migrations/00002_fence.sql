-- +goose Up

-- The server that carries the attempt: it counts against that server's slots, and for an error action says whose lease guards it.
ALTER TABLE attempt ADD COLUMN owner TEXT NOT NULL DEFAULT '';

-- What grows with each change of a job or of a job version.
INSERT INTO sequence (name, next) VALUES ('definitions', 1);

-- With which rules of each time zone the plan was written, as a hash: when they change, it is written anew.
CREATE TABLE zone (
  name  TEXT PRIMARY KEY CHECK (name <> ''),
  rules TEXT NOT NULL
) STRICT, WITHOUT ROWID;
