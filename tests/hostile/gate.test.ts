/** Changes that try to excuse their own failures at the gate in CI. */

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../e2e/argus.ts';
import {
  commitUniqueChange,
  commitUniqueChanges,
  createReport,
  createRepositoryWithHistory,
  ERRORS_BY_CASE,
  errorsOf,
  FLAKY_CASE,
  REGRESSED_CASE,
} from '../e2e/ci/history.ts';
import { createRepository, runGit, writeProjectFile } from '../e2e/fix-loop/fix-loop.ts';

const PULL_REQUEST_ENVIRONMENT = {
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_BASE_REF: 'main',
  GITHUB_HEAD_REF: 'change',
};

/** Creates a pull request with these files, on the history of main. */
async function createPullRequest(files: Record<string, string> = {}): Promise<string> {
  const root = await createRepositoryWithHistory();
  runGit(root, 'checkout', '-q', '-b', 'change');
  for (const [name, text] of Object.entries({ 'c.js': "exports.total = 'of the pull request';\n", ...files }))
    writeProjectFile(root, name, text);
  runGit(root, 'add', '-A');
  runGit(root, 'commit', '-qm', 'of the pull request');
  return root;
}

async function importRuns(root: string, runs: object[]) {
  writeProjectFile(
    path.dirname(root),
    `${path.basename(root)}.jsonl`,
    runs.map((run) => `${JSON.stringify(run)}\n`).join(''),
  );
  expect((await argus(['import', '--runs', `${root}.jsonl`], { cwd: root })).status).toBe(0);
}

/** Runs `argus ci --gate` on a report and returns its answer. */
async function runGate(root: string, report: string, args: string[] = [], more: Record<string, string> = {}) {
  const file = `${root}.json`;
  writeProjectFile(path.dirname(file), path.basename(file), report);
  const { status, stdout } = await argus(['ci', file, '--gate', '--json', ...args], {
    cwd: root,
    env: { ...PULL_REQUEST_ENVIRONMENT, ...more },
  });
  return { status, ...JSON.parse(stdout).data.gate };
}

/** Returns the exit code and error of an `argus ci` that fails. */
async function runFailingGate(root: string, args: string[]) {
  writeProjectFile(path.dirname(root), `${path.basename(root)}.json`, createReport({}));
  return argus(['ci', `${root}.json`, '--gate', '--json', ...args], { cwd: root, env: PULL_REQUEST_ENVIRONMENT });
}

test('classification rules that the change adds are ignored', async () => {
  const rule = { name: 'mine', category: 'CONNECTION_REFUSED', pattern: 'Cannot read' };
  const root = await createPullRequest({ 'argus.yaml': JSON.stringify({ classify: { rules: [rule] } }) });
  const judged = await runGate(root, createReport(errorsOf(REGRESSED_CASE)));
  expect(judged).toMatchObject({ status: 1, failing: [{ caseName: REGRESSED_CASE, category: 'UNKNOWN' }] });
});

test('redaction patterns that the change adds are applied', async () => {
  const patterns = [{ name: 'ours', pattern: 'acme-[0-9]+' }];
  const root = await createPullRequest({ 'argus.yaml': JSON.stringify({ redact: { patterns } }) });
  const judged = await runGate(root, createReport({ [REGRESSED_CASE]: 'Error: no total for acme-12345' }));
  expect(JSON.stringify(judged)).not.toContain('acme-12345');
});

test('an environment condition that the change adds excuses nothing', async () => {
  const root = createRepository({ 'package.json': '{}\n' });
  const names = Array.from({ length: 20 }, (_, at) => `t${at % 4}.test.js > case ${at}`);
  const before = commitUniqueChanges(root, 10);
  runGit(root, 'checkout', '-q', '-b', 'change');
  commitUniqueChange(root, '10');
  const [commit, tree] = runGit(root, 'rev-parse', 'HEAD', 'HEAD^{tree}').split('\n');
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
  await importRuns(root, runs);
  const { status, stdout } = await argus(['gate', 'run-at-10', '--json'], { cwd: root, env: PULL_REQUEST_ENVIRONMENT });
  const { failing } = JSON.parse(stdout).data;
  expect([status, failing.length]).toEqual([1, 20]);
  expect(failing[0], 'the verdict alone would excuse it').toMatchObject({ verdict: { kind: 'environment' } });
});

test('a failure that an earlier commit of the change staged excuses nothing', async () => {
  const root = await createPullRequest();
  for (const failures of [errorsOf(REGRESSED_CASE), {}]) await runGate(root, createReport(failures));
  commitUniqueChange(root, 'breaks it');
  expect(await runGate(root, createReport(errorsOf(REGRESSED_CASE)))).toMatchObject({ status: 1, reported: [] });
});

