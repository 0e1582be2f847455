/** What every fault test starts from: a project with failures in it, processes on it, SQLite's own shell. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Engine, openEngine } from 'argus-engine';
import { onTestFinished } from 'vitest';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
const ENGINE = createRequire(import.meta.url).resolve('argus-engine');

/** argus-engine as it is installed here, with the lock addon. */
export const installed = pathToFileURL(ENGINE).href;

/** A folder that goes when the test is over. */
export function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'argus-faults-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** argus-engine copied to where no lock addon can be found. */
export function withoutAddon(): string {
  const copy = folder();
  cpSync(join(ENGINE, '..'), copy, { recursive: true });
  return pathToFileURL(join(copy, 'node.mjs')).href;
}

export interface Project {
  readonly root: string;
  readonly database: string;
  /** One run with one failed case for each name. */
  readonly failures: readonly { readonly runId: string; readonly caseName: string }[];
}

/** A project whose database holds so many different failures, none of them diagnosed yet. */
export async function project(failures = 1, root = folder()): Promise<Project> {
  const database = join(root, '.argus', 'argus.db');
  const engine = await open(database);
  const recorded = [];
  for (let index = 0; index < failures; index += 1) recorded.push(await fail(engine, `job-${'abcdefgh'[index]}`));
  await engine.close();
  return { root, database, failures: recorded };
}

/** An engine that is closed when the test is over. */
export async function open(databasePath: string, readOnly = false): Promise<Engine> {
  const engine = await openEngine({ databasePath, projectRoot: '/', readOnly });
  onTestFinished(() => engine.close());
  return engine;
}

/** Records a run of a command that failed with words of its own. */
export async function fail(engine: Engine, command: string): Promise<{ runId: string; caseName: string }> {
  const outputTail = `SomethingBroke: ${command} could not be done`;
  const run = { command, exitCode: 1, timedOut: false, reports: [], containers: [], notes: [], outputTail };
  const { runId, failures } = await engine.recordRun(run);
  const [failure] = failures;
  if (failure === undefined) throw new Error('the run should have failed');
  return { runId, caseName: failure.caseName };
}

export interface Worker {
  readonly process: ChildProcess;
  /** The last number it said. */
  acknowledged: number;
  readonly lines: string[];
  readonly log: string[];
  readonly ready: Promise<void>;
  /** Its first number was said. */
  readonly counting: Promise<void>;
  readonly done: Promise<number | null>;
}

/** A process that diagnoses the failure so often; 0: until it is killed. */
export function worker(
  database: string,
  failure: Project['failures'][number],
  times: number,
  options: { engine?: string; uid?: number } = {},
): Worker {
  const { runId, caseName } = failure;
  const user = options.uid === undefined ? [] : [String(options.uid)];
  const args = [WORKER, options.engine ?? installed, database, runId, caseName, String(times), ...user];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let isReady = () => {};
  let isCounting = () => {};
  const it: Worker = {
    process: child,
    acknowledged: 0,
    lines: [],
    log: [],
    ready: new Promise((resolve) => {
      isReady = resolve;
    }),
    counting: new Promise((resolve) => {
      isCounting = resolve;
    }),
    done: new Promise((resolve) => child.on('close', resolve)),
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    it.lines.push(line);
    isReady();
    if (!/^\d+$/.test(line)) return;
    it.acknowledged = Number(line);
    isCounting();
  });
  createInterface({ input: child.stderr }).on('line', (line) => it.log.push(line));
  child.on('close', () => {
    isReady();
    isCounting();
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return it;
}

/** What SQLite's own shell answers. */
export function shell(database: string, sql: string): string {
  return execFileSync('sqlite3', ['-bail', '-cmd', '.timeout 20000', database, sql], { encoding: 'utf8' }).trim();
}

/** How often a failure was counted, as the file says. */
export function counted(database: string): number {
  return Number(shell(database, "SELECT coalesce(sum(occurrences), 0) FROM patterns WHERE id LIKE 'pat-%'"));
}
