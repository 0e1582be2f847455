-- The viewer: what a person sets, and what makes patterns quick to look through.

-- What a person set in place of what was learned; nothing that learns writes these. `person_solution` is the solution
-- that the pattern suggests. A pattern that was merged into another stays, so that its failures are known and are
-- signed again, and leads to the other.
ALTER TABLE patterns ADD COLUMN person_category TEXT;
ALTER TABLE patterns ADD COLUMN person_description TEXT;
ALTER TABLE patterns ADD COLUMN person_solution BIGINT;
ALTER TABLE patterns ADD COLUMN edited_at BIGINT;
ALTER TABLE patterns ADD COLUMN merged_into BIGINT;
CREATE INDEX patterns_merged ON patterns (merged_into) WHERE merged_into IS NOT NULL;

-- A person judged it as wrong: it is no suggestion, and its successes count as none.
ALTER TABLE solutions ADD COLUMN wrong_at BIGINT;
-- A person's edit wrote it; it goes with the edit unless it was tried.
ALTER TABLE solutions ADD COLUMN by_person BIGINT NOT NULL DEFAULT 0;

-- Listings know the category that is shown, and no merged patterns.
DROP INDEX patterns_by_occurrences;
DROP INDEX patterns_by_confidence;
DROP INDEX patterns_by_last_seen;
CREATE INDEX patterns_by_occurrences ON patterns
  ((COALESCE(person_category, category)), occurrences, key) WHERE merged_into IS NULL;
CREATE INDEX patterns_by_confidence ON patterns
  ((COALESCE(person_category, category)), confidence, key) WHERE merged_into IS NULL;
CREATE INDEX patterns_by_last_seen ON patterns
  ((COALESCE(person_category, category)), last_seen_at, key) WHERE merged_into IS NULL;
CREATE INDEX patterns_by_resolutions ON patterns
  ((COALESCE(person_category, category)), resolutions, key) WHERE merged_into IS NULL;
CREATE INDEX patterns_by_description ON patterns
  ((COALESCE(person_category, category)), (lower(COALESCE(person_description, description))), key)
  WHERE merged_into IS NULL;
-- By letters across all categories, which are longer than counts and so are not merged from each category's list.
CREATE INDEX patterns_by_letters ON patterns
  ((lower(COALESCE(person_description, description))), key) WHERE merged_into IS NULL AND source = 'learned';

-- What a learned pattern is filtered by, in lower case: description, case and suggested fix, a line each. Slim, for a
-- filter reads all of it.
CREATE TABLE pattern_texts (
  category TEXT NOT NULL,
  pattern_key BIGINT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (category, pattern_key)
) WITHOUT ROWID;
INSERT INTO pattern_texts (category, pattern_key, text)
  SELECT p.category, p.key, lower(p.description || char(10) || substr(p.case_name, 1, 300) || char(10) ||
    COALESCE(substr(s.steps, 1, 200), ''))
  FROM patterns p LEFT JOIN solutions s ON s.key = p.best_solution WHERE p.source = 'learned';

-- Signatures that a pattern had under older recipes: recorded failures keep theirs.
CREATE TABLE pattern_signatures (
  signature TEXT NOT NULL,
  pattern_key BIGINT NOT NULL,
  PRIMARY KEY (signature, pattern_key)
) WITHOUT ROWID;
CREATE INDEX signatures_of_pattern ON pattern_signatures (pattern_key);

-- The counts of a pattern at the end of each day on which they changed. `day` counts from the Unix epoch, UTC.
CREATE TABLE pattern_days (
  pattern_key BIGINT NOT NULL,
  day BIGINT NOT NULL,
  occurrences BIGINT NOT NULL,
  resolutions BIGINT NOT NULL,
  PRIMARY KEY (pattern_key, day)
) WITHOUT ROWID;
