/** Imports runs from elsewhere: a report with its commit, time and environment, and a history of runs as JSON lines. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { createProject, type Data } from '../harness.ts';
import { agent, openProject } from '../one-agent.ts';
import { formatJunit } from '../runs/reports.ts';

const COMMIT = 'a'.repeat(40);

const createReport = (failed: boolean) =>
  formatJunit([{ name: 'adds', ...(failed && { failure: { message: 'Error: no' } }) }], 'a');

test('a report is stored with the given commit, time and environment', async () => {
  const cwd = await openProject({ 'package.json': '{}' });
  const importOn = async (os: string, failed: boolean) => {
    writeFileSync(path.join(cwd, 'report.xml'), createReport(failed));
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

test.each([
  [['import'], /Name a report, or a history with --runs/u],
  [['import', 'report.xml', '--runs', '-'], /not both/u],
  [['import', 'report.xml', '--environment', 'windows'], /--environment/u],
  [['import', '--runs', 'nowhere.jsonl'], /^INVALID_INPUT: nowhere\.jsonl cannot be read/u],
])('wrong usage: %j', async (args, message) => {
  const { status, stderr } = await argus(args);
  expect(status).toBe(2);
  expect(stderr).toMatch(message);
});
