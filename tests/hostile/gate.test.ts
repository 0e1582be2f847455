/** Changes that try to excuse their own failures at the gate of CI. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../e2e/argus.ts';
import { change, ERRORS, FLAKY, pick, REGRESSED, reportOf, withHistory } from '../e2e/ci/history.ts';
import { git, repository, write } from '../e2e/fix-loop/fix-loop.ts';

const PULL_REQUEST = { CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_BASE_REF: 'main', GITHUB_HEAD_REF: 'change' };

/** A pull request with these files, on the history of main. */
async function pullRequest(files: Record<string, string> = {}): Promise<string> {
  const root = await withHistory();
  git(root, 'checkout', '-q', '-b', 'change');
  for (const [name, text] of Object.entries(files)) write(root, name, text);
  change(root, 'of the pull request');
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '--amend', '--no-edit');
  return root;
}

/** What `argus ci --gate` answers to a report. */
async function gate(root: string, report: string, args: string[] = [], more: Record<string, string> = {}) {
  const file = `${root}.json`;
  write(path.dirname(file), path.basename(file), report);
  const { status, stdout } = await argus(['ci', file, '--gate', '--json', ...args], {
    cwd: root,
    env: { ...PULL_REQUEST, ...more },
  });
  return { status, ...JSON.parse(stdout).data.gate };
}

test('rules of the change do not count: its failures are not what it calls them', async () => {
  const rule = { name: 'mine', category: 'CONNECTION_REFUSED', pattern: 'Cannot read' };
  const root = await pullRequest({ 'argus.yaml': JSON.stringify({ classify: { rules: [rule] } }) });
  const judged = await gate(root, reportOf(pick(REGRESSED)));
  expect(judged).toMatchObject({ status: 1, failing: [{ caseName: REGRESSED, category: 'UNKNOWN' }] });
});

test('what the change adds to redaction does count', async () => {
  const patterns = [{ name: 'ours', pattern: 'acme-[0-9]+' }];
  const root = await pullRequest({ 'argus.yaml': JSON.stringify({ redact: { patterns } }) });
  const judged = await gate(root, reportOf({ [REGRESSED]: 'Error: no total for acme-12345' }));
  expect(JSON.stringify(judged)).not.toContain('acme-12345');
});

test('a condition that came with the change excuses nothing', async () => {
  const root = repository({ 'package.json': '{}\n' });
  const names = Array.from({ length: 20 }, (_, at) => `t${at % 4}.test.js > case ${at}`);
  const commits = Array.from({ length: 11 }, (_, at) => {
    if (at === 10) git(root, 'checkout', '-q', '-b', 'change');
    change(root, String(at));
    const [commit, tree] = git(root, 'rev-parse', 'HEAD', 'HEAD^{tree}').split('\n');
    const ended = (_name: string, index: number) =>
      at < 10
        ? { status: 'passed' }
        : { status: 'failed', error: `AssertionError: expected ${index} to be ${index + 1}` };
    return {
      id: `at-${at}`,
      startedAt: Date.parse('2026-02-03T04:05:06Z') + at * 60_000,
      commit,
      tree,
      branch: at < 10 ? 'main' : 'change',
      dirty: false,
      environment: { os: 'linux', runner: 'vitest', node: at < 10 ? '20' : '22' },
      cases: names.map((name, index) => ({ name, durationMs: 3, attempts: 1, ...ended(name, index) })),
    };
  });
  write(path.dirname(root), `${path.basename(root)}.jsonl`, commits.map((run) => `${JSON.stringify(run)}\n`).join(''));
  await argus(['import', '--runs', `${root}.jsonl`], { cwd: root });
  const { status, stdout } = await argus(['gate', 'run-at-10', '--json'], { cwd: root, env: PULL_REQUEST });
  const { failing } = JSON.parse(stdout).data;
  expect([status, failing.length]).toEqual([1, 20]);
  expect(failing[0], 'the verdict alone would excuse it').toMatchObject({ verdict: { kind: 'environment' } });
});

test('a failure that an earlier commit of the change staged excuses nothing', async () => {
  const root = await pullRequest();
  for (const failures of [pick(REGRESSED), {}]) await gate(root, reportOf(failures));
  change(root, 'breaks it');
  expect(await gate(root, reportOf(pick(REGRESSED)))).toMatchObject({ status: 1, reported: [] });
});

test('a flaky failure of the base is excused, but not with another error', async () => {
  const root = await pullRequest();
  expect(await gate(root, reportOf(pick(FLAKY)))).toMatchObject({ status: 0, reported: [{ caseName: FLAKY }] });
  change(root, 'breaks the same test');
  expect(await gate(root, reportOf({ [FLAKY]: ERRORS[REGRESSED] ?? '' }))).toMatchObject({ status: 1, reported: [] });
});

test('an excused failure hides no missing tests', async () => {
  const root = await pullRequest();
  const report = JSON.parse(reportOf(pick(FLAKY)));
  report.testResults = report.testResults.slice(0, 1);
  const judged = await gate(root, JSON.stringify(report), ['--outcome', 'failure']);
  expect(judged).toMatchObject({
    status: 1,
    failing: [],
    problems: [expect.stringContaining('3 of 5 tests of run-before-9-1 did not run')],
    missing: ['b.test.js > lists', 'b.test.js > rounds', 'c.test.js > pays'],
  });
});

test('an excused failure hides no coverage threshold', async () => {
  const root = await pullRequest({
    'vitest.config.ts': 'export default { test: { coverage: { thresholds: {} } } };\n',
  });
  const report = reportOf(pick(FLAKY));
  expect(await gate(root, report, ['--outcome', 'failure'])).toMatchObject({ status: 1, failing: [] });
  write(root, 'good.log', '1 failed, 4 passed\n');
  expect((await gate(root, report, ['--outcome', 'failure', '--log', 'good.log'])).status).toBe(0);
  write(root, 'bad.log', 'ERROR: Coverage for lines (50%) does not meet global threshold (80%)\n');
  expect((await gate(root, report, ['--outcome', 'failure', '--log', 'bad.log'])).status).toBe(1);
});

test('where the base is not in the clone, nothing is excused', async () => {
  const root = await pullRequest();
  git(root, 'branch', '-q', '-D', 'main');
  const judged = await gate(root, reportOf(pick(FLAKY)));
  expect(judged).toMatchObject({ status: 1, failing: [{ refused: expect.stringContaining('fetch-depth: 0') }] });
});

test.each([
  ['passes', '', 0],
  ['fails', 'throw new Error("down");', 1],
])('a failure without a precedent is run again, and counts when it %s', async (_, body, status) => {
  const root = await pullRequest({ 'a.test.js': `require('node:test').test('waits', () => { ${body} });\n` });
  git(root, 'branch', '-q', '-D', 'main');
  const report = reportOf(pick(FLAKY));
  expect((await gate(root, report)).status, 'without a second run').toBe(1);
  expect((await gate(root, report, ['--rerun', 'node --test'])).status).toBe(status);
});

test.each(['GITHUB_TOKEN', 'ARGUS_TEAM_TOKEN'])('no test of a change runs again beside %s', async (secret) => {
  const body = "require('node:fs').writeFileSync('ran', '');";
  const root = await pullRequest({ 'a.test.js': `require('node:test').test('waits', () => { ${body} });\n` });
  git(root, 'branch', '-q', '-D', 'main');
  const judged = await gate(root, reportOf(pick(FLAKY)), ['--rerun', 'node --test'], { [secret]: 'secret' });
  expect([judged.status, existsSync(path.join(root, 'ran'))]).toEqual([1, false]);
});
