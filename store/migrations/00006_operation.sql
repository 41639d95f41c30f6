-- +goose Up

-- A person has acted on the instance: it is not planned away when definitions change.
ALTER TABLE instance ADD COLUMN touched INTEGER NOT NULL DEFAULT 0 CHECK (touched IN (0, 1));
-- Who lets it run without what it waits for; '' is nobody.
ALTER TABLE instance ADD COLUMN run_now TEXT NOT NULL DEFAULT '';

-- How far after its own plan time an instance of job waits for instances of upstream, as reach says how far before: what waits for an instance is
-- looked for between the two.
ALTER TABLE job_upstream ADD COLUMN ahead INTEGER NOT NULL DEFAULT 0 CHECK (ahead >= 0);
UPDATE job_upstream SET ahead = max(0, coalesce((SELECT max(w.last_time - i.plan_time) FROM instance i JOIN wait w ON w.instance = i.id
  WHERE i.job = job_upstream.job AND w.upstream = job_upstream.upstream), 0));
