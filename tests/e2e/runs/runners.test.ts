/**
 * argus_run with each of the real runners: it is detected, what it says is recorded, and people still see its own
 * output. What is particular to one of them: runner-cases.test.ts and vitest-jest-cases.test.ts. Behind other programs:
 * nested-runners.test.ts. Every dialect of a report: crates/report.
 */

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BUNDLE, environment, runnerProject } from '../harness.ts';
import { hasGradleOffline, hasMavenOffline } from '../setup.mjs';
import { has, hasChrome, PATH } from './installed.ts';
import { agent, opened, temporary, totals } from './runners-agent.ts';

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
  {
    folder: 'django',
    runner: 'unittest',
    testCommand: 'python manage.py test',
    wrong: 'shop/tests.py > shop.tests.SumTest > test_is_wrong',
  },
  { folder: 'ava', runner: 'ava', testCommand: 'npm test', wrong: 'sum.test.js > is wrong' },
  { folder: 'tap', runner: 'tap', testCommand: 'npm test', wrong: 'sum.test.js > is wrong' },
  {
    folder: 'tape',
    runner: 'tape',
    testCommand: 'npm test',
    wrong: 'is wrong',
    // It counts what is asserted, and of a test that is skipped nothing is.
    expected: { passed: 1, failed: 1, skipped: 0 },
  },
  { folder: 'jasmine', runner: 'jasmine', testCommand: 'npm test', wrong: 'spec/sum.spec.js > sum > is wrong' },
  { folder: 'qunit', runner: 'qunit', testCommand: 'npm test', wrong: 'test/sum.js > sum > is wrong' },
  {
    folder: 'web-test-runner',
    runner: 'web-test-runner',
    testCommand: 'npm test',
    wrong: 'test/sum.test.js > sum > is wrong',
    missing: () => !hasChrome,
  },
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
    folder: 'test-unit',
    runner: 'minitest',
    testCommand: 'rake test',
    wrong: 'test/test_sum.rb > TestSum > test_is_wrong',
    missing: () => !has('rake') || !has('ruby', ['-e', 'require "test-unit"']),
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
    folder: 'busted',
    runner: 'busted',
    testCommand: 'busted',
    wrong: 'spec/sum_spec.lua > sum > is wrong',
    testPlace: 'spec/sum_spec.lua:',
    missing: () => !has('busted'),
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
  { folder: 'django', command: 'python manage.py test' },
  { folder: 'ava', command: 'ava' },
  { folder: 'jasmine', command: 'jasmine --random=false' },
  { folder: 'uvu', command: 'uvu' },
  { folder: 'tap', command: 'tap --disable-coverage' },
  { folder: 'rspec', command: 'rspec', missing: () => !has('rspec') },
  { folder: 'minitest', command: 'rake test', missing: () => !has('rake') },
  { folder: 'phpunit', command: 'phpunit', missing: () => !has('phpunit') },
  { folder: 'busted', command: 'busted', missing: () => !has('busted') },
  { folder: 'busted', command: 'busted -o TAP', missing: () => !has('busted') },
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

function temporaryFolders(): string[] {
  return readdirSync(temporary).filter((name) => name.startsWith('argus-run-'));
}
