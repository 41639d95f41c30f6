-- +goose Up

-- Who makes the definition of a job: '' is the folder, whose load leaves the jobs of others alone.
ALTER TABLE job ADD COLUMN source TEXT NOT NULL DEFAULT '';
-- The revision of the definitions when the row was last put: what changed since is read without the rest.
ALTER TABLE job ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
CREATE INDEX job_revision ON job (revision);

-- What the maker of definitions keeps of them beside the jobs.
CREATE TABLE resource (
  kind TEXT NOT NULL CHECK (kind <> ''),
  key  TEXT NOT NULL CHECK (key <> ''),
  id   INTEGER NOT NULL,
  job  INTEGER REFERENCES job (id),
  body BLOB NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
