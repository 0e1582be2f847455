/** Changes that try to excuse their own failures at the gate of CI. */

import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../e2e/argus.ts';
import { change, changes, ERRORS, FLAKY, pick, REGRESSED, reportOf, withHistory } from '../e2e/ci/history.ts';
import { git, repository, write } from '../e2e/fix-loop/fix-loop.ts';

const PULL_REQUEST = { CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_BASE_REF: 'main', GITHUB_HEAD_REF: 'change' };

/** A pull request with these files, on the history of main. */
async function pullRequest(files: Record<string, string> = {}): Promise<string> {
  const root = await withHistory();
  git(root, 'checkout', '-q', '-b', 'change');
  for (const [name, text] of Object.entries({ 'c.js': "exports.total = 'of the pull request';\n", ...files }))
    write(root, name, text);
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'of the pull request');
  return root;
}

async function recorded(root: string, runs: object[]) {
  write(path.dirname(root), `${path.basename(root)}.jsonl`, runs.map((run) => `${JSON.stringify(run)}\n`).join(''));
  expect((await argus(['import', '--runs', `${root}.jsonl`], { cwd: root })).status).toBe(0);
}

/** Runs `argus ci --gate` on a report and returns its answer. */
async function gate(root: string, report: string, args: string[] = [], more: Record<string, string> = {}) {
  const file = `${root}.json`;
  write(path.dirname(file), path.basename(file), report);
  const { status, stdout } = await argus(['ci', file, '--gate', '--json', ...args], {
    cwd: root,
    env: { ...PULL_REQUEST, ...more },
  });
  return { status, ...JSON.parse(stdout).data.gate };
}

/** The exit code of `argus ci` that ends with an error. */
async function gateError(root: string, args: string[]) {
  write(path.dirname(root), `${path.basename(root)}.json`, reportOf({}));
  return argus(['ci', `${root}.json`, '--gate', '--json', ...args], { cwd: root, env: PULL_REQUEST });
}

test('classification rules that the change adds are ignored', async () => {
  const rule = { name: 'mine', category: 'CONNECTION_REFUSED', pattern: 'Cannot read' };
  const root = await pullRequest({ 'argus.yaml': JSON.stringify({ classify: { rules: [rule] } }) });
  const judged = await gate(root, reportOf(pick(REGRESSED)));
  expect(judged).toMatchObject({ status: 1, failing: [{ caseName: REGRESSED, category: 'UNKNOWN' }] });
});

test('redaction patterns that the change adds are applied', async () => {
  const patterns = [{ name: 'ours', pattern: 'acme-[0-9]+' }];
  const root = await pullRequest({ 'argus.yaml': JSON.stringify({ redact: { patterns } }) });
  const judged = await gate(root, reportOf({ [REGRESSED]: 'Error: no total for acme-12345' }));
  expect(JSON.stringify(judged)).not.toContain('acme-12345');
});

