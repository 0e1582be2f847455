-- A success that the next run of its case contradicts is refuted, by that run or by a later report, and stays so.
-- It is no foreign key: retention deletes runs, never what was learned.
ALTER TABLE outcomes ADD COLUMN refuted_by TEXT;
-- Claims that a run may still prove or refute.
DROP INDEX outcomes_claimed;
CREATE INDEX outcomes_claimed ON outcomes (key)
  WHERE worked = 1 AND proved_by IS NULL AND refuted_by IS NULL AND run_id IS NOT NULL;
