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

const WORKER_PATH = fileURLToPath(new URL('worker.mjs', import.meta.url));
const ENGINE_PATH = createRequire(import.meta.url).resolve('argus-engine');

/** URL of the installed argus-engine, which has the lock addon. */
export const installedEngineUrl = pathToFileURL(ENGINE_PATH).href;

/** A test that reads databases with the `sqlite3` shell. */
export const test = testWith('sqlite3');

/** Creates a folder that is removed when the test ends. */
export function createFolder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'argus-faults-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Copies argus-engine to a folder where it cannot find the lock addon. Returns the URL of the copy. */
export function copyEngineWithoutAddon(): string {
  const copy = createFolder();
  cpSync(join(ENGINE_PATH, '..'), copy, { recursive: true });
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
  /** The first entry equals `failure`. Each failure belongs to a different run. */
  readonly failures: readonly Failure[];
}

/** Creates a project whose database contains `count` different failures that are not diagnosed yet. */
export async function createFailedProject(count = 1, root = createFolder(), from?: string): Promise<Project> {
  const database = join(root, '.argus', 'argus.db');
  const engine = await openTestEngine(database, {}, from);
  const failure = await recordFailure(engine, 'job-a');
  const failures = [failure];
  for (const letter of 'bcdefgh'.slice(0, count - 1)) failures.push(await recordFailure(engine, `job-${letter}`));
  await engine.close();
  return { root, database, failure, failures };
}

/** Opens an engine that is closed when the test ends. `from` is the URL of another argus-engine. */
export async function openTestEngine(
  databasePath: string,
  options: Partial<OpenOptions> = {},
  from?: string,
): Promise<Engine> {
  const module: { openEngine: typeof openEngine } = from === undefined ? { openEngine } : await import(from);
  const engine = await module.openEngine({ databasePath, projectRoot: '/', ...options });
  onTestFinished(() => engine.close());
  return engine;
}

/** Records a run of a command that failed with an error that contains the command. */
export async function recordFailure(engine: Engine, command: string): Promise<Failure> {
  const outputTail = `SomethingBroke: ${command} could not be done`;
  const run = { command, exitCode: 1, timedOut: false, reports: [], containers: [], notes: [], outputTail };
  const { runId, failures } = await engine.recordRun(run);
  const [failure] = failures;
  if (failure === undefined) throw new Error('the run has no failure');
  return { runId, caseName: failure.caseName };
}

/** Returns the code of the error that a call rejects with, or `stored` if the call succeeds. */
export function resultCode(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'stored',
    (error) => error.code,
  );
}

export interface DiagnosingWorker {
  readonly process: ChildProcess;
  /** The number of occurrences in the answer to each diagnosis. */
  readonly counts: readonly number[];
  readonly lines: readonly string[];
  readonly log: readonly string[];
  readonly done: Promise<number | null>;
}

/** Starts a process that diagnoses the failure `times` times. */
export function startWorker(
  database: string,
  { runId, caseName }: Failure,
  times: number,
  { engine = installedEngineUrl, uid }: { engine?: string; uid?: number } = {},
): DiagnosingWorker {
  const user = uid === undefined ? [] : [String(uid)];
  const args = [WORKER_PATH, engine, database, runId, caseName, String(times), ...user];
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

/** Runs SQL in the `sqlite3` shell and returns the output. */
export function runSql(database: string, sql: string): string {
  return execFileSync('sqlite3', ['-bail', '-cmd', '.timeout 20000', database, sql], { encoding: 'utf8' }).trim();
}

/** Returns the sum of all occurrences in the database file. */
export function sumOccurrences(database: string): number {
  return Number(runSql(database, "SELECT coalesce(sum(occurrences), 0) FROM patterns WHERE id LIKE 'pat-%'"));
}
