/**
 * argus_run with the real runners: what is recorded, and that people still see the runner's own output. Every dialect
 * of a report: crates/report. What is the same for any command: commands.test.ts.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Agent, BUNDLE, connect, type Data, environment, project, runnerProject } from '../harness.ts';
import { hasGradleOffline, hasMavenOffline, pythonFolder } from '../setup.mjs';
import { has, PATH } from './installed.ts';

let agent: Agent;
/** The server's own, to see what it leaves behind. */
const temporary = project();

beforeAll(async () => {
  agent = await connect('2026-07-28', { PATH, TMPDIR: temporary });
});
afterAll(() => agent?.close());

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
  testPlace?: string;
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
  { folder: 'node-test', runner: 'node:test', testCommand: 'npm test', wrong: 'sum.js > sum > is wrong' },
  { folder: 'bun', runner: 'bun', testCommand: 'bun run test', wrong: 'sum.test.js > sum > is wrong' },
  { folder: 'deno', runner: 'deno', testCommand: 'deno task test', wrong: 'sum_test.js > is wrong' },
  { folder: 'pytest', runner: 'pytest', testCommand: 'python -m pytest', wrong: 'test_is_wrong' },
  {
    folder: 'unittest',
    runner: 'unittest',
    testCommand: 'python -m unittest discover -s tests',
    wrong: 'tests/test_sum.py > test_sum.TestSum > test_is_wrong',
  },
  { folder: 'ava', runner: 'ava', testCommand: 'npm test', wrong: 'sum.test.js > is wrong' },
  { folder: 'tap', runner: 'tap', testCommand: 'npm test', wrong: 'sum.test.js > is wrong' },
  { folder: 'uvu', runner: 'uvu', testCommand: 'npx uvu', wrong: 'test/sum.js > sum > is wrong' },
  {
    folder: 'rspec',
    runner: 'rspec',
    testCommand: 'rspec',
    wrong: 'spec/sum_spec.rb > sum > is wrong',
    missing: () => !has('rspec'),
  },
  {
    folder: 'minitest',
    runner: 'minitest',
    testCommand: 'rake test',
    wrong: 'test/test_sum.rb > TestSum > test_is_wrong',
    missing: () => !has('rake') || !has('ruby', ['-e', 'require "minitest"']),
  },
  {
    folder: 'minitest',
    runner: 'minitest',
    testCommand: 'rake test',
    command: 'ruby -Itest test/test_sum.rb',
    wrong: 'test/test_sum.rb > TestSum > test_is_wrong',
    missing: () => !has('ruby', ['-e', 'require "minitest"']),
  },
  {
    folder: 'phpunit',
    runner: 'phpunit',
    testCommand: 'phpunit',
    wrong: 'tests/SumTest.php > SumTest > test_is_wrong',
    missing: () => !has('phpunit'),
  },
  {
    folder: 'ctest',
    runner: 'ctest',
    testCommand: 'cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure',
    wrong: 'sum.is_wrong',
    missing: () => !has('ctest'),
  },
  {
    folder: 'bats',
    runner: 'bats',
    testCommand: 'bats test',
    wrong: 'sum.bats > is wrong',
    missing: () => !has('bats'),
  },
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
    testPlace: 'first/src/test/java/shop/SumTest.java:',
    expected: { passed: 2, failed: 1, skipped: 1 },
    missing: () => !hasMavenOffline(),
  },
  {
    folder: 'gradle',
    runner: 'gradle',
    testCommand: 'gradle test --continue',
    wrong: 'shop.SumTest > is_wrong',
    testPlace: 'first/src/test/java/shop/SumTest.java:',
    expected: { passed: 2, failed: 1, skipped: 1 },
    missing: () => !hasGradleOffline(),
  },
];

