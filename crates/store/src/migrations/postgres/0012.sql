-- As in SQLite's script of this number.
ALTER TABLE outcomes ADD COLUMN passes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE outcomes ADD COLUMN passes_needed BIGINT NOT NULL DEFAULT 1;
UPDATE outcomes SET passes = 1 WHERE proved_by IS NOT NULL;
DROP INDEX outcomes_claimed;
CREATE INDEX outcomes_watched ON outcomes (key)
  WHERE worked = 1 AND refuted_by IS NULL AND run_id IS NOT NULL AND (proved_by IS NULL OR passes_needed > 1);
