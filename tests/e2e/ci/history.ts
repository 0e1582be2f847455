/** A repository whose memory contains runs of a flaky test, a broken test and healthy tests. */

import { execFileSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { argus } from '../argus.ts';
import { createRepository, runGit } from '../fix-loop/fix-loop.ts';
import { createEnvironment, createProject } from '../harness.ts';

export interface ErrorsByCase {
  [caseName: string]: string;
}

const HEALTHY_CASES = ['a.test.js > adds', 'b.test.js > lists', 'c.test.js > pays'];
export const FLAKY_CASE = 'a.test.js > waits';
export const BROKEN_CASE = 'b.test.js > rounds';
export const REGRESSED_CASE = 'c.test.js > pays';
export const NEW_CASE_NAME = 'd.test.js > is new';

/** The error of each failing test. All errors differ, so that each failure has its own cause. */
export const ERRORS_BY_CASE: ErrorsByCase = {
  [FLAKY_CASE]: 'Error: timed out after 300 ms waiting for the queue',
  [BROKEN_CASE]: 'RangeError: toFixed() digits argument must be between 0 and 100',
  [REGRESSED_CASE]: "TypeError: Cannot read properties of undefined (reading 'total')",
  [NEW_CASE_NAME]: 'Error: no such table: carts',
};

const STARTED_AT = Date.parse('2026-02-03T04:05:06Z');
const COMMIT_COUNT = 10;

let recordedRepository: Promise<string> | undefined;

/** Creates a repository with earlier runs and the given files. The test records the run of the newest commit. */
export async function createRepositoryWithHistory(files: Record<string, string> = {}): Promise<string> {
  recordedRepository ??= recordHistory();
  const root = createProject();
  cpSync(await recordedRepository, root, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path.join(root, name), text);
    runGit(root, 'add', name);
  }
  if (Object.keys(files).length > 0) runGit(root, 'commit', '-qm', 'files');
  return root;
}

async function recordHistory(): Promise<string> {
  const root = createRepository({ 'package.json': '{}\n' });
  const runs = commitUniqueChanges(root, COMMIT_COUNT).map(({ commit, parents, tree }, at) => {
    const environment = { os: 'linux', runner: 'vitest' };
    const about = { commit, parents, branch: 'main', dirty: false, environment };
    // Each commit has two runs, so that the same tree has both outcomes.
    return [0, 1].map((again) => ({
      ...about,
      id: `before-${at}-${again}`,
      startedAt: STARTED_AT + (2 * at + again) * 60_000,
      tree,
      cases: createCases(selectErrors({ [FLAKY_CASE]: (2 * at + again) % 5 === 2, [BROKEN_CASE]: at >= 4 }), [
        ...HEALTHY_CASES,
        FLAKY_CASE,
        BROKEN_CASE,
      ]),
    }));
  });
  const history = path.join(root, '..', `${path.basename(root)}-history.jsonl`);
  writeFileSync(
    history,
    `${runs
      .flat()
      .map((run) => JSON.stringify(run))
      .join('\n')}\n`,
  );
  const { status, stderr } = await argus(['import', '--runs', history], { cwd: root });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return root;
}

/** Creates a commit with a unique change. */
export function commitUniqueChange(root: string, text: string): void {
  writeFileSync(path.join(root, 'c.js'), `exports.total = ${JSON.stringify(text)};\n`);
  runGit(root, 'add', 'c.js');
  runGit(root, 'commit', '-qm', `change ${text}`);
}

/** Creates many commits on main in a single call, each with a unique change. Returns the oldest first. */
export function commitUniqueChanges(
  root: string,
  count: number,
): { commit: string; parents: string[]; tree: string }[] {
  const stream = Array.from({ length: count }, (_, at) => {
    const text = `exports.total = ${JSON.stringify(String(at))};\n`;
    const from = at === 0 ? 'from refs/heads/main^0\n' : '';
    return `commit refs/heads/main\ncommitter t <t@example.com> ${1_770_000_000 + at} +0000\ndata 1\nx\n${from}M 100644 inline c.js\ndata ${text.length}\n${text}`;
  });
  execFileSync('git', ['fast-import', '--quiet'], { cwd: root, input: stream.join(''), env: createEnvironment() });
  runGit(root, 'reset', '-q', '--hard');
  const listed = runGit(root, 'log', '--reverse', `--max-count=${count}`, '--format=%H %T %P').split('\n');
  return listed.map((line) => {
    const [commit = '', tree = '', ...parents] = line.split(' ');
    return { commit, parents, tree };
  });
}

function selectErrors(is: Record<string, boolean>): ErrorsByCase {
  return Object.fromEntries(Object.keys(is).flatMap((name) => (is[name] ? [[name, ERRORS_BY_CASE[name] ?? '']] : [])));
}

function createCases(failures: ErrorsByCase, names: readonly string[]) {
  return names.map((name) => {
    const error = failures[name];
    return {
      name,
      durationMs: 3,
      attempts: 1,
      ...(error === undefined ? { status: 'passed' } : { status: 'failed', error }),
    };
  });
}

/** Creates a report for the current commit. Names have the form `file > test`. */
export function createReport(failures: ErrorsByCase, more: readonly string[] = []): string {
  const names = [...new Set([...HEALTHY_CASES, FLAKY_CASE, BROKEN_CASE, ...more, ...Object.keys(failures)])];
  const tests = names.map((name) => {
    const error = failures[name];
    const [file = '', title = ''] = name.split(' > ');
    return error === undefined
      ? { title, fullName: title, status: 'passed', duration: 3, failureMessages: [], file }
      : { title, fullName: title, status: 'failed', duration: 3, failureMessages: [error], file };
  });
  const files = [...new Set(tests.map(({ file }) => file))];
  return JSON.stringify({
    numTotalTests: tests.length,
    numFailedTests: Object.keys(failures).length,
    success: Object.keys(failures).length === 0,
    startTime: Date.now(),
    testResults: files.map((name) => ({
      name,
      status: 'passed',
      assertionResults: tests
        .filter(({ file }) => file === name)
        .map(({ file: _, ...one }) => ({ ancestorTitles: [], ...one })),
    })),
  });
}

export function errorsOf(...names: string[]): ErrorsByCase {
  return Object.fromEntries(names.map((name) => [name, ERRORS_BY_CASE[name] ?? 'Error: no']));
}

/** Records a run of the current commit. */
export async function recordRun(root: string, failures: ErrorsByCase): Promise<void> {
  writeFileSync(path.join(root, '..', `${path.basename(root)}.json`), createReport(failures));
  const { stderr } = await argus(['import', path.join(root, '..', `${path.basename(root)}.json`)], { cwd: root });
  expect(stderr).toBe('');
}
