-- What somebody said of two failures: that they are one, or that they are two. Of a pair the last word.
CREATE TABLE sameness (
  pattern_key BIGINT NOT NULL,
  other_key BIGINT NOT NULL,
  id TEXT NOT NULL,
  is_same BIGINT NOT NULL,
  said_at BIGINT NOT NULL,
  PRIMARY KEY (pattern_key, other_key)
);
CREATE INDEX sameness_of_other ON sameness (other_key);
