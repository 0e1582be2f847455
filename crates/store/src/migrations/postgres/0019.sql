-- What changed between the run of the failure and the first run that passed, as JSON: commits, files, and names of functions
-- and types. NULL while no run has passed, or when nothing is known to have changed.
ALTER TABLE outcomes ADD COLUMN changed TEXT;
