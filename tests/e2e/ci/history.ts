/** A repository whose memory has runs of a flaky test, a broken test and healthy tests. */

import { execFileSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { argus } from '../argus.ts';
import { git, repository } from '../fix-loop/fix-loop.ts';
import { environment, project } from '../harness.ts';

export interface Failures {
  [caseName: string]: string;
}

const HEALTHY = ['a.test.js > adds', 'b.test.js > lists', 'c.test.js > pays'];
export const FLAKY = 'a.test.js > waits';
export const BROKEN = 'b.test.js > rounds';
export const REGRESSED = 'c.test.js > pays';
export const FRESH = 'd.test.js > is new';

/** Error of each failing test. All differ, so that each failure has its own cause. */
export const ERRORS: Failures = {
  [FLAKY]: 'Error: timed out after 300 ms waiting for the queue',
  [BROKEN]: 'RangeError: toFixed() digits argument must be between 0 and 100',
  [REGRESSED]: "TypeError: Cannot read properties of undefined (reading 'total')",
  [FRESH]: 'Error: no such table: carts',
};

const STARTED_AT = Date.parse('2026-02-03T04:05:06Z');
const COMMITS = 10;

let first: Promise<string> | undefined;

/** Makes a repository with earlier runs and the given files. The test records the run of the newest commit. */
export async function withHistory(files: Record<string, string> = {}): Promise<string> {
  first ??= recorded();
  const root = project();
  cpSync(await first, root, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path.join(root, name), text);
    git(root, 'add', name);
  }
  if (Object.keys(files).length > 0) git(root, 'commit', '-qm', 'files');
  return root;
}

async function recorded(): Promise<string> {
  const root = repository({ 'package.json': '{}\n' });
  const runs = changes(root, COMMITS).map(({ commit, parents, tree }, at) => {
    const environment = { os: 'linux', runner: 'vitest' };
    const about = { commit, parents, branch: 'main', dirty: false, environment };
    // Each commit has two runs, so that the same tree has both outcomes.
    return [0, 1].map((again) => ({
      ...about,
      id: `before-${at}-${again}`,
      startedAt: STARTED_AT + (2 * at + again) * 60_000,
      tree,
      cases: casesOf(failing({ [FLAKY]: (2 * at + again) % 5 === 2, [BROKEN]: at >= 4 }), [...HEALTHY, FLAKY, BROKEN]),
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

/** Makes a commit with a unique change. */
export function change(root: string, text: string): void {
  writeFileSync(path.join(root, 'c.js'), `exports.total = ${JSON.stringify(text)};\n`);
  git(root, 'add', 'c.js');
  git(root, 'commit', '-qm', `change ${text}`);
}

/** Makes many commits on main in a single call, each with a unique change. Returns the oldest first. */
export function changes(root: string, count: number): { commit: string; parents: string[]; tree: string }[] {
  const stream = Array.from({ length: count }, (_, at) => {
    const text = `exports.total = ${JSON.stringify(String(at))};\n`;
    const from = at === 0 ? 'from refs/heads/main^0\n' : '';
    return `commit refs/heads/main\ncommitter t <t@example.com> ${1_770_000_000 + at} +0000\ndata 1\nx\n${from}M 100644 inline c.js\ndata ${text.length}\n${text}`;
  });
  execFileSync('git', ['fast-import', '--quiet'], { cwd: root, input: stream.join(''), env: environment() });
  git(root, 'reset', '-q', '--hard');
  const listed = git(root, 'log', '--reverse', `--max-count=${count}`, '--format=%H %T %P').split('\n');
  return listed.map((line) => {
    const [commit = '', tree = '', ...parents] = line.split(' ');
    return { commit, parents, tree };
  });
}

function failing(is: Record<string, boolean>): Failures {
  return Object.fromEntries(Object.keys(is).flatMap((name) => (is[name] ? [[name, ERRORS[name] ?? '']] : [])));
}

function casesOf(failures: Failures, names: readonly string[]) {
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

/** Makes a report for the current commit. Names have the form `file > test`. */
export function reportOf(failures: Failures, more: readonly string[] = []): string {
  const names = [...new Set([...HEALTHY, FLAKY, BROKEN, ...more, ...Object.keys(failures)])];
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

export function pick(...names: string[]): Failures {
  return Object.fromEntries(names.map((name) => [name, ERRORS[name] ?? 'Error: no']));
}

/** Records a run of the current commit. */
export async function record(root: string, failures: Failures): Promise<void> {
  writeFileSync(path.join(root, '..', `${path.basename(root)}.json`), reportOf(failures));
  const { stderr } = await argus(['import', path.join(root, '..', `${path.basename(root)}.json`)], { cwd: root });
  expect(stderr).toBe('');
}
