/** Changes that try to excuse their own failures at the gate in CI. */

import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../e2e/argus.ts';
import {
  commitUniqueChange,
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
