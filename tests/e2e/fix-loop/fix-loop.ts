/** Runs fix-problem on real projects and reads the files that it writes. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { argus, type Invocation, type RunningCommand, startArgus } from '../argus.ts';
import { createEnvironment, createProject } from '../harness.ts';

/** Returns the arguments of a loop on a command. There is no delay between attempts unless `more` contains a delay. */
export const loopOn = (command: string, ...more: string[]) => [
  ...['--command', command, '--desired', 'it works', '--backoff', '0'],
  ...more,
];

/** Returns the command line of fix-problem in a project. */
export const fixArgs = (root: string, args: readonly string[]) => ['fix-problem', ...args, '--project', root];

/** Runs fix-problem in a project until it ends. */
export function fixProblem(root: string, args: readonly string[], invocation: Invocation = {}) {
  return argus(fixArgs(root, args), { cwd: root, ...invocation });
}

/** Starts fix-problem in a project. */
export function startFixProblem(root: string, args: readonly string[]): RunningCommand {
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

/** Returns the folder of the project's only loop. */
export function findLoopFolder(root: string): string {
  const folder = path.join(root, '.claude/fixes');
  const [name = '', ...others] = existsSync(folder) ? readdirSync(folder).filter((one) => !one.startsWith('.')) : [];
  if (name === '' || others.length > 0) throw new Error(`not one loop in ${folder}: ${[name, ...others].join(', ')}`);
  return path.join(folder, name);
}

export function readState(root: string) {
  return state.parse(JSON.parse(readLoopFile(root, 'state.json')));
}

export function readLoopFile(root: string, name: string): string {
  return readFileSync(path.join(findLoopFolder(root), name), 'utf8');
}

/** Runs a command and returns the data of its answer. */
export async function readCommandData<Data>(
  root: string,
  args: readonly string[],
  schema: z.ZodType<Data>,
): Promise<Data> {
  const { stdout, stderr } = await argus([...args, '--project', root, '--json'], { cwd: root });
  return z.object({ data: schema }).parse(JSON.parse(stdout || stderr)).data;
}

const runSchema = z.object({ runId: z.string(), failures: z.array(z.object({ caseName: z.string() })) });
const diagnosisSchema = z.object({ suggestedFix: z.string(), fixStatus: z.string().nullable() });

/** Runs the tests once, and diagnoses the failures whose names contain one of the words. */
export async function runAndDiagnose(root: string, command: string, ...words: string[]) {
  const { runId, failures } = await readCommandData(root, ['run', command], runSchema);
  const names = words.map((part) => failures.find(({ caseName }) => caseName.includes(part))?.caseName ?? '');
  const diagnoses: z.infer<typeof diagnosisSchema>[] = [];
  for (const name of names) diagnoses.push(await readCommandData(root, ['diagnose', runId, name], diagnosisSchema));
  return diagnoses;
}

export function runGit(cwd: string, ...args: string[]): string {
  const env = { ...createEnvironment(), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const as = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'maintenance.auto=false'];
  return execFileSync('git', [...as, ...args], { cwd, stdio: 'pipe', env, encoding: 'utf8' }).trimEnd();
}

/** Creates a repository in which the files are committed. */
export function createRepository(files: Record<string, string>): string {
  const root = createProject(files);
  runGit(root, 'init', '-q', '-b', 'main');
  runGit(root, 'add', '-A');
  runGit(root, 'commit', '-qm', 'first');
  return root;
}

/**
 * A script that fails until `answer.txt` contains `good`. Its error contains a time, a process id and a port that
 * change.
 */
export const CHECK_SCRIPT = `
const { readFileSync } = require('node:fs');
const answer = readFileSync('answer.txt', 'utf8').trim();
if (answer === 'good') { console.log('all is well'); process.exit(0); }
console.error(new Date().toISOString() + ' pid ' + process.pid + ' worker ' + Math.random().toString(16).slice(2));
throw new TypeError('cannot use answer from port ' + (20000 + Math.floor(Math.random() * 9000)));
`;
export const FAILING_FILES = { 'check.js': CHECK_SCRIPT, 'answer.txt': 'bad\n' };
export const CHECK_LOOP = loopOn('node check.js');

export function writeProjectFile(root: string, name: string, text: string): void {
  writeFileSync(path.join(root, name), text);
}

/** Changes the file that `check.js` reads. */
export const writeAnswer = (root: string, text: string) => writeProjectFile(root, 'answer.txt', `${text}\n`);

/** Polls until a condition holds that has no event. The test's time limit applies. */
export async function waitUntil(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Returns a shell command that waits for a file, so that a test decides when a command ends. */
export const waitForFileCommand = (file: string) => `until test -e ${file}; do sleep 0.05; done`;

/** Returns the command lines of running processes that begin with the text. */
export function findProcesses(text: string): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/u.test(name) && name !== String(process.pid));
  return pids.map(readCommandLine).filter((line) => line.startsWith(text));
}

function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
