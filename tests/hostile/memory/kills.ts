/**
 * Processes that are killed while they write, wait, queue calls, take them in or bring an older file up to date: nothing that
 * was acknowledged is lost or counted twice, and the file stays whole. The kills come at random moments, which is the point.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { type Agent, BUNDLE, connect, connectProcess, environment, project, someUser } from '../../e2e/harness.ts';
import { counted, folder, installed, open, shell } from '../../faults/setup.ts';
import { answersOf, begin, expectAllKept, memory, type Storing, shellThatHolds, storing } from './waiting.ts';

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

/** Processes that are killed while they wait or write block nobody, lose no acknowledged write and leave no damage. */
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
  // Each process that was killed may have committed one more.
  const diagnoses = answers.filter(({ operation }) => operation === 'diagnose').length;
  expect(counted(it.database)).toBeGreaterThanOrEqual(diagnoses);
  expect(counted(it.database)).toBeLessThanOrEqual(diagnoses + steady.length + dead.length);
  expect(shell(it.database, 'PRAGMA integrity_check')).toBe('ok');
  for (const [what, sql] of Object.entries(INCONSISTENT)) expect(shell(it.database, sql), what).toBe('');
}

/**
 * Commands are killed while they take in calls that wait: each call comes in, once. With servers, these are killed while they
 * queue the calls; without any, a server in this process queues some.
 */
export async function killTakers(kills: number, takers: number, servers = 0): Promise<void> {
  const [root, env] = [project(), { ...someUser() }];
  expect((await argus(['run', '--project', root, 'exit 1'], { env })).status).toBe(1);
  const database = join(root, '.argus', 'argus.db');
  const queued: Queued = { runs: new Set(), fixes: new Set() };
  for (let killed = 0; killed < kills; killed += servers + takers) {
    const holder = await shellThatHolds(database);
    if (servers === 0) {
      const agent = await connect('2026-07-28', env, root, { isImpatient: true });
      await queueCalls(agent, root, `round${killed}`, queued, 3);
      await agent.close();
    }
    const agents = await Promise.all(Array.from({ length: servers }, () => connectProcess('2026-07-28', env)));
    await Promise.all(agents.map((agent, index) => queueUntilKilled(agent, root, `round${killed}w${index}`, queued)));
    holder.stdin?.end('ROLLBACK;\n');
    await once(holder, 'close');
    // Each takes in what waits, and is killed in the middle.
    for (let taken = 0; taken < takers; taken += 1) {
      const taker = spawn(process.execPath, [BUNDLE, 'history', '--project', root, '--json'], {
        env: environment(env),
        stdio: 'ignore',
      });
      const ended = once(taker, 'close');
      await sleep(300 + Math.random() * 500);
      taker.kill('SIGKILL');
      await ended;
    }
    expect((await argus(['history', '--project', root, '--json'], { env })).status).toBe(0);
    const left = readdirSync(`${database}.spool`).filter((name) => !name.endsWith('.draft'));
    expect(left).toEqual([]);
    expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
  }
  const runs = shell(database, 'SELECT id FROM runs').split('\n');
  const fixes = shell(database, 'SELECT id FROM outcomes').split('\n');
  expect([...queued.runs].filter((id) => !runs.includes(id))).toEqual([]);
  expect([...queued.fixes].filter((id) => !fixes.includes(id))).toEqual([]);
  expect(queued.fixes.size).toBeGreaterThan(0);
  // One more may have been queued and not yet acknowledged by each that was killed.
  expect(fixes.length - queued.fixes.size).toBeLessThanOrEqual(queued.runs.size);
  expect(shell(database, 'SELECT steps FROM solutions GROUP BY steps HAVING count(*) > 1')).toBe('');
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
    // In turns at any moment, and between the two halves of the commit, which is short.
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

/** Ids of calls whose answer said that they wait. */
interface Queued {
  readonly runs: Set<string>;
  readonly fixes: Set<string>;
}

/** Queues a run and then fixes of its failure. */
async function queueCalls(
  agent: Agent,
  projectPath: string,
  seed: string,
  queued: Queued,
  fixes: number,
  onFirst = () => {},
): Promise<void> {
  const command = `echo "OrderError: the plan ${seed} is gone" && exit 3`;
  await agent.data('argus_init', { projectPath });
  const { runId, failures, ...run } = await agent.data('argus_run', { projectPath, command });
  expect(run).toMatchObject({ stored: false, queued: true, code: 'DATABASE_LOCKED' });
  const [{ caseName }] = failures as [{ caseName: string }];
  queued.runs.add(String(runId));
  for (let count = 0; count < fixes; count += 1) {
    if (count === 1) onFirst();
    const fix = { projectPath, runId, caseName, fixDescription: `turned screw ${seed} ${count}` };
    const { fixRecordId, ...answer } = await agent.data('argus_report_fix', fix);
    expect(answer).toMatchObject({ stored: false, queued: true });
    queued.fixes.add(String(fixRecordId));
  }
}

async function queueUntilKilled(
  agent: Agent & { pid: number },
  projectPath: string,
  seed: string,
  queued: Queued,
): Promise<void> {
  const kill = () => process.kill(agent.pid, 'SIGKILL');
  const calls = queueCalls(agent, projectPath, seed, queued, Number.POSITIVE_INFINITY, () => {
    setTimeout(kill, Math.random() * 1_000);
  });
  await expect(calls).rejects.toThrow(/closed|EPIPE/iu);
}

/** So many that bringing the file up to date takes a while. */
function multiplyPatterns(database: string): void {
  const columns = shell(database, "SELECT name FROM pragma_table_info('patterns') WHERE name <> 'key'").split('\n');
  const values = columns.map((name) => (['id', 'signature'].includes(name) ? `${name} || '-' || value` : name));
  shell(
    database,
    `INSERT INTO patterns (${columns}) SELECT ${values} FROM patterns, generate_series(1, 3000) WHERE source = 'learned'`,
  );
}

/** A journal whose header stands is of a transaction that did not end. */
function hasHotJournal(database: string): boolean {
  const journal = `${database}-journal`;
  return existsSync(journal) && readFileSync(journal).toString('hex', 0, 8) > '0000000000000000';
}

async function said(child: ChildProcess, line: string): Promise<void> {
  if (child.stdout === null) throw new Error('its output is not read');
  for await (const each of createInterface({ input: child.stdout })) if (each === line) return;
}

/** How many rows each of the tables has that people's knowledge is in. */
function rowsOf(database: string): Record<string, string> {
  const tables = ['runs', 'cases', 'failures', 'patterns', 'incidents', 'solutions', 'outcomes'];
  return Object.fromEntries(tables.map((table) => [table, shell(database, `SELECT count(*) FROM ${table}`)]));
}
