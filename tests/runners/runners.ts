/** The real runners: each is detected, run and read, and people still see its own output. */

import { expect } from 'vitest';
import { type ProgramName, versionNumber } from './installed.ts';
import type { Recorded } from './recording.ts';
import type { Scenario, Stage } from './scenario.ts';

/** Its recording has its name; so have its folder and its program unless they are named. */
type Runner = Row & ({ name: ProgramName } | { name: string; programs: Scenario['programs'] });

interface Row {
  folder?: string;
  /** The runner's name in Argus. */
  runner: string;
  testCommand: string;
  /** Overrides the detected command. */
  command?: string;
  /** Part of the name of the case that fails. */
  wrong: string;
  expected?: object;
  testPlace?: string;
  /** Its report holds its version. */
  tellsVersion?: true;
  /** With Argus the command prints what it prints alone. */
  isAsAlone?: true;
  /** `npm test` really runs it. */
  isCore?: true;
}

/** Of each project in `runners/`. */
export const totals = { passed: 1, failed: 1, skipped: 1, flaky: 0 };

const RUNNERS: Runner[] = [
  {
    name: 'vitest',
    runner: 'vitest',
    testCommand: 'npm test',
    wrong: 'sum.test.js > sum > is wrong',
    tellsVersion: true,
    isCore: true,
  },
  {
    name: 'jest',
    runner: 'jest',
    testCommand: 'npm test',
    wrong: 'sum.test.js > sum > is wrong',
    tellsVersion: true,
    isCore: true,
  },
  {
    name: 'mocha',
    runner: 'mocha',
    testCommand: 'npm test',
    wrong: 'sum.js > sum > is wrong',
    tellsVersion: true,
    isAsAlone: true,
  },
  {
    name: 'playwright',
    runner: 'playwright',
    testCommand: 'npm test',
    wrong: 'tests/sum.js > api > sum > is wrong',
    expected: { passed: 2, failed: 1, skipped: 1, flaky: 1 },
    tellsVersion: true,
  },
  {
    name: 'node-test',
    programs: ['node'],
    runner: 'node:test',
    testCommand: 'npm test',
    wrong: 'sum.js > sum > is wrong',
    tellsVersion: true,
    isAsAlone: true,
    isCore: true,
  },
  { name: 'bun', runner: 'bun', testCommand: 'bun run test', wrong: 'sum.test.js > sum > is wrong' },
  { name: 'deno', runner: 'deno', testCommand: 'deno task test', wrong: 'sum_test.js > is wrong' },
  {
    name: 'pytest',
    runner: 'pytest',
    testCommand: 'python -m pytest',
    wrong: 'test_is_wrong',
    tellsVersion: true,
    isCore: true,
  },
  {
    name: 'unittest',
    programs: ['python'],
    runner: 'unittest',
    testCommand: 'python -m unittest discover -s tests',
    wrong: 'tests/test_sum.py > test_sum.TestSum > test_is_wrong',
    tellsVersion: true,
    isAsAlone: true,
    isCore: true,
  },
  {
    name: 'django',
    runner: 'unittest',
    testCommand: 'python manage.py test',
    wrong: 'shop/tests.py > shop.tests.SumTest > test_is_wrong',
    isAsAlone: true,
  },
  {
    name: 'ava',
    runner: 'ava',
    testCommand: 'npm test',
    wrong: 'sum.test.js > is wrong',
    tellsVersion: true,
    isAsAlone: true,
  },
  { name: 'tap', runner: 'tap', testCommand: 'npm test', wrong: 'sum.test.js > is wrong', isAsAlone: true },
  {
    name: 'tape',
    runner: 'tape',
    testCommand: 'npm test',
    wrong: 'is wrong',
    // It counts what is asserted, and nothing is asserted by a test that is skipped.
    expected: { passed: 1, failed: 1, skipped: 0 },
  },
  { name: 'jasmine', runner: 'jasmine', testCommand: 'npm test', wrong: 'spec/sum.spec.js > sum > is wrong' },
  {
    name: 'qunit',
    runner: 'qunit',
    testCommand: 'npm test',
    wrong: 'test/sum.js > sum > is wrong',
    tellsVersion: true,
  },
  {
    name: 'web-test-runner',
    runner: 'web-test-runner',
    testCommand: 'npm test',
    wrong: 'test/sum.test.js > sum > is wrong',
    tellsVersion: true,
  },
  {
    name: 'uvu',
    runner: 'uvu',
    testCommand: 'npx uvu',
    wrong: 'test/sum.js > sum > is wrong',
    tellsVersion: true,
    isAsAlone: true,
  },
  {
    name: 'rspec',
    runner: 'rspec',
    testCommand: 'rspec',
    wrong: 'spec/sum_spec.rb > sum > is wrong',
    tellsVersion: true,
    isAsAlone: true,
  },
  {
    name: 'minitest',
    programs: ['minitest', 'rake'],
    runner: 'minitest',
    testCommand: 'rake test',
    wrong: 'test/test_sum.rb > TestSum > test_is_wrong',
    isAsAlone: true,
  },
  {
    name: 'minitest-by-ruby',
    folder: 'minitest',
    programs: ['minitest'],
    runner: 'minitest',
    testCommand: 'rake test',
    command: 'ruby -Itest test/test_sum.rb',
    wrong: 'test/test_sum.rb > TestSum > test_is_wrong',
    tellsVersion: true,
  },
  {
    name: 'test-unit',
    programs: ['test-unit', 'rake'],
    runner: 'minitest',
    testCommand: 'rake test',
    wrong: 'test/test_sum.rb > TestSum > test_is_wrong',
    tellsVersion: true,
  },
  {
    name: 'phpunit',
    runner: 'phpunit',
    testCommand: 'phpunit',
    wrong: 'tests/SumTest.php > SumTest > test_is_wrong',
    isAsAlone: true,
  },
  {
    name: 'ctest',
    runner: 'ctest',
    testCommand: 'cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure',
    wrong: 'sum.is_wrong',
  },
  {
    name: 'busted',
    runner: 'busted',
    testCommand: 'busted',
    wrong: 'spec/sum_spec.lua > sum > is wrong',
    testPlace: 'spec/sum_spec.lua:',
    tellsVersion: true,
    isAsAlone: true,
  },
  { name: 'bats', runner: 'bats', testCommand: 'bats test', wrong: 'sum.bats > is wrong', isAsAlone: true },
  {
    name: 'go',
    runner: 'go test',
    testCommand: 'go test ./...',
    wrong: 'TestSum',
    expected: { failed: 1, skipped: 1 },
    isCore: true,
  },
  {
    name: 'nextest',
    folder: 'cargo',
    runner: 'nextest',
    testCommand: 'cargo nextest run --no-fail-fast',
    wrong: 'sum > sum::is_wrong',
  },
  {
    name: 'cargo',
    runner: 'cargo test',
    testCommand: 'cargo nextest run --no-fail-fast',
    command: 'cargo test',
    wrong: 'sum > sum::is_wrong',
    isCore: true,
  },
  {
    name: 'maven',
    runner: 'maven',
    testCommand: 'mvn test --fail-at-end',
    wrong: 'shop.SumTest > is_wrong',
    testPlace: 'first/src/test/java/shop/SumTest.java:',
    expected: { passed: 2, failed: 1, skipped: 1 },
  },
  {
    name: 'gradle',
    runner: 'gradle',
    testCommand: 'gradle test --continue',
    wrong: 'shop.SumTest > is_wrong',
    testPlace: 'first/src/test/java/shop/SumTest.java:',
    expected: { passed: 2, failed: 1, skipped: 1 },
  },
];

