/**
 * Tests argus_tests over MCP and at the terminal: the runs of a test, and the changes of all tests since a commit. The
 * runs are imported reports, commit by commit. `crates/engine/src/tests/evidence/over_runs.rs` tests the rules.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { createRepository, runGit } from '../fix-loop/fix-loop.ts';
import { createProject, type Data } from '../harness.ts';
import { agent, openProject } from '../one-agent.ts';
import { formatJunit } from '../runs/reports.ts';

const ERROR_TEXT = 'TypeError: cannot divide by cucumber';

const commitHash = (number: number) => number.toString(16).padStart(4, '0').repeat(10);

type Outcomes = Record<string, 'passed' | 'failed'>;

function createReport(outcomes: Outcomes): string {
  const cases = Object.entries(outcomes).map(([name, outcome]) => ({
    name,
    ...(outcome === 'failed' && { failure: { message: ERROR_TEXT } }),
  }));
  return formatJunit(cases, 'sum');
}

async function importRun(root: string, commit: number, outcomes: Outcomes): Promise<unknown> {
  writeFileSync(path.join(root, 'report.xml'), createReport(outcomes));
  const elsewhere = { commit: commitHash(commit), branch: 'main', dirty: false, tree: commitHash(commit + 100) };
  const { runId } = await agent.data('argus_import', { projectPath: root, path: 'report.xml', ...elsewhere });
  return runId;
}

/** Records ten runs: `rounds` fails in runs 1 to 9 and is repaired in run 10, and `divides` fails in runs 9 and 10. */
async function recordTenRuns() {
  const root = await openProject({ 'package.json': '{}' });
  const [divides, rounds] = ['passed', 'failed'] as const;
  let before: unknown;
  for (let commit = 1; commit <= 8; commit += 1) {
    before = await importRun(root, commit, { adds: 'passed', divides, rounds });
  }
  const broken = await importRun(root, 9, { adds: 'passed', divides: 'failed', rounds });
  const repaired = await importRun(root, 10, {
    adds: 'passed',
    divides: 'failed',
    rounds: 'passed',
    negates: 'passed',
  });
  return { root, before, broken, repaired };
}

const callTests = (root: string, args: Data) => agent.data('argus_tests', { projectPath: root, ...args });
const callTestsExpectingError = (root: string, args: Data) =>
  agent.error('argus_tests', { projectPath: root, ...args });
const printTests = async (root: string, ...args: string[]) =>
  (await argus(['tests', ...args, '--project', root])).stdout;

test('argus_tests lists the runs of a test with the verdict on each failure', async () => {
  const { root, before, broken, repaired } = await recordTenRuns();
  const known = await callTests(root, { caseName: 'divides', limit: 3 });
  expect(known).toMatchObject({
    caseName: 'sum > divides',
    evidence: { state: 'broken', failures: 2, runs: 10 },
    latestFailure: {
      runId: repaired,
      verdict: { kind: 'broken', since: { runId: broken }, because: expect.arrayContaining([expect.any(String)]) },
    },
    runs: [
      { runId: repaired, status: 'failed', verdict: { kind: 'broken' }, headline: expect.stringContaining('cucumber') },
      { runId: broken, commit: commitHash(9), branch: 'main', dirty: false, verdict: { kind: 'regression' } },
      { runId: before, status: 'passed', durationMs: 100 },
    ],
    hasMore: true,
  });
  expect((await callTests(root, { caseName: 'sum > divides', offset: 9 })).runs).toHaveLength(1);
  const unknown = await callTestsExpectingError(root, { caseName: 'divide by' });
  expect(unknown).toEqual({ code: 'CASE_NOT_FOUND', message: expect.stringContaining("'sum > divides'") });
  const text = await printTests(root, 'divides');
  expect(text).toMatch(/^sum > divides\nfailing {2}failed 2 of 10\n/u);
  expect(text).toMatch(
    new RegExp(`${String(broken).slice(0, 17)} +\\S+ +main ${commitHash(9).slice(0, 12)} +failed +regression`, 'u'),
  );
  expect(text).toContain(`latest failure, in ${repaired}:`);
});

test('argus_tests lists the changes of each test since a commit', async () => {
  const { root, before, broken, repaired } = await recordTenRuns();
  const known = await callTests(root, { since: commitHash(8).slice(0, 8) });
  expect(known).toMatchObject({
    since: commitHash(8),
    base: { id: before, gitCommit: commitHash(8) },
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
        verdict: { kind: 'broken', suspect: commitHash(9) },
      },
      { caseName: 'sum > negates', change: 'new', base: 'absent', head: 'passed' },
      { caseName: 'sum > rounds', change: 'fixed', base: 'failed', head: 'passed', failedIn: broken },
    ],
    counts: { failing: 1, flaky: 0, new: 1, fixed: 1, stillFailing: 0 },
    total: 3,
    hasMore: false,
  });
  const none = await callTests(root, { since: commitHash(10) });
  expect(none).toMatchObject({ total: 0, notes: [expect.stringContaining('argus_run')] });
  const newest = `${commitHash(10).slice(0, 12)}, ${commitHash(9).slice(0, 12)}`;
  const unknown = await callTestsExpectingError(root, { since: 'feed' });
  expect(unknown).toEqual({ code: 'RUN_NOT_FOUND', message: expect.stringContaining(newest) });
  const text = await printTests(root, '--since', commitHash(8));
  expect(text).toContain('1 failing, 0 flaky, 1 new, 1 fixed; 0 still failing');
  expect(text).toMatch(/failing +passed -> failed +sum > divides +run-\S+: failing since/u);
  expect(JSON.parse(await printTests(root, '--since', commitHash(8), '--json')).data).toEqual(known);
});

test('`since` accepts every name that git resolves to a commit', async () => {
  const root = createRepository({ 'package.json': '{}' });
  const report = path.join(createProject(), 'report.xml');
  const imported = async (outcomes: Outcomes) => {
    writeFileSync(report, createReport(outcomes));
    expect((await argus(['import', report], { cwd: root })).stderr).toBe('');
  };
  await imported({ adds: 'passed' });
  runGit(root, 'tag', 'v1');
  // The files are the same, so the difference in outcomes is due to chance.
  runGit(root, 'commit', '-q', '--allow-empty', '-m', 'next');
  await imported({ adds: 'failed' });
  const since = async (name: string) => JSON.parse(await printTests(root, '--since', name, '--json'));
  for (const name of ['v1', 'HEAD~1', runGit(root, 'rev-parse', '--short', 'v1')]) {
    const { data } = await since(name);
    expect(data, name).toMatchObject({ since: runGit(root, 'rev-parse', 'v1'), counts: { flaky: 1 } });
  }
  expect((await since('HEAD')).data).toMatchObject({ since: runGit(root, 'rev-parse', 'HEAD'), total: 0 });
  for (const name of ['no-such-branch', '--output=x']) {
    expect((await since(name)).error).toMatchObject({ code: 'RUN_NOT_FOUND' });
  }
});

test.each([
  { caseName: 'adds', since: commitHash(8) },
  { caseName: 'adds', state: 'flaky' },
  { since: commitHash(8), name: 'adds' },
])('one question at a time: %j', async (args) => {
  expect(await callTestsExpectingError(await openProject(), args)).toMatchObject({ code: 'INVALID_INPUT' });
});
