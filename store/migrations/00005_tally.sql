-- +goose Up

-- What was counted of the instances of a job that retention has removed. What became of a job is this and what is there; it ends with the job.
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

-- The resource that stands for a job: instances with a lower id are not its own.
CREATE INDEX resource_job ON resource (job, id) WHERE job IS NOT NULL;
