/** A memory of another recipe: all of it is signed again, a part with each run, and nothing in it is lost. */
import { expect, test } from 'vitest';
import { fail, open, project, shell } from './setup.ts';

const PATTERNS = 100_000;
/** Patterns that one run signs again. */
const BATCH_PATTERNS = 200;

/** As an older version would have left them: each its own, each tenth part of the one before it. */
const fill = `
PRAGMA synchronous = OFF; BEGIN;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${PATTERNS})
INSERT INTO patterns (id, source, category, recipe, signature, family, case_name, normalized, description, occurrences,
  resolutions, first_seen_at, last_seen_at, updated_at)
SELECT printf('pat-%032x', i), 'learned', 'UNKNOWN', 'older', lower(hex(randomblob(32))), lower(hex(randomblob(32))),
  'tests/f' || (i % 5000) || '.test.ts > case ' || i, 'TypeError: cannot read <VALUE> of case ' || i,
  'TypeError: cannot read it', 2, 1, 1767225600000, 1767225600000 + i, 1767225600000 + i FROM n;
UPDATE patterns SET merged_into = key - 1 WHERE recipe = 'older' AND key % 10 = 0;
INSERT INTO pattern_counts (category, learned)
  SELECT 'UNKNOWN', COUNT(*) FROM patterns WHERE recipe = 'older' AND merged_into IS NULL
  ON CONFLICT (category) DO UPDATE SET learned = learned + excluded.learned;
COMMIT;`;

test('100,000 patterns of an older recipe are signed again', { timeout: 300_000 }, async () => {
  const { database } = await project();
  shell(database, fill);
  const facts = `SELECT COUNT(*), SUM(occurrences), SUM(resolutions), SUM(merged_into IS NOT NULL) FROM patterns`;
  const before = shell(database, facts);
  const counted = shell(database, 'SELECT category, learned FROM pattern_counts');
  const engine = await open(database);
  for (let run = 0; run < PATTERNS / BATCH_PATTERNS; run += 1) await fail(engine, 'job-a');
  expect(shell(database, "SELECT COUNT(*) FROM patterns WHERE recipe = 'older'")).toBe('0');
  expect(shell(database, facts)).toBe(before);
  expect(shell(database, 'SELECT category, learned FROM pattern_counts')).toBe(counted);
  expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
});
