-- +goose Up

-- What ran at a time: by how many digits the milliseconds from the first start to the end have, so that what can still have run at it began at most so
-- long before it. What took less than a second is found by its end, and its transitions do not pay for this.
CREATE INDEX instance_ran ON instance (job, length(ended_at - started_at), started_at, ended_at) WHERE ended_at - started_at >= 1000;
