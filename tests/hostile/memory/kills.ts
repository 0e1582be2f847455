/**
 * Processes that are killed while they write, wait or migrate an older file: no acknowledged write is lost or counted
 * twice, and the file stays intact. The moments are random because any moment must be safe.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { createFolder, installedEngineUrl, openTestEngine, runSql, sumOccurrences } from '../../faults/setup.ts';
import { beginAll, collectAnswers, createMemory, expectAllKept, type StoringProcess, startStoring } from './waiting.ts';

const FIXTURES = fileURLToPath(new URL('../../../crates/store/tests/fixtures/', import.meta.url));
const OPENING_WORKER = fileURLToPath(new URL('opening-worker.mjs', import.meta.url));

const OUTCOME_SUMS = `SELECT solution_key, env_bucket, SUM(worked), SUM(1 - worked) FROM outcomes
  WHERE solution_key IS NOT NULL GROUP BY 1, 2`;
const STORED_SUMS = 'SELECT solution_key, env_bucket, worked, failed FROM solution_env_stats';

/** SQL that finds derived rows that differ from the rows from which they are derived. */
const INCONSISTENT_ROWS = {
  'a sum of outcomes that is not kept': `${OUTCOME_SUMS} EXCEPT ${STORED_SUMS}`,
  'a kept sum that outcomes do not have': `${STORED_SUMS} EXCEPT ${OUTCOME_SUMS}`,
  'an incident without a solution': `SELECT id FROM incidents i
    WHERE NOT EXISTS (SELECT 1 FROM solutions s WHERE s.incident_key = i.key)`,
  'an incident that the search does not know': `SELECT id FROM incidents i
    WHERE NOT EXISTS (SELECT 1 FROM search_documents d WHERE d.key = i.document AND d.incident_key = i.key)`,
  'a wrong number of incidents': `SELECT total FROM memory_totals
    WHERE name = 'incidents' AND total <> (SELECT COUNT(*) FROM incidents)`,
};

/** Expects that killed writers block no other process, lose no acknowledged write and do not damage the file. */
export async function killWriters(kills: number): Promise<void> {
  const it = await createMemory();
  const steady = [startStoring(it, 0, 'steady0'), startStoring(it, 0, 'steady1')];
  await beginAll(steady);
  const dead: StoringProcess[] = [];
  while (dead.length < kills) {
    const victims = Array.from({ length: Math.min(4, kills) }, (_, index) =>
      startStoring(it, 0, `v${dead.length + index}`),
    );
    await beginAll(victims);
    for (const victim of victims) {
      await sleep(Math.random() * 80);
      victim.process.kill('SIGKILL');
    }
    await Promise.all(victims.map((victim) => victim.done));
    dead.push(...victims);
  }
  const before = steady.map((one) => one.answers.length);
  await expect.poll(() => steady.every((one, index) => one.answers.length > (before[index] ?? 0) + 10)).toBe(true);
  for (const one of steady) one.process.kill('SIGKILL');
  await Promise.all(steady.map((one) => one.done));
  const { answers, refused } = collectAnswers([...steady, ...dead]);
  expect(refused).toEqual([]);
  expectAllKept(it.database, [...steady, ...dead]);
  // Each killed process may have committed a diagnosis without acknowledging it.
  const diagnoses = answers.filter(({ operation }) => operation === 'diagnose').length;
  expect(sumOccurrences(it.database)).toBeGreaterThanOrEqual(diagnoses);
  expect(sumOccurrences(it.database)).toBeLessThanOrEqual(diagnoses + steady.length + dead.length);
  expect(runSql(it.database, 'PRAGMA integrity_check')).toBe('ok');
  for (const [what, sql] of Object.entries(INCONSISTENT_ROWS)) expect(runSql(it.database, sql), what).toBe('');
}

/** Kills processes while they migrate older files, and expects that no row is lost. */
export async function killMigrations(kills: number): Promise<void> {
  for (let killed = 0; killed < kills; killed += 1) {
    const version = (killed % 3) + 1;
    const database = join(createFolder(), 'argus.db');
    copyFileSync(join(FIXTURES, `version-${version}.db`), database);
    multiplyPatterns(database);
    const rows = countKnowledgeRows(database);
    const opening = spawn(process.execPath, [OPENING_WORKER, installedEngineUrl, database], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void opening.kill('SIGKILL'));
    const ended = once(opening, 'close');
    await waitForLine(opening, 'opening');
    // Alternates between a random moment and the middle of the commit, which a random moment would rarely hit.
    if (killed % 2 === 0) await sleep(50 + Math.random() * 300);
    else while (!hasHotJournal(database) && opening.exitCode === null) await new Promise(setImmediate);
    opening.kill('SIGKILL');
    await ended;
    expect(runSql(database, 'PRAGMA integrity_check')).toBe('ok');
    const engine = await openTestEngine(database);
    await engine.checkWrite();
    await engine.close();
    expect(runSql(database, 'PRAGMA integrity_check')).toBe('ok');
    expect(Number(runSql(database, 'PRAGMA user_version'))).toBeGreaterThan(version);
    expect(countKnowledgeRows(database)).toMatchObject(rows);
  }
}

/** Adds so many patterns that the migration takes a while. */
function multiplyPatterns(database: string): void {
  const columns = runSql(database, "SELECT name FROM pragma_table_info('patterns') WHERE name <> 'key'").split('\n');
  const values = columns.map((name) => (['id', 'signature'].includes(name) ? `${name} || '-' || value` : name));
  runSql(
    database,
    `INSERT INTO patterns (${columns}) SELECT ${values} FROM patterns, generate_series(1, 3000) WHERE source = 'learned'`,
  );
}

/** Returns true if there is an unfinished transaction, whose journal still has a header. */
function hasHotJournal(database: string): boolean {
  const journal = `${database}-journal`;
  return existsSync(journal) && readFileSync(journal).toString('hex', 0, 8) > '0000000000000000';
}

async function waitForLine(child: ChildProcess, line: string): Promise<void> {
  if (child.stdout === null) throw new Error('its output is not read');
  for await (const each of createInterface({ input: child.stdout })) if (each === line) return;
}

/** Counts the rows of each table with knowledge that people entered or confirmed. */
function countKnowledgeRows(database: string): Record<string, string> {
  const tables = ['runs', 'cases', 'failures', 'patterns', 'incidents', 'solutions', 'outcomes'];
  return Object.fromEntries(tables.map((table) => [table, runSql(database, `SELECT count(*) FROM ${table}`)]));
}
