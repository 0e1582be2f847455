-- A failure that came now and then is not mended by one pass: how many prove a fix of it, and how many were seen.
ALTER TABLE outcomes ADD COLUMN passes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE outcomes ADD COLUMN passes_needed BIGINT NOT NULL DEFAULT 1;
UPDATE outcomes SET passes = 1 WHERE proved_by IS NOT NULL;
-- Successes that a run may still prove or refute; where chance is in it, also after they were proved.
DROP INDEX outcomes_claimed;
CREATE INDEX outcomes_watched ON outcomes (key)
  WHERE worked = 1 AND refuted_by IS NULL AND run_id IS NOT NULL AND (proved_by IS NULL OR passes_needed > 1);
