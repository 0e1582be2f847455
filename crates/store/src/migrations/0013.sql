-- Runs of somebody else's copy of the project, such as a fork: kept and shown, and evidence of nothing.
ALTER TABLE runs ADD COLUMN is_foreign BIGINT NOT NULL DEFAULT 0;
