/**
 * argus_tests over MCP and at the terminal: the runs of a test, and the changes of all tests since a commit. The runs
 * are imported reports, commit by commit. The rules: `crates/engine/src/tests/evidence/over_runs.rs`.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { git, repository } from '../fix-loop/fix-loop.ts';
import { type Data, project } from '../harness.ts';
import { agent, opened } from '../one-agent.ts';
import { junit } from '../runs/reports.ts';

const ERROR = 'TypeError: cannot divide by cucumber';

const hash = (number: number) => number.toString(16).padStart(4, '0').repeat(10);

type Outcomes = Record<string, 'passed' | 'failed'>;

function reportOf(outcomes: Outcomes): string {
  const cases = Object.entries(outcomes).map(([name, outcome]) => ({
    name,
    ...(outcome === 'failed' && { failure: { message: ERROR } }),
  }));
  return junit(cases, 'sum');
}

async function runOf(root: string, commit: number, outcomes: Outcomes): Promise<unknown> {
  writeFileSync(path.join(root, 'report.xml'), reportOf(outcomes));
  const elsewhere = { commit: hash(commit), branch: 'main', dirty: false, tree: hash(commit + 100) };
  const { runId } = await agent.data('argus_import', { projectPath: root, path: 'report.xml', ...elsewhere });
  return runId;
}

/** Records ten runs: `rounds` fails in runs 1 to 9 and is repaired in run 10, and `divides` fails in runs 9 and 10. */
async function history() {
  const root = await opened({ 'package.json': '{}' });
  const [divides, rounds] = ['passed', 'failed'] as const;
  let before: unknown;
  for (let commit = 1; commit <= 8; commit += 1) {
    before = await runOf(root, commit, { adds: 'passed', divides, rounds });
  }
  const broken = await runOf(root, 9, { adds: 'passed', divides: 'failed', rounds });
  const repaired = await runOf(root, 10, { adds: 'passed', divides: 'failed', rounds: 'passed', negates: 'passed' });
  return { root, before, broken, repaired };
}

const tests = (root: string, args: Data) => agent.data('argus_tests', { projectPath: root, ...args });
const refused = (root: string, args: Data) => agent.error('argus_tests', { projectPath: root, ...args });
const printed = async (root: string, ...args: string[]) => (await argus(['tests', ...args, '--project', root])).stdout;

test('lists the runs of a test with the verdict on each failure', async () => {
  const { root, before, broken, repaired } = await history();
  const known = await tests(root, { caseName: 'divides', limit: 3 });
  expect(known).toMatchObject({
    caseName: 'sum > divides',
    evidence: { state: 'broken', failures: 2, runs: 10 },
    latestFailure: {
      runId: repaired,
      verdict: { kind: 'broken', since: { runId: broken }, because: expect.arrayContaining([expect.any(String)]) },
    },
    runs: [
      { runId: repaired, status: 'failed', verdict: { kind: 'broken' }, headline: expect.stringContaining('cucumber') },
      { runId: broken, commit: hash(9), branch: 'main', dirty: false, verdict: { kind: 'regression' } },
      { runId: before, status: 'passed', durationMs: 100 },
    ],
    hasMore: true,
  });
  expect((await tests(root, { caseName: 'sum > divides', offset: 9 })).runs).toHaveLength(1);
  const unknown = await refused(root, { caseName: 'divide by' });
  expect(unknown).toEqual({ code: 'CASE_NOT_FOUND', message: expect.stringContaining("'sum > divides'") });
  const text = await printed(root, 'divides');
  expect(text).toMatch(/^sum > divides\nbroken {2}failed 2 of 10\n/u);
  expect(text).toMatch(new RegExp(`${broken} +\\S+ +main ${hash(9).slice(0, 12)} +failed +regression`, 'u'));
  expect(text).toContain(`why it failed in ${repaired}:`);
});

test('lists the changes of each test since a commit', async () => {
  const { root, before, broken, repaired } = await history();
  const known = await tests(root, { since: hash(8).slice(0, 8) });
  expect(known).toMatchObject({
    since: hash(8),
    base: { id: before, gitCommit: hash(8) },
    head: { id: repaired },
    changes: [
      {
        caseName: 'sum > divides',
        change: 'failing',
        base: 'passed',
        head: 'failed',
        baseRunId: before,
        headRunId: repaired,
        failedIn: repaired,
        verdict: { kind: 'broken', suspect: hash(9) },
      },
      { caseName: 'sum > negates', change: 'new', base: 'absent', head: 'passed' },
      { caseName: 'sum > rounds', change: 'fixed', base: 'failed', head: 'passed', failedIn: broken },
    ],
    counts: { failing: 1, flaky: 0, new: 1, fixed: 1, stillFailing: 0 },
    total: 3,
    hasMore: false,
  });
  const none = await tests(root, { since: hash(10) });
  expect(none).toMatchObject({ total: 0, notes: [expect.stringContaining('argus_run')] });
  const newest = `${hash(10).slice(0, 12)}, ${hash(9).slice(0, 12)}`;
  const unknown = await refused(root, { since: 'feed' });
  expect(unknown).toEqual({ code: 'RUN_NOT_FOUND', message: expect.stringContaining(newest) });
  const text = await printed(root, '--since', hash(8));
  expect(text).toContain('1 failing, 0 flaky, 1 new, 1 fixed; 0 still failing');
  expect(text).toMatch(/failing +passed -> failed +sum > divides +run-\S+: broken/u);
  expect(JSON.parse(await printed(root, '--since', hash(8), '--json')).data).toEqual(known);
});

test('since accepts every name that git resolves to a commit', async () => {
  const root = repository({ 'package.json': '{}' });
  const report = path.join(project(), 'report.xml');
  const imported = async (outcomes: Outcomes) => {
    writeFileSync(report, reportOf(outcomes));
    expect((await argus(['import', report], { cwd: root })).stderr).toBe('');
  };
  await imported({ adds: 'passed' });
  git(root, 'tag', 'v1');
  // The files are the same, so the difference in outcomes is due to chance.
  git(root, 'commit', '-q', '--allow-empty', '-m', 'next');
  await imported({ adds: 'failed' });
  const since = async (name: string) => JSON.parse(await printed(root, '--since', name, '--json'));
  for (const name of ['v1', 'HEAD~1', git(root, 'rev-parse', '--short', 'v1')]) {
    const { data } = await since(name);
    expect(data, name).toMatchObject({ since: git(root, 'rev-parse', 'v1'), counts: { flaky: 1 } });
  }
  expect((await since('HEAD')).data).toMatchObject({ since: git(root, 'rev-parse', 'HEAD'), total: 0 });
  for (const name of ['no-such-branch', '--output=x']) {
    expect((await since(name)).error).toMatchObject({ code: 'RUN_NOT_FOUND' });
  }
});

test.each([
  { caseName: 'adds', since: hash(8) },
  { caseName: 'adds', state: 'flaky' },
  { since: hash(8), name: 'adds' },
])('one question at a time: %j', async (args) => {
  expect(await refused(await opened(), args)).toMatchObject({ code: 'INVALID_INPUT' });
});
