-- The debug memory: labels, searches, and an index that finds incidents and patterns by their text.

-- One label a line.
ALTER TABLE incidents ADD COLUMN tags TEXT NOT NULL DEFAULT '';
-- Where it stands in the search index.
ALTER TABLE incidents ADD COLUMN document BIGINT;
ALTER TABLE patterns ADD COLUMN document BIGINT;
-- The index knows families of both.
DROP INDEX incidents_by_family;
ALTER TABLE incidents DROP COLUMN family;

-- What was looked up, so that an outcome tells which search led to it. Old ones go.
CREATE TABLE lookups (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  query TEXT NOT NULL,
  env_bucket TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

-- What can be found: incidents, and patterns with a solution. `vector` is what core scores on;
-- `family` is the first half of the family signature as a number.
CREATE TABLE search_documents (
  key INTEGER PRIMARY KEY,
  incident_key BIGINT,
  pattern_key BIGINT,
  family BIGINT,
  vector BLOB NOT NULL,
  CHECK (incident_key IS NOT NULL OR pattern_key IS NOT NULL)
);
CREATE INDEX search_by_family ON search_documents (family) WHERE family IS NOT NULL;

-- In how many documents of all segments a term stands. `term` is a hash of core's.
CREATE TABLE search_terms (
  term INTEGER PRIMARY KEY,
  documents BIGINT NOT NULL
);

-- A segment lists, for each term, the documents of a range that hold it. The newest documents are in none yet.
CREATE TABLE search_segments (
  key INTEGER PRIMARY KEY,
  first_document BIGINT NOT NULL,
  last_document BIGINT NOT NULL,
  documents BIGINT NOT NULL
);

-- `key` is segment * 2^32 + term, so that a segment is written and dropped as one range.
CREATE TABLE search_postings (
  key INTEGER PRIMARY KEY,
  postings BLOB NOT NULL
);

-- Counts, so that nobody counts rows.
CREATE TABLE memory_totals (
  name TEXT PRIMARY KEY,
  total BIGINT NOT NULL
);
INSERT INTO memory_totals (name, total) VALUES ('incidents', 0), ('documents', 0), ('next_document', 1);

-- Patterns whose text or first solution is newer than the index.
CREATE TABLE search_waiting (
  pattern_key INTEGER PRIMARY KEY
);
INSERT INTO search_waiting (pattern_key)
  SELECT p.key FROM patterns p
  WHERE p.source = 'learned' AND EXISTS (SELECT 1 FROM solutions s WHERE s.pattern_key = p.key);
