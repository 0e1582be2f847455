/** Patterns whose signature was computed by an older version. */
import { expect } from 'vitest';
import { fail, open, project, shell, test } from './setup.ts';

/** Number of patterns that a single run signs again. */
const BATCH_PATTERNS = 200;

/** SQL for patterns of an older version: all differ, and every tenth pattern is merged into the previous pattern. */
const olderPatterns = (count: number) => `
PRAGMA synchronous = OFF; BEGIN;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
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

test('each run signs some of 600 older patterns again and keeps their other data', async () => {
  const patterns = 600;
  const { database } = await project();
  shell(database, olderPatterns(patterns));
  const facts = `SELECT COUNT(*), SUM(occurrences), SUM(resolutions), SUM(merged_into IS NOT NULL) FROM patterns;
    SELECT category, learned FROM pattern_counts`;
  const before = shell(database, facts);
  const engine = await open(database);
  const left = () => Number(shell(database, "SELECT COUNT(*) FROM patterns WHERE recipe = 'older'"));
  await fail(engine, 'job-a');
  expect(left()).toBe(patterns - BATCH_PATTERNS);
  for (let run = 1; run < patterns / BATCH_PATTERNS; run += 1) await fail(engine, 'job-a');
  expect(left()).toBe(0);
  expect(shell(database, facts)).toBe(before);
  expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
});