test('a condition that came with the change excuses nothing', async () => {
  const root = repository({ 'package.json': '{}\n' });
  const names = Array.from({ length: 20 }, (_, at) => `t${at % 4}.test.js > case ${at}`);
  const before = changes(root, 10);
  git(root, 'checkout', '-q', '-b', 'change');
  change(root, '10');
  const [commit, tree] = git(root, 'rev-parse', 'HEAD', 'HEAD^{tree}').split('\n');
  const runs = [...before, { commit, tree }].map((made, at) => {
    const ended = (index: number) =>
      at < 10
        ? { status: 'passed' }
        : { status: 'failed', error: `AssertionError: expected ${index} to be ${index + 1}` };
    return {
      id: `at-${at}`,
      startedAt: Date.parse('2026-02-03T04:05:06Z') + at * 60_000,
      ...made,
      branch: at < 10 ? 'main' : 'change',
      dirty: false,
      environment: { os: 'linux', runner: 'vitest', node: at < 10 ? '20' : '22' },
      cases: names.map((name, index) => ({ name, durationMs: 3, attempts: 1, ...ended(index) })),
    };
  });
  await recorded(root, runs);
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

test('a failure without a precedent is run again, and counts unless it passes', async () => {
  const root = await pullRequest();
  git(root, 'branch', '-q', '-D', 'main');
  const report = reportOf(pick(FLAKY));
  expect((await gate(root, report)).status, 'without a second run').toBe(1);
  for (const [body, status] of [
    ['throw new Error("down");', 1],
    ['', 0],
  ] as const) {
    write(root, 'a.test.js', `require('node:test').test('waits', () => { ${body} });\n`);
    expect((await gate(root, report, ['--rerun', 'node --test'])).status, body).toBe(status);
  }
});

test.each([
  ['passes', '', 0],
  ['fails each time', 'throw new Error("down");', 1],
])('runs a flaky failure that the base excuses again: it %s', async (_, body, status) => {
  const root = await pullRequest({ 'a.test.js': `require('node:test').test('waits', () => { ${body} });\n` });
  const report = reportOf(pick(FLAKY));
  expect((await gate(root, report)).status, 'without a second run').toBe(0);
  expect((await gate(root, report, ['--rerun', 'node --test'])).status).toBe(status);
});

test('no test of a change runs again beside a secret', async () => {
  const body = "require('node:fs').writeFileSync('ran', '');";
  const root = await pullRequest({ 'a.test.js': `require('node:test').test('waits', () => { ${body} });\n` });
  git(root, 'branch', '-q', '-D', 'main');
  for (const secret of ['GITHUB_TOKEN', 'ARGUS_TEAM_TOKEN']) {
    const judged = await gate(root, reportOf(pick(FLAKY)), ['--rerun', 'node --test'], { [secret]: 'secret' });
    expect([judged.status, existsSync(path.join(root, 'ran'))], secret).toEqual([1, false]);
  }
});

test('a change that breaks the connection of all tests is not excused by an earlier outage of the base', async () => {
  const root = repository({ 'package.json': '{}\n' });
  const names = Array.from({ length: 24 }, (_, at) => `${'abcdef'[at % 6]}.test.js > case ${at}`);
  const down = Object.fromEntries(names.map((name) => [name, 'Error: connect ECONNREFUSED 127.0.0.1:5432']));
  const runs = changes(root, 15).map(({ commit, tree }, at) => {
    const startedAt = Date.parse('2026-02-03T04:05:06Z') + at * 60_000;
    const environment = { os: 'linux', runner: 'vitest' };
    const ended = (name: string) => (at === 5 ? { status: 'failed', error: down[name] } : { status: 'passed' });
    const cases = names.map((name) => ({ name, durationMs: 3, attempts: 1, ...ended(name) }));
    return { id: `at-${at}`, startedAt, commit, tree, branch: 'main', dirty: false, environment, cases };
  });
  await recorded(root, runs);
  git(root, 'checkout', '-q', '-b', 'change');
  change(root, 'of the pull request');
  const judged = await gate(root, reportOf(down));
  expect([judged.status, judged.failing.length]).toEqual([1, 24]);
  expect(judged.failing[0], 'the verdict alone would excuse it').toMatchObject({ verdict: { kind: 'infrastructure' } });
});

test('a pass in another job of the matrix excuses no failure in this job', async () => {
  const root = await pullRequest();
  const run = (failures: Record<string, string>, os: string) =>
    gate(root, reportOf(failures), ['--environment', `os=${os}`]);
  expect((await run({}, 'linux')).status).toBe(0);
  expect(await run(pick(REGRESSED), 'windows')).toMatchObject({ status: 1, failing: [{ caseName: REGRESSED }] });
});

const LISTED =
  '<testcase classname="a.test.js" name="waits"><failure message="Error: timed out after 300 ms waiting for the queue"/></testcase>';

test.each([
  ['Jest', JSON.stringify({ ...JSON.parse(reportOf(pick(FLAKY))), numFailedTests: 2 })],
  ['JUnit', `<testsuites><testsuite failures="1">${LISTED}</testsuite><testsuite errors="1"/></testsuites>`],
  [
    'CTRF',
    JSON.stringify({
      results: { tool: { name: 'x' }, summary: { failed: 1 }, tests: [{ name: 'a', status: 'passed' }] },
    }),
  ],
])('a report of %s that counts more failures than it lists is not read in whole', async (_, report) => {
  const judged = await gate(await pullRequest(), report);
  expect(judged).toMatchObject({
    status: 1,
    problems: expect.arrayContaining([expect.stringMatching(/it counts \d failures and lists \d/u)]),
  });
});

test('a report that is a link out of the project is not passed over', async () => {
  const root = await pullRequest();
  write(path.dirname(root), `${path.basename(root)}-out.json`, reportOf(pick(REGRESSED)));
  mkdirSync(path.join(root, 'reports'));
  write(root, 'reports/b.json', reportOf({}));
  symlinkSync(`${root}-out.json`, path.join(root, 'reports/a.json'));
  const { status, stdout } = await argus(['ci', 'reports/*.json', '--gate', '--json'], {
    cwd: root,
    env: PULL_REQUEST,
  });
  expect([status, JSON.parse(stdout).error.message]).toEqual([2, expect.stringContaining('a.json is not read')]);
});

test('does not write output through a link that the change contains', async () => {
  const root = await pullRequest();
  const victim = path.join(repository({ victim: 'mine' }), 'victim');
  symlinkSync(victim, path.join(root, 'out'));
  symlinkSync(path.dirname(victim), path.join(root, 'to'));
  for (const name of ['out', 'to/new'])
    for (const option of ['--markdown', '--artifact'])
      expect((await gateError(root, [option, name])).status, `${option} ${name}`).toBe(2);
  expect([readFileSync(victim, 'utf8'), existsSync(path.join(path.dirname(victim), 'new'))]).toEqual(['mine', false]);
});

test('a change cannot quarantine its own failures in CI services other than GitHub', async () => {
  const cases = [{ case: REGRESSED, reason: 'mine', owner: 'me', until: '2099-01-01' }];
  const root = await pullRequest({ 'argus-quarantine.yaml': JSON.stringify({ version: 1, cases }) });
  for (const name of ['TF_BUILD', 'CODEBUILD_BUILD_ID', 'TEAMCITY_VERSION', 'JENKINS_URL']) {
    const env = { CI: '', GITHUB_ACTIONS: '', GITHUB_BASE_REF: '', [name]: '1' };
    expect((await gate(root, reportOf(pick(REGRESSED)), [], env)).status, name).toBe(1);
  }
});
