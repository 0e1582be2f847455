/** Helpers of the tests of waiting: a memory, and processes that store items in it. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { createFailedProject, installedEngineUrl, openTestEngine, runSql, sumOccurrences } from '../../faults/setup.ts';

const WORKER_PATH = fileURLToPath(new URL('waiting-worker.mjs', import.meta.url));

export interface TestMemory {
  readonly database: string;
  readonly failure: { readonly runId: string; readonly caseName: string };
  readonly solution: string;
}

/** Creates a database with a failure and a solution. */
export async function createMemory(): Promise<TestMemory> {
  const { database, failures } = await createFailedProject();
  const [failure] = failures;
  const engine = await openTestEngine(database);
  const env = { os: 'linux' };
  const added = await engine.addIncident({ title: 'gyroscope drift', steps: 'Calibrate it.', env, worked: true });
  if (failure === undefined || !('solution_id' in added)) throw new Error('the database was empty');
  return { database, failure, solution: added.solution_id };
}

export interface OperationAnswer {
  readonly operation: string;
  readonly id?: string;
  readonly refused?: string;
  readonly ms: number;
}

export interface StoringProcess {
  readonly process: ChildProcess;
  readonly answers: OperationAnswer[];
  readonly ready: Promise<void>;
  readonly done: Promise<number | null>;
}

/** Starts a process that stores `operations` items after `beginAll`. With 0, it stores items until it is killed. */
export function startStoring(
  { database, failure, solution }: TestMemory,
  operations: number,
  seed: string,
): StoringProcess {
  const args = [installedEngineUrl, database, failure.runId, failure.caseName, solution, String(operations), seed];
  const child = spawn(process.execPath, [WORKER_PATH, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const answers: OperationAnswer[] = [];
  const done = new Promise<number | null>((resolve) => child.on('close', resolve));
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'ready') resolve();
      // A killed process may leave an incomplete line.
      else if (line.endsWith('}')) answers.push(JSON.parse(line));
    });
  });
  return { process: child, answers, ready, done };
}

/** Starts the work of all processes at the same time, after all are ready. */
export async function beginAll(all: readonly StoringProcess[]): Promise<void> {
  await Promise.all(all.map((one) => one.ready));
  for (const one of all) one.process.stdin?.end('begin\n');
}

/** Starts a `sqlite3` shell that holds the lock. */
export async function startLockingShell(database: string): Promise<ChildProcess> {
  const holder = spawn('sqlite3', [database], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  holder.stdin.write("BEGIN IMMEDIATE;\nSELECT 'held';\n");
  await once(holder.stdout, 'data');
  return holder;
}

/** Stores runs like a version without a queue, in which SQLite retries until it gets the lock. */
async function runOlderWriter(database: string, runs: number, seed: string): Promise<number | null> {
  const args = ['-bail', '-cmd', '.timeout 8000', database];
  const writer = spawn('sqlite3', args, { stdio: ['pipe', 'ignore', 'inherit'] });
  const columns = 'id, started_at, duration_ms, status, passed, failed, skipped, flaky, timed_out';
  for (let count = 0; count < runs; count += 1) {
    const run = `INSERT INTO runs (${columns}) VALUES ('${seed}-${count}', ${count}, 1, 'passed', 1, 0, 0, 0, 0);`;
    writer.stdin.write(`BEGIN IMMEDIATE;\n${run}\nCOMMIT;\n`);
  }
  writer.stdin.end();
  return (await once(writer, 'close'))[0];
}

/** Returns all answers, and the reasons of refused calls. */
export function collectAnswers(all: readonly StoringProcess[]): { answers: OperationAnswer[]; refused: string[] } {
  const answers = all.flatMap((one) => one.answers);
  return { answers, refused: answers.flatMap(({ refused }) => refused ?? []) };
}

/** Expects that the file contains every item whose id was returned. */
export function expectAllKept(database: string, all: readonly StoringProcess[]): void {
  const sql = ['runs', 'incidents', 'outcomes'].map((table) => `SELECT id FROM ${table}`).join(' UNION ALL ');
  const kept = new Set(runSql(database, sql).split('\n'));
  const { answers } = collectAnswers(all);
  const made = answers.filter(({ operation }) => operation !== 'diagnose').flatMap(({ id }) => id ?? []);
  expect(made.filter((id) => !kept.has(id))).toEqual([]);
}

const OPERATION_KINDS = 5;

/** Expects that no operation of many concurrent processes is refused or lost. */
export async function expectStormStored(processes: number, operations: number): Promise<void> {
  const it = await createMemory();
  const all = Array.from({ length: processes }, (_, index) => startStoring(it, operations, `w${index}`));
  await beginAll(all);
  expect(await Promise.all(all.map((one) => one.done))).toEqual(all.map(() => 0));
  const { answers, refused } = collectAnswers(all);
  expect(refused).toEqual([]);
  expect(answers).toHaveLength(processes * operations);
  expectAllKept(it.database, all);
  const each = (processes * operations) / OPERATION_KINDS;
  expect(sumOccurrences(it.database), 'each diagnosis of the one failure').toBe(each);
  expect(countRows(it.database, 'SELECT count(*) FROM runs')).toBe(each + 1);
  expect(countRows(it.database, 'SELECT count(*) FROM incidents')).toBe(each + 1);
  // Outcomes come from reported fixes, from the solution, and from new incidents. The first outcome came with the
  // memory.
  expect(countRows(it.database, 'SELECT count(*) FROM outcomes')).toBe(3 * each + 1);
  expect(runSql(it.database, 'PRAGMA integrity_check')).toBe('ok');
}

/** Expects that processes and concurrent writers of a version without a queue all get to write. */
export async function expectOlderWritersTakeTurns(processes: number, older: number, operations: number): Promise<void> {
  const it = await createMemory();
  const all = Array.from({ length: processes }, (_, index) => startStoring(it, operations, `n${index}`));
  await beginAll(all);
  const writers = Array.from({ length: older }, (_, index) => runOlderWriter(it.database, operations, `old${index}`));
  expect(await Promise.all([...writers, ...all.map((one) => one.done)])).toEqual(Array(older + processes).fill(0));
  expect(collectAnswers(all).refused).toEqual([]);
  expectAllKept(it.database, all);
  expect(countRows(it.database, "SELECT count(*) FROM runs WHERE id LIKE 'old%'")).toBe(older * operations);
  expect(runSql(it.database, 'PRAGMA integrity_check')).toBe('ok');
}

function countRows(database: string, sql: string): number {
  return Number(runSql(database, sql));
}
