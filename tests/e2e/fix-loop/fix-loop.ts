/** Runs fix-problem on real projects and reads its files. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { argus, type Invocation, type Running, startArgus } from '../argus.ts';
import { environment, project } from '../harness.ts';

/** Arguments of a loop on a command, without a delay between attempts unless `more` names one. */
export const loopOn = (command: string, ...more: string[]) => [
  ...['--command', command, '--desired', 'it works', '--backoff', '0'],
  ...more,
];

/** The command line of fix-problem in a project. */
export const fixArgs = (root: string, args: readonly string[]) => ['fix-problem', ...args, '--project', root];

/** Runs fix-problem to its end in a project. */
export function fixProblem(root: string, args: readonly string[], invocation: Invocation = {}) {
  return argus(fixArgs(root, args), { cwd: root, ...invocation });
}

/** Starts fix-problem in a project. */
export function startFixProblem(root: string, args: readonly string[]): Running {
  return startArgus(fixArgs(root, args), { cwd: root });
}

const attempt = z.looseObject({
  number: z.number(),
  timestamp: z.string(),
  exit_code: z.number(),
  error_hash: z.string().nullable(),
  fix_applied: z.string().nullable(),
  snapshot: z.string().nullable(),
});
const state = z.looseObject({
  status: z.string(),
  command_hash: z.string(),
  circuit_breaker: z.object({ threshold: z.number(), error_hashes: z.array(z.string()), state: z.string() }),
  attempts: z.array(attempt),
});

/** The folder of the project's only loop. */
export function loopFolder(root: string): string {
  const folder = path.join(root, '.claude/fixes');
  const [name = '', ...others] = existsSync(folder) ? readdirSync(folder).filter((one) => !one.startsWith('.')) : [];
  if (name === '' || others.length > 0) throw new Error(`not one loop in ${folder}: ${[name, ...others].join(', ')}`);
  return path.join(folder, name);
}

export function stateOf(root: string) {
  return state.parse(JSON.parse(fileOf(root, 'state.json')));
}

export function fileOf(root: string, name: string): string {
  return readFileSync(path.join(loopFolder(root), name), 'utf8');
}

/** Runs a command and returns the data of its answer. */
export async function dataOf<Data>(root: string, args: readonly string[], schema: z.ZodType<Data>): Promise<Data> {
  const { stdout, stderr } = await argus([...args, '--project', root, '--json'], { cwd: root });
  return z.object({ data: schema }).parse(JSON.parse(stdout || stderr)).data;
}

const recorded = z.object({ runId: z.string(), failures: z.array(z.object({ caseName: z.string() })) });
const diagnosis = z.object({ suggestedFix: z.string(), standing: z.string().nullable() });

/** Runs the tests once, and diagnoses the failures whose names contain the words. */
export async function diagnosed(root: string, command: string, ...words: string[]) {
  const { runId, failures } = await dataOf(root, ['run', command], recorded);
  const names = words.map((part) => failures.find(({ caseName }) => caseName.includes(part))?.caseName ?? '');
  const diagnoses: z.infer<typeof diagnosis>[] = [];
  for (const name of names) diagnoses.push(await dataOf(root, ['diagnose', runId, name], diagnosis));
  return diagnoses;
}

export function git(cwd: string, ...args: string[]): string {
  const env = { ...environment(), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const as = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'maintenance.auto=false'];
  return execFileSync('git', [...as, ...args], { cwd, stdio: 'pipe', env, encoding: 'utf8' }).trimEnd();
}

/** A project whose files are committed. */
export function repository(files: Record<string, string>): string {
  const root = project(files);
  git(root, 'init', '-q', '-b', 'main');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'first');
  return root;
}

/** A script that fails until `answer.txt` holds `good`. Its error has a time, a process id and a port that change. */
export const CHECK = `
const { readFileSync } = require('node:fs');
const answer = readFileSync('answer.txt', 'utf8').trim();
if (answer === 'good') { console.log('all is well'); process.exit(0); }
console.error(new Date().toISOString() + ' pid ' + process.pid + ' worker ' + Math.random().toString(16).slice(2));
throw new TypeError('cannot use answer from port ' + (20000 + Math.floor(Math.random() * 9000)));
`;
export const FAILING = { 'check.js': CHECK, 'answer.txt': 'bad\n' };
export const RUN = loopOn('node check.js');

export function write(root: string, name: string, text: string): void {
  writeFileSync(path.join(root, name), text);
}

/** Changes the file that `check.js` reads. */
export const answer = (root: string, text: string) => write(root, 'answer.txt', `${text}\n`);

/** Polls a condition that has no event. The test's time limit applies. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Shell words that wait for a file, so that a test decides when a command ends. */
export const untilFile = (file: string) => `until test -e ${file}; do sleep 0.05; done`;

/** Command lines of running processes that begin with the text. */
export function processesWith(text: string): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/u.test(name) && name !== String(process.pid));
  return pids.map(commandLine).filter((line) => line.startsWith(text));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