describe.each(RUNNERS)('$runner', (row) => {
  const { folder, runner, testCommand, command, wrong, expected = totals, testPlace, missing } = row;
  test.skipIf(missing?.())('is detected, run and read', async () => {
    const { root, init } = await opened(runnerProject(folder));
    expect(init.testCommand).toBe(testCommand);
    if (command === undefined) expect(init.runner).toBe(runner);
    const run = await agent.data('argus_run', { projectPath: root, ...(command === undefined ? {} : { command }) });
    expect(run).toMatchObject({ status: 'failed', totals: expected, more: 0 });
    const [failure] = Array.isArray(run.failures) ? run.failures : [];
    expect(failure).toMatchObject({ caseName: expect.stringContaining(wrong), category: 'ASSERTION_MISMATCH' });
    if (testPlace !== undefined) expect(failure.testPlace).toContain(testPlace);
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

/** Without times, the order of tests and where it is from, which differ from run to run. */
const settled = (text: string) =>
  text
    .replaceAll(/\d+(?:\.\d+)?(?:e-\d+)?\s?(?:ms|seconds?|sec|s)\b/gu, 'TIME')
    .replaceAll(/(?:time=|Time: |duration_ms[: ]+)[\d:.]+(?:ms)?|[\d.]+ (?:runs|assertions)\/s/gu, 'TIME')
    .replaceAll(/--seed \d+/gu, 'SEED')
    .replaceAll(/^[.FS]{3}$/gmu, 'DOTS')
    .replaceAll(/ +(?=TIME)/gu, ' ');

describe.each([
  { folder: 'node-test', command: 'node --test sum.js' },
  { folder: 'node-test', command: 'node --test --test-reporter=spec sum.js' },
  { folder: 'node-test', command: 'node sum.js' },
  { folder: 'node-test', command: 'npm test' },
  { folder: 'mocha', command: 'mocha' },
  { folder: 'unittest', command: 'python -m unittest discover -s tests' },
  { folder: 'ava', command: 'ava' },
  { folder: 'uvu', command: 'uvu' },
  { folder: 'tap', command: 'tap --disable-coverage' },
  { folder: 'rspec', command: 'rspec', missing: () => !has('rspec') },
  { folder: 'minitest', command: 'rake test', missing: () => !has('rake') },
  { folder: 'phpunit', command: 'phpunit', missing: () => !has('phpunit') },
  { folder: 'bats', command: 'bats test', missing: () => !has('bats') },
])('what $folder prints by $command', ({ folder, command, missing }) => {
  test.skipIf(missing?.())('is what it prints alone', () => {
    const root = runnerProject(folder);
    const env = environment({ PATH });
    const bare = spawnSync(command, { cwd: root, encoding: 'utf8', env, shell: true });
    const run = spawnSync(process.execPath, [BUNDLE, 'run', '--project', root, command], { encoding: 'utf8', env });
    expect(settled(run.stdout.slice(0, run.stdout.search(/^run-/mu)))).toBe(settled(bare.stdout));
    expect(settled(run.stderr)).toBe(settled(bare.stderr));
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

const FAILING_TESTS = `const test = require('node:test');
test('outer', async (t) => { await t.test('inner', () => { throw new TypeError('own'); }); });
test.todo('later');
test('refused', { skip: process.env.npm_package_name === 'one' || process.argv[1].includes('one') }, () => connect());
const connect = () => new Promise((_, reject) => require('node:net').connect(1, '127.0.0.1').on('error', reject));
`;

test.each([
  ['npm test --workspaces', undefined],
  ['npm test', 'npm test -w packages/one; npm test -w packages/two'],
  ['sh check.sh', undefined],
])('node:test is read in every package by %s', async (command, script) => {
  const tests = { scripts: { test: 'node --test' } };
  const root = project({
    'package.json': JSON.stringify({ private: true, workspaces: ['packages/*'], scripts: { test: script } }),
    'packages/one/package.json': JSON.stringify({ name: 'one', version: '1.0.0', ...tests }),
    'packages/one/test/a.test.js': FAILING_TESTS,
    'packages/two/package.json': JSON.stringify({ name: 'two', version: '1.0.0', ...tests }),
    'packages/two/test/a.test.js': FAILING_TESTS,
    'packages/two/test/b.test.js': "require('./absent');\n",
    'check.sh': '(cd packages/one && node test/a.test.js)\n(cd packages/two && node --test --test-reporter=dot)\n',
  });
  await opened(root);
  const run = await agent.data('argus_run', { projectPath: root, command });
  expect(run).toMatchObject({ status: 'failed', totals: { passed: 0, failed: 4, skipped: 3 }, notes: [] });
  expect(run.failures).toMatchObject([
    { caseName: 'packages/one/test/a.test.js > outer > inner', headline: 'TypeError: own' },
    { caseName: 'packages/two/test/a.test.js > outer > inner', headline: 'TypeError: own' },
    {
      caseName: 'packages/two/test/a.test.js > refused',
      headline: 'Error: connect ECONNREFUSED 127.0.0.1:1',
      testPlace: 'packages/two/test/a.test.js:4',
    },
    {
      caseName: 'packages/two/test/b.test.js > (suite)',
      headline: "Error: Cannot find module './absent'",
      testPlace: 'packages/two/test/b.test.js:1',
    },
  ]);
  const { runs } = await agent.data('argus_history', { projectPath: root });
  expect(runs).toMatchObject([{ command }]);
  if (command.startsWith('sh ')) return;
  const one = await agent.data('argus_run', { projectPath: root, command: 'npm test -ws', filter: 'later' });
  expect(one).toMatchObject({ totals: { passed: 0, failed: 1 } });
  expect(JSON.stringify(one.failures)).not.toContain('inner');
});

test('turbo and tox hide the environment from their tasks, and not the cases', async () => {
  const test = (name: string) => JSON.stringify({ name, version: '1.0.0', scripts: { test: 'node --test' } });
  const packages = project({
    'package.json': JSON.stringify({ private: true, packageManager: 'npm@10.0.0', workspaces: ['packages/*'] }),
    'package-lock.json': JSON.stringify({
      lockfileVersion: 3,
      packages: { '': { workspaces: ['packages/*'] }, 'packages/one': {}, 'packages/two': {} },
    }),
    'turbo.json': '{"tasks":{"test":{"cache":false}}}',
    'packages/one/package.json': test('one'),
    'packages/one/test/a.test.js': FAILING_TESTS,
    'packages/two/package.json': test('two'),
    'packages/two/test/a.test.js': FAILING_TESTS,
  });
  await opened(packages);
  const turbo = await agent.data('argus_run', { projectPath: packages, command: 'turbo run test --continue' });
  expect(turbo, JSON.stringify(turbo)).toMatchObject({ totals: { passed: 0, failed: 3, skipped: 3 }, notes: [] });

  const python = project({
    'tox.ini': `[testenv]
skip_install = true
allowlist_externals = *
commands = ${path.join(pythonFolder, 'bin', 'python')} -m pytest
`,
    'test_sum.py': 'def test_right():\n    pass\n\n\ndef test_wrong():\n    assert 1 + 1 == 3\n',
  });
  await opened(python);
  const tox = await agent.data('argus_run', { projectPath: python, command: 'tox -e py' });
  expect(tox, JSON.stringify(tox)).toMatchObject({
    totals: { passed: 1, failed: 1 },
    failures: [{ caseName: 'test_sum.py > test_wrong', testPlace: 'test_sum.py:6' }],
  });
});

test('a program that only lists its tests is read as node:test is', async () => {
  const root = project({
    'test/index.js': "import './sums.js';\nimport './names.js';\n",
    'test/sums.js': `import assert from 'node:assert/strict';\nimport test from 'node:test';\n\ntest('sums', async (t) => { await t.test('adds', () => assert.equal(2 + 2, 5)); });\n`,
    'test/names.js': "import { test } from 'node:test';\n\ntest('names', () => {});\n",
    'package.json': '{ "type": "module", "scripts": { "test": "node test/index.js" } }',
  });
  const run = await agent.data('argus_run', { projectPath: (await opened(root)).root });
  expect(run).toMatchObject({ totals: { passed: 1, failed: 1 } });
  expect(run.failures).toMatchObject([{ caseName: 'test/sums.js > sums > adds', testPlace: 'test/sums.js:4' }]);
});

test('a program that starts Mocha itself is read as Mocha is', async () => {
  const { root } = await opened(runnerProject('mocha'));
  const program =
    "const { Mocha } = require('mocha');\nnew Mocha().addFile('./sum.js').run((failed) => process.exit(failed));\n";
  writeFileSync(path.join(root, 'run.js'), program);
  const run = await agent.data('argus_run', { projectPath: root, command: 'node run.js' });
  expect(run).toMatchObject({ totals, failures: [{ caseName: 'sum.js > sum > is wrong' }] });
});

test('a runner that does not take what is added runs once more as it was typed', async () => {
  const { root } = await opened(runnerProject('pytest'));
  const command = 'env -u PYTHONPATH python -m pytest';
  const again = await agent.data('argus_run', { projectPath: root, command });
  expect(again).toMatchObject({
    status: 'failed',
    totals: { failed: 1 },
    failures: [{ category: 'ASSERTION_MISMATCH' }],
  });
  expect(again.notes).toEqual([expect.stringMatching(/did not take what Argus adds .*argus_pytest.* ran once more/u)]);
  const { runs } = await agent.data('argus_history', { projectPath: root });
  expect(runs).toHaveLength(1);
});

test('every pytest of a command is read, and a report that the project asks for is written', async () => {
  const { root } = await opened(runnerProject('pytest'));
  const files = {
    'test_more.py': 'def test_more():\n    assert 1 + 1 == 2\n',
    'test_last.py': 'def test_last():\n    assert 1 + 1 == 3\n',
    'pytest.ini': '[pytest]\naddopts = --junitxml=own.xml\n',
    Makefile: 'check:\n\tpython -m pytest -q test_more.py\n\tpython -m pytest -q test_last.py\n',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(root, name), content);
  const run = await agent.data('argus_run', { projectPath: root, command: 'make check' });
  expect(run).toMatchObject({ totals: { passed: 1, failed: 1 }, failures: [{ caseName: 'test_last.py > test_last' }] });
  expect(readFileSync(path.join(root, 'own.xml'), 'utf8')).toContain('test_last');
  const typed = 'python -m pytest test_more.py && python -m pytest -p no:junitxml test_last.py';
  expect(await agent.data('argus_run', { projectPath: root, command: typed })).toMatchObject({ status: 'failed' });
});

test.skipIf(!has('rspec') || !has('rake'))(
  'runners of Ruby are read behind other programs, and not where a test starts one',
  async () => {
    const { root } = await opened(runnerProject('minitest'));
    const files = {
      'spec/own_spec.rb': `RSpec.describe('own') { it('runs') { expect(\`rspec other_spec.rb\`).to include('1 failure') } }\n`,
      'other_spec.rb': `RSpec.describe('other') { it('fails') { expect(1).to eq(2) } }\n`,
      'check.sh': 'rake test; rspec spec\n',
    };
    mkdirSync(path.join(root, 'spec'));
    for (const [name, content] of Object.entries(files)) writeFileSync(path.join(root, name), content);
    const run = await agent.data('argus_run', { projectPath: root, command: 'sh check.sh' });
    expect(run).toMatchObject({ totals: { passed: 2, failed: 1, skipped: 1 } });
  },
);

test.skipIf(!has('phpunit'))('every PHPUnit of a command is read', async () => {
  const { root } = await opened(runnerProject('phpunit'));
  writeFileSync(path.join(root, 'check.sh'), 'phpunit --filter adds\nphpunit --filter is_wrong\n');
  const run = await agent.data('argus_run', { projectPath: root, command: 'sh check.sh' });
  expect(run).toMatchObject({ totals: { passed: 1, failed: 1 }, notes: [] });
  expect(run.failures).toMatchObject([{ caseName: 'tests/SumTest.php > SumTest > test_is_wrong' }]);
});

test('pytest is read behind other programs, beside the other steps of a command', async () => {
  const { root } = await opened(runnerProject('mocha'));
  const files = {
    'test_more.py': 'def test_more():\n    assert 1 + 1 == 2\n\ndef test_less():\n    assert 1 + 1 == 3\n',
    Makefile: 'check:\n\t-python -m pytest -q\n\tmocha sum.js\n',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(root, name), content);
  const run = await agent.data('argus_run', { projectPath: root, command: 'make check' });
  expect(run).toMatchObject({ status: 'failed', totals: { passed: 2, failed: 2, skipped: 1 } });
});

test.skipIf(!has('ruby'))('a Ruby that cannot load what Argus adds runs once more without it', async () => {
  const { root } = await opened(runnerProject('minitest'));
  const command = 'env -u RUBYLIB ruby -Itest test/test_sum.rb';
  const run = await agent.data('argus_run', { projectPath: root, command });
  expect(run).toMatchObject({ status: 'failed', failures: [{ category: 'ASSERTION_MISMATCH' }] });
  expect(run.notes).toEqual([expect.stringMatching(/did not take what Argus adds .*argus_reporter.* ran once more/u)]);
});

test('a project is opened with a warning where its runner is not installed', async () => {
  const root = runnerProject('vitest');
  rmSync(path.join(root, 'node_modules'));
  expect((await opened(root)).init.warnings).toBeUndefined();
  writeFileSync(
    path.join(root, 'package.json'),
    '{ "scripts": { "test": "vitest" }, "devDependencies": { "vitest": "4" } }',
  );
  expect((await opened(root)).init.warnings).toEqual(["vitest is not installed: run 'npm install'."]);
});

test('node --test without a script is detected', async () => {
  const root = runnerProject('node-test');
  mkdirSync(path.join(root, 'test'));
  renameSync(path.join(root, 'sum.js'), path.join(root, 'test/sum.js'));
  writeFileSync(path.join(root, 'package.json'), '{ "type": "module" }');
  const { init } = await opened(root);
  expect(init).toMatchObject({ testCommand: 'node --test', runner: 'node:test' });
  expect(await agent.data('argus_run', { projectPath: root })).toMatchObject({ status: 'failed', totals });
});

describe.each([
  {
    folder: 'unittest',
    file: 'tests/test_other.py',
    text: 'import unittest\nimport absent\n',
    said: "No module named 'absent'",
  },
  {
    folder: 'rspec',
    file: 'spec/other_spec.rb',
    text: "require 'absent'\n",
    said: 'cannot load such file -- absent',
    totals: { passed: 0, failed: 1, skipped: 0 },
    missing: !has('rspec'),
  },
  { folder: 'ava', file: 'other.test.js', text: "import test from 'ava';\nimport './absent.js';\n", said: 'absent.js' },
])('an error outside of the tests of $folder is a failure', ({ folder, file, text, said, missing, ...more }) => {
  test.skipIf(missing)('with its message', async () => {
    const { root } = await opened(runnerProject(folder));
    writeFileSync(path.join(root, file), text);
    const run = await agent.data('argus_run', { projectPath: root });
    expect(run).toMatchObject({ totals: more.totals ?? { passed: 1, failed: 2, skipped: 1 } });
    expect(JSON.stringify(run.failures)).toContain(said);
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

test('what a test of AVA rejects with is its headline', async () => {
  const { root } = await opened(runnerProject('ava'));
  const text = "import test from 'ava';\n\ntest('reads', () => Promise.reject(new TypeError('it\\'s closed')));\n";
  writeFileSync(path.join(root, 'store.test.js'), text);
  const { failures } = await agent.data('argus_run', { projectPath: root });
  expect(failures).toContainEqual(
    expect.objectContaining({ caseName: 'store.test.js > reads', headline: "TypeError: it's closed" }),
  );
});
