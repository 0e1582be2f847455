/** Patterns whose signatures were computed by an older version. */
import { expect } from 'vitest';
import { createFailedProject, openTestEngine, recordFailure, runSql, test } from './setup.ts';

/** Number of patterns whose signatures a single run computes again. */
const PATTERNS_PER_RUN = 200;

/** Returns SQL that makes patterns older: all differ, and every tenth pattern is merged into the previous pattern. */
const makePatternsOlder = (count: number) => `
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

test("each run computes some signatures of 600 older patterns again and keeps the patterns' other data", async () => {
  const patterns = 600;
  const { database } = await createFailedProject();
  runSql(database, makePatternsOlder(patterns));
  const facts = `SELECT COUNT(*), SUM(occurrences), SUM(resolutions), SUM(merged_into IS NOT NULL) FROM patterns;
    SELECT category, learned FROM pattern_counts`;
  const before = runSql(database, facts);
  const engine = await openTestEngine(database);
  const left = () => Number(runSql(database, "SELECT COUNT(*) FROM patterns WHERE recipe = 'older'"));
  await recordFailure(engine, 'job-a');
  expect(left()).toBe(patterns - PATTERNS_PER_RUN);
  for (let run = 1; run < patterns / PATTERNS_PER_RUN; run += 1) await recordFailure(engine, 'job-a');
  expect(left()).toBe(0);
  expect(runSql(database, facts)).toBe(before);
  expect(runSql(database, 'PRAGMA integrity_check')).toBe('ok');
});

/**
 * SQL that makes all patterns older, and adds a similar pattern of the same case. Signatures that begin with a space
 * come first.
 */
const ADD_SIMILAR_PATTERN = `
UPDATE patterns SET recipe = 'older' WHERE source = 'learned';
INSERT INTO patterns (key, id, source, category, recipe, signature, family, case_name, normalized, description,
  occurrences, resolutions, first_seen_at, last_seen_at, updated_at)
SELECT -1000, 'pat-similar', source, category, recipe, ' 1', family, case_name,
  replace(normalized, 'could not be done', 'could not be run'), description, 1, 0, 1, 1, 1
  FROM patterns WHERE source = 'learned' LIMIT 1;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${PATTERNS_PER_RUN})
INSERT INTO patterns (key, id, source, category, recipe, signature, family, case_name, normalized, description,
  occurrences, resolutions, first_seen_at, last_seen_at, updated_at)
SELECT -i, 'pat-' || i, 'learned', 'UNKNOWN', 'older', ' 2' || i, 'family ' || i, 'case ' || i,
  'TypeError: case ' || i, 'TypeError', 1, 0, 1, 1, 1 FROM n;`;

test('a failure finds its own older pattern although the same batch contains a similar pattern first', async () => {
  const { database, failure } = await createFailedProject();
  const before = await openTestEngine(database);
  const { match } = await before.diagnose(failure);
  await before.close();
  runSql(database, ADD_SIMILAR_PATTERN);
  const after = await openTestEngine(database);
  expect((await after.diagnose(failure)).match).toMatchObject({ how: 'signature', patternId: match.patternId });
});
