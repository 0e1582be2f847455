/** Helpers of the fault tests: a project with failures, processes that write its database, and the `sqlite3` shell. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Engine, type OpenOptions, openEngine } from 'argus-engine';
import { onTestFinished } from 'vitest';
import { testWith } from '../programs.ts';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
const ENGINE = createRequire(import.meta.url).resolve('argus-engine');

/** URL of the installed argus-engine, which has the lock addon. */
export const installed = pathToFileURL(ENGINE).href;

/** A test that reads databases with the `sqlite3` shell. */
export const test = testWith('sqlite3');

/** Makes a folder that is removed when the test is over. */
export function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'argus-faults-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Copies argus-engine to a folder where it cannot find the lock addon; returns its URL. */
export function withoutAddon(): string {
  const copy = folder();
  cpSync(join(ENGINE, '..'), copy, { recursive: true });
  return pathToFileURL(join(copy, 'node.mjs')).href;
}

export interface Failure {
  readonly runId: string;
  readonly caseName: string;
}

export interface Project {
  readonly root: string;
  readonly database: string;
  readonly failure: Failure;
  /** The first entry is `failure`. Each failure belongs to a different run. */
  readonly failures: readonly Failure[];
}

/** Creates a project whose database holds `count` different failures that are not diagnosed yet. */
export async function project(count = 1, root = folder(), from?: string): Promise<Project> {
  const database = join(root, '.argus', 'argus.db');
  const engine = await open(database, {}, from);
  const failure = await fail(engine, 'job-a');
  const failures = [failure];
  for (const letter of 'bcdefgh'.slice(0, count - 1)) failures.push(await fail(engine, `job-${letter}`));
  await engine.close();
  return { root, database, failure, failures };
}

/** Opens an engine that is closed when the test is over; `from` is the URL of another argus-engine. */
export async function open(databasePath: string, options: Partial<OpenOptions> = {}, from?: string): Promise<Engine> {
  const module: { openEngine: typeof openEngine } = from === undefined ? { openEngine } : await import(from);
  const engine = await module.openEngine({ databasePath, projectRoot: '/', ...options });
  onTestFinished(() => engine.close());
  return engine;
}

/** Records a run of a command that failed with an error that names the command. */
export async function fail(engine: Engine, command: string): Promise<Failure> {
  const outputTail = `SomethingBroke: ${command} could not be done`;
  const run = { command, exitCode: 1, timedOut: false, reports: [], containers: [], notes: [], outputTail };
  const { runId, failures } = await engine.recordRun(run);
  const [failure] = failures;
  if (failure === undefined) throw new Error('the run has no failure');
  return { runId, caseName: failure.caseName };
}

/** Returns the code of the error that a call rejects with, or `stored` when the call succeeds. */
export function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'stored',
    (error) => error.code,
  );
}

export interface Worker {
  readonly process: ChildProcess;
  /** The failure's count in the answer to each diagnosis. */
  readonly counts: readonly number[];
  readonly lines: readonly string[];
  readonly log: readonly string[];
  readonly done: Promise<number | null>;
}

/** Starts a process that diagnoses the failure `times` times. */
export function worker(
  database: string,
  { runId, caseName }: Failure,
  times: number,
  { engine = installed, uid }: { engine?: string; uid?: number } = {},
): Worker {
  const user = uid === undefined ? [] : [String(uid)];
  const args = [WORKER, engine, database, runId, caseName, String(times), ...user];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [lines, log, counts]: [string[], string[], number[]] = [[], [], []];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    if (/^\d+$/.test(line)) counts.push(Number(line));
  });
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  const done = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { process: child, counts, lines, log, done };
}

/** Runs SQL in the `sqlite3` shell and returns its output. */
export function shell(database: string, sql: string): string {
  return execFileSync('sqlite3', ['-bail', '-cmd', '.timeout 20000', database, sql], { encoding: 'utf8' }).trim();
}

/** Returns the sum of all failure counts in the database file. */
export function counted(database: string): number {
  return Number(shell(database, "SELECT coalesce(sum(occurrences), 0) FROM patterns WHERE id LIKE 'pat-%'"));
}