export const RUNNER_SCENARIOS: readonly (Scenario & { isCore: boolean })[] = RUNNERS.map((row) => ({
  name: `${row.name} is detected, run and read, and shows its own output`,
  recording: row.name,
  programs: 'programs' in row ? row.programs : [row.name],
  folder: row.folder ?? row.name,
  isCore: row.isCore ?? false,
  play: (stage) => isDetectedRunAndRead(stage, row),
}));

async function isDetectedRunAndRead(stage: Stage, row: Runner): Promise<void> {
  const { runner, testCommand, command, wrong, expected = totals, testPlace } = row;
  const init = await stage.init();
  expect(init.testCommand).toBe(testCommand);
  if (command === undefined) expect(init.runner).toBe(runner);

  const run = await stage.run(command === undefined ? {} : { command });
  expect(run).toMatchObject({ status: 'failed', totals: expected, more: 0 });
  const [failure] = run.failures;
  expect(failure).toMatchObject({ caseName: expect.stringContaining(wrong), category: 'ASSERTION_MISMATCH' });
  if (failure === undefined) return;
  if (testPlace !== undefined) expect(failure.testPlace).toContain(testPlace);
  expect(await stage.runs()).toMatchObject([{ id: run.runId, command: command ?? testCommand, status: 'failed' }]);
  const diagnosis = await stage.diagnose({ runId: run.runId, caseName: failure.caseName });
  expect(diagnosis).toMatchObject({ category: 'ASSERTION_MISMATCH', pattern: { id: 'builtin-assertion' } });

  const shown = stage.shown.map(([, text]) => text).join('');
  expect(shown).toMatch(/is[ _]wrong/u);
  expect(shown).not.toMatch(/"Action"|<testcase|reportFormat|numFailedTests|argus-run-|noise of a passing test/u);
  if (row.isAsAlone) stage.expectShownAsAlone(command ?? testCommand);
  if (row.tellsVersion) expect(versionIn(stage.played)).toBe(versionNumber(stage.version));
}

/** The version in the first report: CTRF, JSON in the shape of Jest's, or JUnit. */
function versionIn(played: readonly Recorded[]): string | undefined {
  const [text = ''] = Object.values(played[0]?.reports ?? {});
  if (text.startsWith('<')) return /<property name="runner.version" value="([^"]+)"/u.exec(text)?.[1];
  const report = JSON.parse(text);
  return report.runnerVersion ?? report.results.tool.version.replace(/^v/u, '');
}
