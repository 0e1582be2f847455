-- A fix that was reported as a success is a claim until a later run in which its case passed; that run proves it.
-- It is no foreign key: retention deletes runs, never what was learned.
ALTER TABLE outcomes ADD COLUMN proved_by TEXT;
-- Claims, for each run that is recorded.
CREATE INDEX outcomes_claimed ON outcomes (key) WHERE worked = 1 AND proved_by IS NULL AND run_id IS NOT NULL;
