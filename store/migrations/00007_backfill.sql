-- +goose Up

-- Where a backfill that has not ended stands, why, and when a person last let it go on.
ALTER TABLE backfill ADD COLUMN stage TEXT NOT NULL DEFAULT 'running' CHECK (stage = 'running' OR stage = 'paused' OR stage = 'cancelling');
ALTER TABLE backfill ADD COLUMN reason TEXT NOT NULL DEFAULT '{"code":"planned"}';
ALTER TABLE backfill ADD COLUMN resumed_at INTEGER;
CREATE INDEX backfill_open ON backfill (id) WHERE ended_at IS NULL;
CREATE INDEX backfill_ended ON backfill (ended_at) WHERE ended_at IS NOT NULL;

-- The instances of a backfill by where they stand, in the order of their turn, which is that of their ids.
CREATE INDEX instance_lane ON instance (key, state, gate, id) WHERE kind = 'backfill';

-- The queue for a slot is of those that stand in no lane.
DROP INDEX instance_queue;
CREATE INDEX instance_queue ON instance (pool, priority DESC, plan_time, id) WHERE state = 'waiting' AND gate = 'slot' AND kind <> 'backfill';
