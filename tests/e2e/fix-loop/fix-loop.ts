/** Drives fix-problem on real projects and reads what it leaves. */

import { execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { argus, type Invocation } from '../argus.ts';
import { BUNDLE, environment, project } from '../harness.ts';

export function fixProblem(root: string, args: string[], invocation: Invocation = {}) {
  return argus(['fix-problem', ...args, '--project', root], { cwd: root, ...invocation });
}

/** The same without waiting for its end. */
export function startFixProblem(root: string, args: string[], shown: 'pipe' | 'ignore' = 'pipe') {
  const options: SpawnOptions = { cwd: root, env: environment(), stdio: ['ignore', 'pipe', shown] };
  const child = spawn(process.execPath, [BUNDLE, 'fix-problem', ...args, '--project', root], options);
  const printed = { stdout: '', stderr: '' };
  child.stdout?.on('data', (bytes) => (printed.stdout += String(bytes)));
  child.stderr?.on('data', (bytes) => (printed.stderr += String(bytes)));
  return { child, output: () => printed };
}

const attempt = z.looseObject({
  number: z.number(),
  timestamp: z.string(),
  exit_code: z.number(),
  error_hash: z.string().nullable(),
  fix_applied: z.string().nullable(),
  duration_seconds: z.number(),
  snapshot: z.string().nullable(),
});
const state = z.looseObject({
  version: z.number(),
  status: z.string(),
  command_hash: z.string(),
  current_attempt: z.number(),
  max_attempts: z.number(),
  backoff_seconds: z.number(),
  circuit_breaker: z.object({ threshold: z.number(), error_hashes: z.array(z.string()), state: z.string() }),
  attempts: z.array(attempt),
});
export type State = z.infer<typeof state>;

/** The folder of the project's only loop. */
export function loopFolder(root: string): string {
  const folder = path.join(root, '.claude/fixes');
  const [name = '', ...others] = existsSync(folder) ? readdirSync(folder).filter((one) => !one.startsWith('.')) : [];
  if (name === '' || others.length > 0) throw new Error(`not one loop in ${folder}: ${[name, ...others].join(', ')}`);
  return path.join(folder, name);
}

export function stateOf(root: string): State {
  return state.parse(JSON.parse(fileOf(root, 'state.json')));
}

export function fileOf(root: string, name: string): string {
  return readFileSync(path.join(loopFolder(root), name), 'utf8');
}

export function git(cwd: string, ...args: string[]): string {
  const env = { ...environment(), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const as = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
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

/** A script that fails until `good` stands in `answer.txt`, with what changes from run to run in its error. */
export const CHECK = `
const { readFileSync } = require('node:fs');
const answer = readFileSync('answer.txt', 'utf8').trim();
if (answer === 'good') { console.log('all is well'); process.exit(0); }
console.error(new Date().toISOString() + ' pid ' + process.pid + ' worker ' + Math.random().toString(16).slice(2));
throw new TypeError('cannot use answer from port ' + (20000 + Math.floor(Math.random() * 9000)));
`;

/** Until something is true; a test has its own limit. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** What a command of a test says to go on until a file is there: however busy the machine, the test says when. */
export const untilFile = (file: string) => `until test -e ${file}; do sleep 0.1; done`;

/** Command lines of processes that begin with the text. */
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
