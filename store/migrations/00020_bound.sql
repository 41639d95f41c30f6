-- +goose Up

-- Of which revision of the definitions a wait is. What waits is bound again when a job was put since that it waits for, or its own.
ALTER TABLE wait ADD COLUMN bound INTEGER NOT NULL DEFAULT 0;

-- Up to here, excluded, the plan of the job may be of other definitions than its current one: when it is due before that, the rows say. Of what was
-- planned before this column was there, nobody knows.
ALTER TABLE job ADD COLUMN rows_to INTEGER;
UPDATE job SET rows_to = (SELECT planned_to FROM plan_mark WHERE job = job.id);

-- By what an instance waits for something else than was planned.
DROP INDEX event_detach;
CREATE INDEX event_detach ON event (id) WHERE kind = 'detach' OR kind = 'rebind';