test('a flaky failure of the base is excused, but the same test with another error is not', async () => {
  const root = await createPullRequest();
  expect(await runGate(root, createReport(errorsOf(FLAKY_CASE)))).toMatchObject({
    status: 0,
    reported: [{ caseName: FLAKY_CASE }],
  });
  commitUniqueChange(root, 'breaks the same test');
  expect(await runGate(root, createReport({ [FLAKY_CASE]: ERRORS_BY_CASE[REGRESSED_CASE] ?? '' }))).toMatchObject({
    status: 1,
    reported: [],
  });
});

test('an excused failure hides no missing tests', async () => {
  const root = await createPullRequest();
  const report = JSON.parse(createReport(errorsOf(FLAKY_CASE)));
  report.testResults = report.testResults.slice(0, 1);
  const judged = await runGate(root, JSON.stringify(report), ['--outcome', 'failure']);
  expect(judged).toMatchObject({
    status: 1,
    failing: [],
    problems: [expect.stringContaining('3 of 5 tests of run-before-9-1 did not run')],
    missing: ['b.test.js > lists', 'b.test.js > rounds', 'c.test.js > pays'],
  });
});

test('an excused failure hides no coverage threshold', async () => {
  const root = await createPullRequest({
    'vitest.config.ts': 'export default { test: { coverage: { thresholds: {} } } };\n',
  });
  const report = createReport(errorsOf(FLAKY_CASE));
  expect(await runGate(root, report, ['--outcome', 'failure'])).toMatchObject({ status: 1, failing: [] });
  writeProjectFile(root, 'good.log', '1 failed, 4 passed\n');
  expect((await runGate(root, report, ['--outcome', 'failure', '--log', 'good.log'])).status).toBe(0);
  writeProjectFile(root, 'bad.log', 'ERROR: Coverage for lines (50%) does not meet global threshold (80%)\n');
  expect((await runGate(root, report, ['--outcome', 'failure', '--log', 'bad.log'])).status).toBe(1);
});

test('nothing is excused if the base is not in the clone', async () => {
  const root = await createPullRequest();
  runGit(root, 'branch', '-q', '-D', 'main');
  const judged = await runGate(root, createReport(errorsOf(FLAKY_CASE)));
  expect(judged).toMatchObject({ status: 1, failing: [{ refused: expect.stringContaining('fetch-depth: 0') }] });
});

test('a failure without a precedent is run again, and blocks the change unless it passes', async () => {
  const root = await createPullRequest();
  runGit(root, 'branch', '-q', '-D', 'main');
  const report = createReport(errorsOf(FLAKY_CASE));
  expect((await runGate(root, report)).status, 'without a second run').toBe(1);
  for (const [body, status] of [
    ['throw new Error("down");', 1],
    ['', 0],
  ] as const) {
    writeProjectFile(root, 'a.test.js', `require('node:test').test('waits', () => { ${body} });\n`);
    expect((await runGate(root, report, ['--rerun', 'node --test'])).status, body).toBe(status);
  }
});

test.each([
  ['passes', '', 0],
  ['fails each time', 'throw new Error("down");', 1],
])('runs a flaky failure that the base excuses again: it %s', async (_, body, status) => {
  const root = await createPullRequest({ 'a.test.js': `require('node:test').test('waits', () => { ${body} });\n` });
  const report = createReport(errorsOf(FLAKY_CASE));
  expect((await runGate(root, report)).status, 'without a second run').toBe(0);
  expect((await runGate(root, report, ['--rerun', 'node --test'])).status).toBe(status);
});

test('a failure blocks the change if the command cannot run its test alone', async () => {
  const root = await createPullRequest();
  runGit(root, 'branch', '-q', '-D', 'main');
  const judged = await runGate(root, createReport(errorsOf(FLAKY_CASE)), ['--rerun', 'make check']);
  expect([judged.status, judged.failing.length], JSON.stringify(judged)).toEqual([1, 1]);
});

test('no test of a change is run again while a secret is set', async () => {
  const body = "require('node:fs').writeFileSync('ran', '');";
  const root = await createPullRequest({ 'a.test.js': `require('node:test').test('waits', () => { ${body} });\n` });
  runGit(root, 'branch', '-q', '-D', 'main');
  for (const secret of ['GITHUB_TOKEN', 'ARGUS_TEAM_TOKEN']) {
    const judged = await runGate(root, createReport(errorsOf(FLAKY_CASE)), ['--rerun', 'node --test'], {
      [secret]: 'secret',
    });
    expect([judged.status, existsSync(path.join(root, 'ran'))], secret).toEqual([1, false]);
  }
});

