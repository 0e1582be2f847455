/**
 * Tests imported runs, from a report with its commit, time and environment or from a history as JSON lines, and
 * argus_tests over MCP and at the terminal: the runs of a test, and the changes of all tests since a commit.
 * `crates/engine/src/tests/evidence/over_runs.rs` tests the rules.
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
const printTests = async (root: string, ...args: string[]) =>
  (await argus(['tests', ...args, '--project', root])).stdout;

test('argus_tests lists the runs of a test with their verdicts, and the changes of each test since a commit', async () => {
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
  const unknown = await agent.error('argus_tests', { projectPath: root, caseName: 'divide by' });
  expect(unknown).toEqual({ code: 'CASE_NOT_FOUND', message: expect.stringContaining("'sum > divides'") });
  const text = await printTests(root, 'divides');
  expect(text).toMatch(/^sum > divides\nfailing {2}failed 2 of 10\n/u);
  expect(text).toMatch(
    new RegExp(`${String(broken).slice(0, 17)} +\\S+ +main ${commitHash(9).slice(0, 12)} +failed +regression`, 'u'),
  );
  expect(text).toContain(`latest failure, in ${repaired}:`);

  const since = await callTests(root, { since: commitHash(8).slice(0, 8) });
  expect(since).toMatchObject({
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
  const printed = await printTests(root, '--since', commitHash(8));
  expect(printed).toContain('1 failing, 0 flaky, 1 new, 1 fixed; 0 still failing');
  expect(printed).toMatch(/failing +passed -> failed +sum > divides +run-\S+: failing since/u);
  expect(JSON.parse(await printTests(root, '--since', commitHash(8), '--json')).data).toEqual(since);
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

const COMMIT = 'a'.repeat(40);

const createReportOfAdds = (failed: boolean) =>
  formatJunit([{ name: 'adds', ...(failed && { failure: { message: 'Error: no' } }) }], 'a');

test('a report is stored with the given commit, time and environment', async () => {
  const cwd = await openProject({ 'package.json': '{}' });
  const importOn = async (os: string, failed: boolean) => {
    writeFileSync(path.join(cwd, 'report.xml'), createReportOfAdds(failed));
    return agent.data('argus_import', {
      projectPath: cwd,
      path: 'report.xml',
      commit: COMMIT,
      branch: 'main',
      tree: 'b'.repeat(40),
      startedAt: '2026-02-03T04:05:06Z',
      environment: { os },
    });
  };
  for (const failed of [false, true, false, true, false, true]) await importOn(failed ? 'windows' : 'linux', failed);
  const listed = await agent.data('argus_tests', { projectPath: cwd });
  expect(listed.tests).toMatchObject([{ state: 'environment', condition: 'os=windows', failures: 3, runs: 6 }]);
  const { runs } = await agent.data('argus_history', { projectPath: cwd, limit: 1 });
  expect(runs).toMatchObject([
    { gitCommit: COMMIT, gitBranch: 'main', dirty: false, timestamp: '2026-02-03T04:05:06.000Z' },
  ]);
  const given = ['--commit', 'c'.repeat(40), '--environment', 'os=linux', '--started-at', '2026-02-04T00:00:00Z'];
  expect((await argus(['import', 'report.xml', ...given], { cwd })).status).toBe(1);
  const history = JSON.parse((await argus(['history', '--json'], { cwd })).stdout);
  expect(history.data).toMatchObject({ runs: [{ gitCommit: 'c'.repeat(40) }, ...Array(6).fill({})] });
});

/** Returns the JSON line of a run. */
function runLine(id: string, status: 'passed' | 'failed'): string {
  const name = 'a.test.ts > adds';
  return JSON.stringify({
    id,
    startedAt: 1_772_100_000_000,
    commit: COMMIT,
    parents: [],
    branch: 'main',
    dirty: false,
    tree: 'b'.repeat(40),
    environment: { os: 'linux', runner: 'vitest' },
    cases: [{ name, status, durationMs: 3, attempts: 1, ...(status === 'failed' && { error: 'Error: no' }) }],
  });
}

const countRuns = async (cwd: string) => JSON.parse((await argus(['history', '--json'], { cwd })).stdout).data.total;

test('import --runs answers with a line for each run, and changes nothing when repeated', async () => {
  const cwd = createProject({ 'package.json': '{}' });
  const input = [runLine('r1', 'passed'), runLine('r2', 'failed'), ''].join('\n');
  const first = await argus(['import', '--runs', '-', '--json'], { cwd, input });
  expect(first).toMatchObject({ status: 0, stderr: '' });
  const answered = first.stdout.trim().split('\n');
  expect(answered.map((text): Data => JSON.parse(text))).toEqual([
    { runId: 'run-r1', failures: [] },
    {
      runId: 'run-r2',
      failures: [
        {
          caseName: 'a.test.ts > adds',
          causeId: expect.stringMatching(/^cause-[0-9a-f]{16}$/u),
          suspects: expect.any(Array),
          precedents: { failedAt: [], passedIn: 'run-r1' },
          verdict: expect.objectContaining({ kind: expect.any(String), probability: expect.any(Number) }),
        },
      ],
    },
  ]);
  expect((await argus(['import', '--runs', '-', '--json'], { cwd, input })).stdout).toBe(first.stdout);
  expect(await countRuns(cwd)).toBe(2);
  writeFileSync(path.join(cwd, 'runs.jsonl'), input);
  expect((await argus(['import', '--runs', 'runs.jsonl'], { cwd })).stdout).toContain('2 runs read, 2 already known');
});

test('import --runs names an invalid line and keeps the runs of the lines before it', async () => {
  const cwd = createProject({ 'package.json': '{}' });
  const { status, stdout, stderr } = await argus(['import', '--runs', '-'], {
    cwd,
    input: `${runLine('r1', 'passed')}\n{"id":"r2"}\n`,
  });
  expect(status).toBe(2);
  expect(stderr + stdout).toContain('Line 2 is not a valid run');
  expect(await countRuns(cwd)).toBe(1);
});
