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
import { counted, folder, installed, open, shell } from '../../faults/setup.ts';
import { answersOf, begin, expectAllKept, memory, type Storing, storing } from './waiting.ts';

const FIXTURES = fileURLToPath(new URL('../../../crates/store/tests/fixtures/', import.meta.url));
const OPENING = fileURLToPath(new URL('opening-worker.mjs', import.meta.url));

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

/** Expects that killed writers block no other process, lose no acknowledged write and do not damage the file. */
export async function killWriters(kills: number): Promise<void> {
  const it = await memory();
  const steady = [storing(it, 0, 'steady0'), storing(it, 0, 'steady1')];
  await begin(steady);
  const dead: Storing[] = [];
  while (dead.length < kills) {
    const victims = Array.from({ length: Math.min(4, kills) }, (_, index) => storing(it, 0, `v${dead.length + index}`));
    await begin(victims);
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
  const { answers, refused } = answersOf([...steady, ...dead]);
  expect(refused).toEqual([]);
  expectAllKept(it.database, [...steady, ...dead]);
  // Each killed process may have committed a diagnosis without acknowledging it.
  const diagnoses = answers.filter(({ operation }) => operation === 'diagnose').length;
  expect(counted(it.database)).toBeGreaterThanOrEqual(diagnoses);
  expect(counted(it.database)).toBeLessThanOrEqual(diagnoses + steady.length + dead.length);
  expect(shell(it.database, 'PRAGMA integrity_check')).toBe('ok');
  for (const [what, sql] of Object.entries(INCONSISTENT)) expect(shell(it.database, sql), what).toBe('');
}

/** Processes are killed while they bring older files up to date: no row is lost. */
export async function killMigrations(kills: number): Promise<void> {
  for (let killed = 0; killed < kills; killed += 1) {
    const version = (killed % 3) + 1;
    const database = join(folder(), 'argus.db');
    copyFileSync(join(FIXTURES, `version-${version}.db`), database);
    multiplyPatterns(database);
    const rows = rowsOf(database);
    const opening = spawn(process.execPath, [OPENING, installed, database], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void opening.kill('SIGKILL'));
    const ended = once(opening, 'close');
    await said(opening, 'opening');
    // Alternates between a random moment and the middle of the commit, which a random moment would rarely hit.
    if (killed % 2 === 0) await sleep(50 + Math.random() * 300);
    else while (!hasHotJournal(database) && opening.exitCode === null) await new Promise(setImmediate);
    opening.kill('SIGKILL');
    await ended;
    expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
    const engine = await open(database);
    await engine.checkWrite();
    await engine.close();
    expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
    expect(Number(shell(database, 'PRAGMA user_version'))).toBeGreaterThan(version);
    expect(rowsOf(database)).toMatchObject(rows);
  }
}

/** Adds so many patterns that the migration takes a while. */
function multiplyPatterns(database: string): void {
  const columns = shell(database, "SELECT name FROM pragma_table_info('patterns') WHERE name <> 'key'").split('\n');
  const values = columns.map((name) => (['id', 'signature'].includes(name) ? `${name} || '-' || value` : name));
  shell(
    database,
    `INSERT INTO patterns (${columns}) SELECT ${values} FROM patterns, generate_series(1, 3000) WHERE source = 'learned'`,
  );
}

/** Reports an unfinished transaction: its journal still has a header. */
function hasHotJournal(database: string): boolean {
  const journal = `${database}-journal`;
  return existsSync(journal) && readFileSync(journal).toString('hex', 0, 8) > '0000000000000000';
}

async function said(child: ChildProcess, line: string): Promise<void> {
  if (child.stdout === null) throw new Error('its output is not read');
  for await (const each of createInterface({ input: child.stdout })) if (each === line) return;
}

/** Counts the rows of each table that holds people's knowledge. */
function rowsOf(database: string): Record<string, string> {
  const tables = ['runs', 'cases', 'failures', 'patterns', 'incidents', 'solutions', 'outcomes'];
  return Object.fromEntries(tables.map((table) => [table, shell(database, `SELECT count(*) FROM ${table}`)]));
}
