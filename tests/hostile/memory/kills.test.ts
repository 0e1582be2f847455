/**
 * Processes that are killed while they write, wait, queue calls, take them in or bring an older file up to date:
 * nothing that was acknowledged is lost or counted twice, and the file stays whole. A thousand kills, by hand:
 *
 *   ARGUS_KILLS=340 npx vitest run --config tests/vitest.config.ts tests/hostile/memory/kills.test.ts
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { type Agent, BUNDLE, connectProcess, environment, project, someUser } from '../../e2e/harness.ts';
import { folder, installed, open, shell } from '../../faults/setup.ts';
import { answersOf, begin, expectAllKept, memory, type Storing, shellThatHolds, storing } from './waiting.ts';

/** Of each of the three kinds below. */
const KILLS = Number(process.env.ARGUS_KILLS ?? 12);
const TIMEOUT_MS = 120_000 + KILLS * 10_000;
const FIXTURES = fileURLToPath(new URL('../../../crates/store/tests/fixtures/', import.meta.url));
const OPENING = fileURLToPath(new URL('opening-worker.mjs', import.meta.url));

test(`${KILLS} processes that are killed while they wait or write block nobody`, { timeout: TIMEOUT_MS }, async () => {
  const it = await memory();
  const steady = [storing(it, 0, 'steady0'), storing(it, 0, 'steady1')];
  await begin(steady);
  const dead: Storing[] = [];
  while (dead.length < KILLS) {
    const victims = Array.from({ length: 4 }, (_, index) => storing(it, 0, `v${dead.length + index}`));
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
  expect(shell(it.database, 'PRAGMA integrity_check')).toBe('ok');
  console.log(`${dead.length} writers killed, ${answers.length} acknowledged writes kept`);
});

test(`${KILLS} kills while calls are queued and taken in: each comes in, once`, { timeout: TIMEOUT_MS }, async () => {
  const [root, env] = [project(), { ...someUser() }];
  expect((await argus(['run', '--project', root, 'exit 1'], { env })).status).toBe(1);
  const database = join(root, '.argus', 'argus.db');
  const queued = { runs: new Set<string>(), fixes: new Set<string>() };
  let kills = 0;
  while (kills < KILLS) {
    const holder = await shellThatHolds(database);
    const agents = await Promise.all(['a', 'b', 'c', 'd'].map(() => connectProcess('2026-07-28', env)));
    await Promise.all(agents.map((agent, index) => queueUntilKilled(agent, root, `round${kills}w${index}`, queued)));
    kills += agents.length;
    holder.stdin?.end('ROLLBACK;\n');
    await once(holder, 'close');
    // Each takes in what waits, and is killed in the middle.
    for (let takers = 0; takers < 3; takers += 1) {
      const taker = spawn(process.execPath, [BUNDLE, 'history', '--project', root, '--json'], {
        env: environment(env),
        stdio: 'ignore',
      });
      const ended = once(taker, 'close');
      await sleep(300 + Math.random() * 500);
      taker.kill('SIGKILL');
      await ended;
      kills += 1;
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
  console.log(`${kills} killed, ${queued.runs.size} runs and ${queued.fixes.size} fixes queued and stored`);
});

test(`${KILLS} kills while older files are brought up to date lose none of their rows`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const left = { older: 0, halfWritten: 0, current: 0 };
  for (let kills = 0; kills < KILLS; kills += 1) {
    const version = (kills % 3) + 1;
    const database = join(folder(), 'argus.db');
    copyFileSync(join(FIXTURES, `version-${version}.db`), database);
    multiplyPatterns(database);
    const rows = rowsOf(database);
    const opening = spawn(process.execPath, [OPENING, installed, database], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => {
      opening.kill('SIGKILL');
    });
    const ended = once(opening, 'close');
    await said(opening, 'opening');
    // In turns at any moment, and between the two halves of the commit, which is short.
    if (kills % 2 === 0) await sleep(50 + Math.random() * 300);
    else while (!hasHotJournal(database) && opening.exitCode === null) await new Promise(setImmediate);
    opening.kill('SIGKILL');
    await ended;
    if (hasHotJournal(database)) left.halfWritten += 1;
    else if (Number(shell(database, 'PRAGMA user_version')) === version) left.older += 1;
    else left.current += 1;
    expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
    const engine = await open(database);
    await engine.checkWrite();
    await engine.close();
    expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
    expect(Number(shell(database, 'PRAGMA user_version'))).toBeGreaterThan(version);
    expect(rowsOf(database)).toMatchObject(rows);
  }
  console.log(`${KILLS} killed, which left files`, left);
});

/** Queues a run and then fixes of its failure, each acknowledged one kept in mind, until its server is killed. */
async function queueUntilKilled(
  agent: Agent & { pid: number },
  projectPath: string,
  seed: string,
  queued: { runs: Set<string>; fixes: Set<string> },
): Promise<void> {
  const command = `echo "OrderError: the plan ${seed} is gone" && exit 3`;
  await agent.data('argus_init', { projectPath });
  const run = await agent.data('argus_run', { projectPath, command });
  expect(run).toMatchObject({ stored: false, queued: true, code: 'DATABASE_LOCKED' });
  const [failure] = run.failures as { caseName: string }[];
  queued.runs.add(String(run.runId));
  try {
    for (let count = 0; ; count += 1) {
      if (count === 1) setTimeout(() => process.kill(agent.pid, 'SIGKILL'), Math.random() * 1_000);
      const fixDescription = `turned screw ${seed} ${count}`;
      const fix = await agent.data('argus_report_fix', {
        projectPath,
        runId: run.runId,
        caseName: failure?.caseName,
        fixDescription,
      });
      expect(fix).toMatchObject({ stored: false, queued: true });
      queued.fixes.add(String(fix.fixRecordId));
    }
  } catch (thrown) {
    if (thrown instanceof Error && /closed|EPIPE/iu.test(thrown.message)) return;
    throw thrown;
  }
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
  return (
    existsSync(journal) &&
    readFileSync(journal)
      .subarray(0, 8)
      .some((byte) => byte !== 0)
  );
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
