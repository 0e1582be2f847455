-- What was counted of a pattern in another memory, by the id that it has there, when it was taken over: the same is
-- counted once, however often it is taken over and by whatever way.
CREATE TABLE taken_counts (
  memory TEXT NOT NULL,
  pattern TEXT NOT NULL,
  pattern_key BIGINT NOT NULL,
  occurrences BIGINT NOT NULL,
  resolutions BIGINT NOT NULL,
  PRIMARY KEY (memory, pattern)
) WITHOUT ROWID;
CREATE INDEX taken_counts_of_pattern ON taken_counts (pattern_key);
