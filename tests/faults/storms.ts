/**
 * Many writes to one database, some of whose writers are killed: nothing is lost, nothing is counted twice, nobody is
 * refused. Small numbers: storms.test.ts; large ones: storms.full.test.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { answersOf, begin, expectAllKept, memory, type Storing, storing } from '../hostile/memory/waiting.ts';
import { counted, fail, open, project, shell, withoutAddon, worker } from './setup.ts';

/** Processes that count one failure lose no count, with the lock addon or without it. */
export async function expectAllCounted(processes: number, times: number, addon: 'with' | 'without'): Promise<void> {
  const engine = addon === 'with' ? undefined : withoutAddon();
  const { database, failure } = await project(1, undefined, engine);
  const options = engine === undefined ? {} : { engine };
  const workers = Array.from({ length: processes }, () => worker(database, failure, times, options));
  const codes = await Promise.all(workers.map((it) => it.done));
  expect({ codes, refused: workers.flatMap((it) => it.lines.filter((line) => line.startsWith('{'))) }).toEqual({
    codes: workers.map(() => 0),
    refused: [],
  });
  // Each count is answered once: nobody saw the state before the commit of another.
  const counts = workers.flatMap((it) => it.counts).sort((one, other) => one - other);
  expect(counts).toEqual(Array.from({ length: processes * times }, (_, at) => at + 1));
  if (addon === 'without') expect(workers[0]?.log.join('\n')).toContain('is locked by a folder');
  expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
}

const SUMS = `SELECT solution_key, env_bucket, SUM(worked), SUM(1 - worked) FROM outcomes
  WHERE solution_key IS NOT NULL GROUP BY 1, 2`;
const KEPT_SUMS = 'SELECT solution_key, env_bucket, worked, failed FROM solution_env_stats';

/** Finds derived rows that differ from those that they are derived from. */
const INCONSISTENT = {
  'a sum of outcomes that is not kept': `${SUMS} EXCEPT ${KEPT_SUMS}`,
  'a kept sum that outcomes do not have': `${KEPT_SUMS} EXCEPT ${SUMS}`,
  'an incident without a solution': `SELECT id FROM incidents i
    WHERE NOT EXISTS (SELECT 1 FROM solutions s WHERE s.incident_key = i.key)`,
  'an incident that the search does not know': `SELECT id FROM incidents i
    WHERE NOT EXISTS (SELECT 1 FROM search_documents d WHERE d.key = i.document AND d.incident_key = i.key)`,
  'a wrong number of incidents': `SELECT total FROM memory_totals
    WHERE name = 'incidents' AND total <> (SELECT COUNT(*) FROM incidents)`,
};

/** Writers that are killed at random moments lose no acknowledged write, and leave no damage. */
export async function expectKillsLoseNothing(rounds: number, writers: number): Promise<void> {
  const it = await memory();
  const killed: Storing[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const some = Array.from({ length: writers }, (_, index) => storing(it, 0, `r${round}w${index}`));
    await begin(some);
    await Promise.all(
      some.map(async (one) => {
        // The moment must not depend on what the writer does, so no event can be awaited.
        await sleep(Math.random() * 80);
        one.process.kill('SIGKILL');
        await one.done;
      }),
    );
    killed.push(...some);
    // The next one to open the file rolls back what was half done: this engine, or SQLite's own shell.
    if (round % 2 === 0) await (await open(it.database)).overview();
    expect(shell(it.database, 'PRAGMA integrity_check')).toBe('ok');
  }
  const { answers, refused } = answersOf(killed);
  expect(refused).toEqual([]);
  expectAllKept(it.database, killed);
  // Each process that was killed may have committed one more.
  const diagnoses = answers.filter(({ operation }) => operation === 'diagnose').length;
  expect(counted(it.database)).toBeGreaterThanOrEqual(diagnoses);
  expect(counted(it.database)).toBeLessThanOrEqual(diagnoses + killed.length);
  for (const [what, sql] of Object.entries(INCONSISTENT)) expect(shell(it.database, sql), what).toBe('');
}

/** Patterns that one run signs again. */
const BATCH_PATTERNS = 200;

/** As an older version left them: each is unlike the others, and each tenth is merged into the one before it. */
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

/** Patterns that an older version signed are signed again, some with each run, and keep all else. */
export async function expectSignedAgain(patterns: number): Promise<void> {
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
}
