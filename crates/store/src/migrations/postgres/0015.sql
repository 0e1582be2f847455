-- What had been changed and not committed when a run began that failed, or that was the first to pass: what lies between
-- two of them mended something. `files` are paths with a digest of what changed in each (JSON); `hunks` are the changes
-- themselves, by the same order (JSON), which are never copied to where others read.
CREATE TABLE edits (
  run_seq BIGINT NOT NULL PRIMARY KEY,
  files TEXT NOT NULL,
  hunks TEXT
);