test('a change that breaks the connection of all tests is not excused by an earlier outage of the base', async () => {
  const root = createRepository({ 'package.json': '{}\n' });
  const names = Array.from({ length: 24 }, (_, at) => `${'abcdef'[at % 6]}.test.js > case ${at}`);
  const down = Object.fromEntries(names.map((name) => [name, 'Error: connect ECONNREFUSED 127.0.0.1:5432']));
  const runs = commitUniqueChanges(root, 15).map(({ commit, tree }, at) => {
    const startedAt = Date.parse('2026-02-03T04:05:06Z') + at * 60_000;
    const environment = { os: 'linux', runner: 'vitest' };
    const ended = (name: string) => (at === 5 ? { status: 'failed', error: down[name] } : { status: 'passed' });
    const cases = names.map((name) => ({ name, durationMs: 3, attempts: 1, ...ended(name) }));
    return { id: `at-${at}`, startedAt, commit, tree, branch: 'main', dirty: false, environment, cases };
  });
  await importRuns(root, runs);
  runGit(root, 'checkout', '-q', '-b', 'change');
  commitUniqueChange(root, 'of the pull request');
  const judged = await runGate(root, createReport(down));
  expect([judged.status, judged.failing.length]).toEqual([1, 24]);
  expect(judged.failing[0], 'the verdict alone would excuse it').toMatchObject({ verdict: { kind: 'infrastructure' } });
});

test('a pass in another job of the matrix excuses no failure in this job', async () => {
  const root = await createPullRequest();
  const run = (failures: Record<string, string>, os: string) =>
    runGate(root, createReport(failures), ['--environment', `os=${os}`]);
  expect((await run({}, 'linux')).status).toBe(0);
  expect(await run(errorsOf(REGRESSED_CASE), 'windows')).toMatchObject({
    status: 1,
    failing: [{ caseName: REGRESSED_CASE }],
  });
});

const LISTED_FAILURES =
  '<testcase classname="a.test.js" name="waits"><failure message="Error: timed out after 300 ms waiting for the queue"/></testcase>';

test.each([
  ['Jest', JSON.stringify({ ...JSON.parse(createReport(errorsOf(FLAKY_CASE))), numFailedTests: 2 })],
  ['JUnit', `<testsuites><testsuite failures="1">${LISTED_FAILURES}</testsuite><testsuite errors="1"/></testsuites>`],
  [
    'CTRF',
    JSON.stringify({
      results: { tool: { name: 'x' }, summary: { failed: 1 }, tests: [{ name: 'a', status: 'passed' }] },
    }),
  ],
])('a report of %s that counts more failures than it lists is reported as incomplete', async (_, report) => {
  const judged = await runGate(await createPullRequest(), report);
  expect(judged).toMatchObject({
    status: 1,
    problems: expect.arrayContaining([expect.stringMatching(/the report counts \d failures and lists \d/u)]),
  });
});

test('a report that is a link out of the project is refused', async () => {
  const root = await createPullRequest();
  writeProjectFile(path.dirname(root), `${path.basename(root)}-out.json`, createReport(errorsOf(REGRESSED_CASE)));
  mkdirSync(path.join(root, 'reports'));
  writeProjectFile(root, 'reports/b.json', createReport({}));
  symlinkSync(`${root}-out.json`, path.join(root, 'reports/a.json'));
  const { status, stdout } = await argus(['ci', 'reports/*.json', '--gate', '--json'], {
    cwd: root,
    env: PULL_REQUEST_ENVIRONMENT,
  });
  expect([status, JSON.parse(stdout).error.message]).toEqual([2, expect.stringContaining('a.json is not read')]);
});

test('no output is written through a link that the change contains', async () => {
  const root = await createPullRequest();
  const victim = path.join(createRepository({ victim: 'mine' }), 'victim');
  symlinkSync(victim, path.join(root, 'out'));
  symlinkSync(path.dirname(victim), path.join(root, 'to'));
  for (const name of ['out', 'to/new'])
    for (const option of ['--markdown', '--artifact'])
      expect((await runFailingGate(root, [option, name])).status, `${option} ${name}`).toBe(2);
  expect([readFileSync(victim, 'utf8'), existsSync(path.join(path.dirname(victim), 'new'))]).toEqual(['mine', false]);
});

