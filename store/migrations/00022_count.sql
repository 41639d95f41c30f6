-- +goose Up

-- A count is of runs that happened. From count_from on the rest of it is due: the count less counted, which is what was due before and counted, less what was
-- due from then on and did not. NULL is the creation of the job.
ALTER TABLE job ADD COLUMN count_from INTEGER;
ALTER TABLE job ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;

-- Scheduled instances that counted and that retention has removed. Of those before this column was there, what is known of the attempts is taken.
ALTER TABLE job ADD COLUMN counted_gone INTEGER NOT NULL DEFAULT 0 CHECK (counted_gone >= 0);
UPDATE job SET counted_gone = coalesce((SELECT occurrences FROM tally WHERE tally.job = job.id), 0);

-- A rule with a schedule and without a start time is due at once in the Azure face alone, whose definitions say so from here on.
UPDATE job_version SET definition = (
  SELECT CAST(json_set(CAST(job_version.definition AS TEXT), '$.jobs."' || job.name || '".atOnce', json('true')) AS BLOB) FROM job WHERE job.id = job_version.job)
WHERE job IN (SELECT id FROM job WHERE source <> '') AND json_valid(CAST(definition AS TEXT))
  AND EXISTS (SELECT 1 FROM job, json_each(CAST(job_version.definition AS TEXT), '$.jobs') j WHERE job.id = job_version.job AND j.key = job.name
    AND json_extract(j.value, '$.startTime') IS NULL AND json_extract(j.value, '$.recurrence.schedule') IS NOT NULL);
