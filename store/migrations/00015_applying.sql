-- +goose Up

-- A large backfill is written in many short transactions. While `applying` is not empty, its instances are in the rows and are not real: nothing lists,
-- counts, wakes or starts them. One small transaction empties it. `written` counts them until then.
ALTER TABLE backfill ADD COLUMN applying TEXT NOT NULL DEFAULT '' CHECK (applying = '' OR applying = 'applying' OR applying = 'withdrawing');
ALTER TABLE backfill ADD COLUMN written INTEGER NOT NULL DEFAULT 0 CHECK (written >= 0);
CREATE INDEX backfill_applying ON backfill (key, written) WHERE applying <> '';

-- Grows with each removal of instances by retention: who has read them can find out that some are gone.
INSERT INTO sequence (name, next) VALUES ('pruned', 1);
