-- +goose Up
-- What waits for a person, the oldest first: the page asks for it with each change. Of a backfill its own page tells.
CREATE INDEX instance_asks ON instance (plan_time, id) WHERE state = 'waiting' AND (gate = 'confirm' OR gate = 'frozen') AND kind <> 'backfill';

-- +goose Down
DROP INDEX instance_asks;
