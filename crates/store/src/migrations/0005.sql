-- A failure that differs from those that are known is compared with the patterns of its own case.
CREATE INDEX patterns_by_case ON patterns (case_name, recipe, key);