test('a change cannot quarantine its own failures in CI services other than GitHub', async () => {
  const cases = [{ case: REGRESSED_CASE, reason: 'mine', owner: 'me', until: '2099-01-01' }];
  const root = await createPullRequest({ 'argus-quarantine.yaml': JSON.stringify({ version: 1, cases }) });
  for (const name of ['TF_BUILD', 'CODEBUILD_BUILD_ID', 'TEAMCITY_VERSION', 'JENKINS_URL']) {
    const env = { CI: '', GITHUB_ACTIONS: '', GITHUB_BASE_REF: '', [name]: '1' };
    expect((await runGate(root, createReport(errorsOf(REGRESSED_CASE)), [], env)).status, name).toBe(1);
  }
});

test('a report in the commit does not stand in for the report of a crashed runner', async () => {
  const root = await createPullRequest({ 'report.json': createReport(errorsOf(FLAKY_CASE)) });
  const gated = async () => {
    const { status, stdout } = await argus(['ci', 'report.json', '--gate', '--json', '--outcome', 'failure'], {
      cwd: root,
      env: PULL_REQUEST_ENVIRONMENT,
    });
    return { status, ...JSON.parse(stdout).data.gate };
  };
  expect(await gated()).toMatchObject({ status: 1, failing: [], problems: [expect.stringContaining('in the commit')] });
  // The runner itself wrote this report.
  writeProjectFile(root, 'report.json', `${createReport(errorsOf(FLAKY_CASE))}\n`);
  expect(await gated()).toMatchObject({ status: 0, problems: [] });
});

test('a wrong time in a report hides no failed run from argus gate', async () => {
  const root = await createPullRequest();
  expect((await runGate(root, createReport({}))).status).toBe(0);
  const failed = `<testsuites><testsuite timestamp="2000-01-01T00:00:00Z">${LISTED_FAILURES}</testsuite></testsuites>`;
  await runGate(root, failed);
  expect((await argus(['gate'], { cwd: root, env: PULL_REQUEST_ENVIRONMENT })).status).toBe(1);
});

test('an excused failure hides no reason that a log in UTF-16 contains', async () => {
  const root = await createPullRequest();
  writeFileSync(path.join(root, 'out.log'), '\uFEFFFound 1 error in 1 file (checked 1 source file)\r\n', 'utf16le');
  const judged = await runGate(root, createReport(errorsOf(FLAKY_CASE)), ['--outcome', 'failure', '--log', 'out.log']);
  expect(judged).toMatchObject({
    status: 1,
    failing: [],
    problems: ['The tests printed: Found 1 error in 1 file (checked 1 source file)'],
  });
});

test('a replacement of the base in .git does not change the quarantine', async () => {
  const cases = [{ case: REGRESSED_CASE, reason: 'mine', owner: 'me', until: '2099-01-01' }];
  const root = await createPullRequest({ 'argus-quarantine.yaml': JSON.stringify({ version: 1, cases }) });
  runGit(root, 'replace', 'main', 'change');
  expect((await runGate(root, createReport(errorsOf(REGRESSED_CASE)))).status).toBe(1);
});

test('a change that runs none of the tests of the base counts all of them as missing', async () => {
  const root = await createRepositoryWithHistory({ 'argus.yaml': 'gate: { missingTests: fail }\n' });
  runGit(root, 'checkout', '-q', '-b', 'change');
  commitUniqueChange(root, 'deletes all tests');
  const mine = '<testsuites><testcase classname="mine.test.js" name="passes"/></testsuites>';
  const missed = {
    status: 1,
    problems: ['None of the tests that ran is a test of the base (gate.missingTests is fail).'],
  };
  expect(await runGate(root, mine)).toMatchObject(missed);
  // With a git graft, the first commit of the change would be a commit of the base, and so would its run.
  mkdirSync(path.join(root, '.git/info'), { recursive: true });
  writeProjectFile(root, '.git/info/grafts', `${runGit(root, 'rev-parse', 'main', 'change').replace('\n', ' ')}\n`);
  commitUniqueChange(root, 'again');
  expect(await runGate(root, mine)).toMatchObject(missed);
});

test.each(['(failing|kind|regression)', '([\\s\\S]+)'])(
  'a redaction pattern %s does not change the verdict',
  async (pattern) => {
    const root = await createPullRequest({
      'argus.yaml': JSON.stringify({ redact: { patterns: [{ name: 'all', pattern }] } }),
    });
    const judged = await runGate(root, createReport(errorsOf(REGRESSED_CASE)));
    expect(judged).toMatchObject({
      status: 1,
      failing: [{ verdict: { kind: expect.stringMatching(/^(?:regression|new)$/u) } }],
    });
  },
);
