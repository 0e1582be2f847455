/**
 * argus_run with the real runners: what is recorded, and that people still see the runner's own output.
 * Does not: test the parsers' every dialect (crates/report does), or what is the same for any command
 * (commands.test.ts).
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Agent, BUNDLE, connect, type Data, environment, project, runnerProject } from './harness.ts';
import { hasGradleOffline, hasMavenOffline, nodePrograms, pythonFolder, setUpRunners } from './setup.mjs';

let agent: Agent;
/** The server's own, to see what it leaves behind. */
const temporary = project();

// Before the tests are collected, for what is missing decides which of them are skipped.
setUpRunners();

const PATH = [path.join(pythonFolder, 'bin'), nodePrograms, process.env.PATH].join(path.delimiter);

beforeAll(async () => {
  agent = await connect('2026-07-28', { PATH, TMPDIR: temporary });
});
afterAll(() => agent?.close());

const has = (program: string, args = ['--version']) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;

async function opened(root: string): Promise<{ root: string; init: Data }> {
  return { root, init: await agent.data('argus_init', { projectPath: root }) };
}

const totals = { passed: 1, failed: 1, skipped: 1, flaky: 0 };

interface Runner {
  folder: string;
  runner: string;
  testCommand: string;
  /** Overrides the detected command. */
  command?: string;
  wrong: string;
  expected?: object;
  missing?: () => boolean;
}

const RUNNERS: Runner[] = [
  { folder: 'vitest', runner: 'vitest', testCommand: 'npm test', wrong: 'sum.test.js > sum > is wrong' },
  { folder: 'jest', runner: 'jest', testCommand: 'npm test', wrong: 'sum.test.js > sum > is wrong' },
  { folder: 'mocha', runner: 'mocha', testCommand: 'npm test', wrong: 'sum.js > sum > is wrong' },
  {
    folder: 'playwright',
    runner: 'playwright',
    testCommand: 'npm test',
    wrong: 'tests/sum.js > api > sum > is wrong',
    expected: { passed: 2, failed: 1, skipped: 1, flaky: 1 },
  },
  { folder: 'node-test', runner: 'node:test', testCommand: 'npm test', wrong: 'sum > is wrong' },
  { folder: 'bun', runner: 'bun', testCommand: 'bun run test', wrong: 'sum.test.js > sum > is wrong' },
  { folder: 'deno', runner: 'deno', testCommand: 'deno task test', wrong: 'sum_test.js > is wrong' },
  { folder: 'pytest', runner: 'pytest', testCommand: 'python -m pytest', wrong: 'test_is_wrong' },
  {
    folder: 'go',
    runner: 'go test',
    testCommand: 'go test ./...',
    wrong: 'TestSum',
    expected: { failed: 1, skipped: 1 },
    missing: () => !has('go', ['version']),
  },
  {
    folder: 'cargo',
    runner: 'nextest',
    testCommand: 'cargo nextest run --no-fail-fast',
    wrong: 'sum > sum::is_wrong',
    expected: { passed: 1, failed: 1 },
    missing: () => !has('cargo-nextest', ['nextest', '--version']),
  },
  {
    folder: 'cargo',
    runner: 'cargo test',
    testCommand: has('cargo-nextest', ['nextest', '--version'])
      ? 'cargo nextest run --no-fail-fast'
      : 'cargo test --no-fail-fast',
    command: 'cargo test',
    wrong: 'sum > sum::is_wrong',
    missing: () => !has('cargo'),
  },
  {
    folder: 'maven',
    runner: 'maven',
    testCommand: 'mvn test --fail-at-end',
    wrong: 'shop.SumTest > is_wrong',
    expected: { passed: 2, failed: 1, skipped: 1 },
    missing: () => !hasMavenOffline(),
  },
  {
    folder: 'gradle',
    runner: 'gradle',
    testCommand: 'gradle test --continue',
    wrong: 'shop.SumTest > is_wrong',
    expected: { passed: 2, failed: 1, skipped: 1 },
    missing: () => !hasGradleOffline(),
  },
];

