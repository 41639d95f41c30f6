-- +goose Up

-- What ended otherwise than well is rare: a list of it, of one job, goes by it alone.
CREATE INDEX instance_list_job ON instance (job, state, plan_time)
  WHERE state <> 'waiting' AND state <> 'running' AND state <> 'succeeded';

-- What no schedule made, by its plan time: lists of a kind, and a backfill's part of a day.
CREATE INDEX instance_list_kind ON instance (kind, plan_time) WHERE kind <> 'scheduled';
