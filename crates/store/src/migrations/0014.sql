-- That the runner shuffled the tests of a run, and how the same order comes again (JSON).
ALTER TABLE runs ADD COLUMN shuffle TEXT;