describe.each(RUNNERS)('$runner', ({ folder, runner, testCommand, command, wrong, expected = totals, missing }) => {
  test.skipIf(missing?.())('is detected, run and read', async () => {
    const { root, init } = await opened(runnerProject(folder));
    expect(init.testCommand).toBe(testCommand);
    if (command === undefined) expect(init.runner).toBe(runner);
    const run = await agent.data('argus_run', { projectPath: root, ...(command === undefined ? {} : { command }) });
    expect(run).toMatchObject({ status: 'failed', totals: expected, more: 0 });
    const [failure] = Array.isArray(run.failures) ? run.failures : [];
    expect(failure).toMatchObject({ caseName: expect.stringContaining(wrong), category: 'ASSERTION_MISMATCH' });
    const { runs } = await agent.data('argus_history', { projectPath: root });
    expect(runs).toMatchObject([{ id: run.runId, command: command ?? testCommand, status: 'failed' }]);
    const diagnosis = await agent.data('argus_diagnose', {
      projectPath: root,
      runId: run.runId,
      caseName: failure.caseName,
    });
    expect(diagnosis).toMatchObject({ category: 'ASSERTION_MISMATCH', pattern: { id: 'builtin-assertion' } });
    expect(temporaryFolders(), 'reports are deleted').toEqual([]);
  });

  test.skipIf(missing?.())('shows its own output', () => {
    const root = runnerProject(folder);
    const args = [BUNDLE, 'run', '--project', root, ...(command === undefined ? [] : [command])];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      env: environment({ PATH }),
    });
    expect(status).toBe(1);
    expect(stdout).toMatch(/^run-\S+ {2}failed/mu);
    const shown = stdout.slice(0, stdout.search(/^run-/mu)) + stderr;
    expect(shown).toMatch(/is[ _]wrong/u);
    expect(shown).not.toMatch(/"Action"|<testcase|reportFormat|numFailedTests|argus-run-|noise of a passing test/u);
  });
});

test('a filter runs one test', async () => {
  const { root } = await opened(runnerProject('vitest'));
  const run = await agent.data('argus_run', { projectPath: root, filter: 'sum.test.js > sum > adds' });
  expect(run).toMatchObject({ status: 'passed', totals: { passed: 1, failed: 0 } });
});

test('the reporters that a Vitest configuration names go on, whatever else it calls reporters', async () => {
  const { root } = await opened(runnerProject('vitest'));
  writeFileSync(path.join(root, 'own.mjs'), 'export default class { onTestRunEnd() { console.log("our own end"); } }');
  const reporters = `['./own.mjs', ['junit', { outputFile: 'own.xml' }]]`;
  const settings = `{ coverage: { reporter: ['text', 'lcov'] }, reporters: ${reporters} }`;
  writeFileSync(path.join(root, 'vitest.config.mjs'), `export default { test: ${settings} };\n`);
  const run = await agent.data('argus_run', { projectPath: root });
  expect(run).toMatchObject({ status: 'failed', totals, notes: [] });
  expect(readFileSync(path.join(root, 'own.xml'), 'utf8')).toContain('is wrong');
  const printed = spawnSync(process.execPath, [BUNDLE, 'run', '--project', root], {
    encoding: 'utf8',
    env: environment({ PATH }),
  });
  expect(printed.stdout.match(/our own end/gu)).toHaveLength(1);
});

