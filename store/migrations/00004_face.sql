-- +goose Up

-- The attempts of a job in the order of their begin, with what is counted of them. Their ids are no order: servers take them in advance.
CREATE INDEX attempt_job ON attempt (job, started_at, instance, action, outcome);
-- The instances of a job that failed, to be counted from the id on.
CREATE INDEX instance_faulted ON instance (job, id) WHERE state = 'failed';
