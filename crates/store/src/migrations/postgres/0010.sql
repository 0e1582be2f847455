-- As in SQLite's script of this number.
CREATE TABLE taken_counts (
  memory TEXT COLLATE "C" NOT NULL,
  pattern TEXT COLLATE "C" NOT NULL,
  pattern_key BIGINT NOT NULL,
  occurrences BIGINT NOT NULL,
  resolutions BIGINT NOT NULL,
  PRIMARY KEY (memory, pattern)
);
CREATE INDEX taken_counts_of_pattern ON taken_counts (pattern_key);