test('every package and every step of a command is read, and no runner that a test starts', async () => {
  const root = runnerProject('mocha');
  const nested = 'require("node:child_process").spawnSync("mocha", ["inner.js"], { cwd: __dirname, shell: true })';
  const files = {
    'package.json': { private: true, workspaces: ['packages/*'], scripts: { test: 'npm test -ws && mocha last.js' } },
    'packages/one/package.json': { name: 'one', version: '1.0.0', scripts: { test: 'vitest run' } },
    'packages/one/sum.test.js': 'import { test } from "vitest";\ntest("adds", () => {});\n',
    'packages/two/package.json': {
      name: 'two',
      version: '1.0.0',
      scripts: { pretest: 'jest --version', test: 'mocha outer.js' },
    },
    'packages/two/outer.js': `it("starts another", () => { if (${nested}.status !== 1) throw new Error("no"); });\n`,
    'packages/two/inner.js': 'it("fails", () => { throw new Error("within"); });\n',
    'last.js': 'it("is last", () => { throw new Error("in the end"); });\n',
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  await opened(root);
  const run = await agent.data('argus_run', { projectPath: root });
  expect(run).toMatchObject({ status: 'failed', totals: { passed: 2, failed: 1 } });
  expect(run.failures).toMatchObject([{ caseName: 'last.js > is last', headline: 'Error: in the end' }]);
  const { cases } = await agent.data('argus_history', { projectPath: root, runId: run.runId });
  expect(JSON.stringify(cases)).toContain('packages/one/sum.test.js > adds');
  expect(JSON.stringify(cases)).toContain('packages/two/outer.js > starts another');
});

test('a runner that does not take what is added runs once more as it was typed', async () => {
  const { root } = await opened(runnerProject('pytest'));
  const run = await agent.data('argus_run', { projectPath: root, command: 'python -m pytest -p no:junitxml' });
  expect(run).toMatchObject({
    status: 'failed',
    totals: { failed: 1 },
    failures: [{ category: 'ASSERTION_MISMATCH' }],
  });
  expect(run.notes).toEqual([
    expect.stringMatching(/^pytest did not take what Argus adds .*junitxml.* ran once more/u),
  ]);
  const { runs } = await agent.data('argus_history', { projectPath: root });
  expect(runs).toHaveLength(1);
});

describe.each([
  { folder: 'vitest', filter: 'subtracts' },
  { folder: 'mocha', filter: 'subtracts' },
  { folder: 'node-test', filter: 'subtracts', command: 'node --test sum.js' },
])('no test of $folder', ({ folder, filter, command }) => {
  test('is no success', async () => {
    const { root } = await opened(runnerProject(folder));
    await agent.data('argus_run', { projectPath: root });
    const given = command === undefined ? {} : { command };
    const run = await agent.data('argus_run', { projectPath: root, filter, ...given });
    expect(run).toMatchObject({ status: 'failed', totals: { passed: 0, failed: 0 } });
    expect(run.notes).toEqual([expect.stringMatching(/^NO_TESTS_RAN: .*sum > adds/u)]);
  });
});

test('no test of a runner that another program starts is no success', async () => {
  const { root } = await opened(runnerProject('mocha'));
  const command = 'sh -c "mocha sum.js -g subtracts"';
  const run = await agent.data('argus_run', { projectPath: root, command });
  expect(run).toMatchObject({
    status: 'failed',
    totals: { passed: 0 },
    notes: [expect.stringMatching(/^NO_TESTS_RAN/u)],
  });
});

describe.each([
  { folder: 'maven', missing: !hasMavenOffline() },
  { folder: 'gradle', missing: !hasGradleOffline() },
])('a filter of $folder', ({ folder, missing }) => {
  test.skipIf(missing)('may leave modules without a test; where it leaves all so, that is said', async () => {
    const { root } = await opened(runnerProject(folder));
    const one = await agent.data('argus_run', { projectPath: root, filter: 'shop.SumTest > adds' });
    expect(one).toMatchObject({ status: 'passed', totals: { passed: 1, failed: 0, skipped: 0 }, notes: [] });
    const none = await agent.data('argus_run', { projectPath: root, filter: 'subtracts' });
    expect(none).toMatchObject({ status: 'failed', notes: [expect.stringMatching(/^NO_TESTS_RAN: /u)] });
  });
});

test.skipIf(!hasGradleOffline())('what Gradle need not run again counts as it did', async () => {
  const { root } = await opened(runnerProject('gradle'));
  const file = path.join(root, 'first/src/test/java/shop/SumTest.java');
  writeFileSync(file, readFileSync(file, 'utf8').replace('(5, 2 + 2)', '(4, 2 + 2)'));
  const first = await agent.data('argus_run', { projectPath: root });
  expect(first).toMatchObject({ status: 'passed', totals: { passed: 3, failed: 0, skipped: 1 } });
  const again = await agent.data('argus_run', { projectPath: root });
  expect(again).toMatchObject({ status: 'passed', totals: first.totals, notes: [] });
});

function temporaryFolders(): string[] {
  return readdirSync(temporary).filter((name) => name.startsWith('argus-run-'));
}
