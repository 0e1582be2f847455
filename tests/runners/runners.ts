/** Scenarios of the real runners: each runner is detected, run, read and filtered, and its own output stays visible. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { parseVersionNumber } from './installed.ts';
import type { RecordedRun } from './recording.ts';
import type { Folder, Scenario, Stage } from './scenario.ts';

interface RunnerRow {
  /** Name of the runner's project, and of its recording unless `recording` is set. */
  folder: Folder;
  recording?: string;
  programs?: NonNullable<Scenario['programs']>;
  /** The name that Argus gives the runner. */
  runner: string;
  testCommand: string;
  /** A command that is used instead of the detected command. */
  command?: string;
  /** Part of the name of the failing case. */
  wrong: string;
  expected?: object;
  testPlace?: string;
  /** A filter that matches one test, or false if the runner accepts no filter. */
  filter?: string | false;
  /** The file in which the test `adds` is renamed to the name that the filter contains. */
  file?: string;
  /** The change that renames the test. By default, the quoted name is replaced. */
  renamed?: [from: string, to: string];
  /** A command that accepts a filter, for runners whose detected command does not. */
  filtered?: string;
  /** Totals of a run whose filter matches a single test, in addition to that passed test. */
  one?: object;
  /**
   * Result of a run whose filter matches no test. By default, no failure and a note. False if the runner reports such a
   * run as a success.
   */
  none?: { failed: number; isNoted: boolean } | false;
}

/** The totals of most projects in `runners/`. */
export const USUAL_TOTALS = { passed: 1, failed: 1, skipped: 1, flaky: 0 };

/** The name of a test used as a filter. Its characters have a meaning in patterns, and must match literally. */
const SPECIAL_TEST_NAME = 'price is $5 [net] + tax? (yes|no)';

const FAILING_SUM_CASE = 'sum.test.js > sum > is wrong';
const JAVA_FIELDS = {
  wrong: 'shop.SumTest > is_wrong',
  testPlace: 'first/src/test/java/shop/SumTest.java:',
  expected: { passed: 2, failed: 1, skipped: 1 },
  filter: 'shop.SumTest > adds',
};
const MINITEST_FIELDS = {
  runner: 'minitest',
  testCommand: 'rake test',
  wrong: 'test/test_sum.rb > TestSum > test_is_wrong',
};
const CTEST_COMMAND = 'cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure';
const CARGO_TEST_COMMAND = 'cargo test --no-fail-fast';

/** Two tests whose names differ only in the parameter. */
const PARAMETRIZED_TESTS = `@pytest.mark.parametrize("x", [pytest.param(1, id="$5 net, or less (ok)"), pytest.param(2, id="$6 net")])
    def test_adds(self, x):
        assert x == 1`;

const RUNNERS: RunnerRow[] = [
  { folder: 'vitest', runner: 'vitest', testCommand: 'npm test', wrong: FAILING_SUM_CASE, file: 'sum.test.js' },
  { folder: 'jest', runner: 'jest', testCommand: 'npm test', wrong: FAILING_SUM_CASE, file: 'sum.test.js' },
  { folder: 'mocha', runner: 'mocha', testCommand: 'npm test', wrong: 'sum.js > sum > is wrong', file: 'sum.js' },
  {
    folder: 'playwright',
    runner: 'playwright',
    testCommand: 'npm test',
    wrong: 'tests/sum.js > api > sum > is wrong',
    expected: { passed: 2, failed: 1, skipped: 1, flaky: 1 },
    none: { failed: 1, isNoted: false },
  },
  {
    folder: 'node-test',
    runner: 'node:test',
    testCommand: 'npm test',
    wrong: 'sum.js > sum > is wrong',
    file: 'sum.js',
    filtered: 'node --test sum.js',
  },
  {
    folder: 'bun',
    runner: 'bun',
    testCommand: 'bun run test',
    wrong: FAILING_SUM_CASE,
    none: { failed: 1, isNoted: true },
  },
  { folder: 'deno', runner: 'deno', testCommand: 'deno task test', wrong: 'sum_test.js > is wrong' },
  {
    folder: 'pytest',
    runner: 'pytest',
    testCommand: 'python -m pytest',
    wrong: 'test_is_wrong',
    file: 'test_sum.py',
    renamed: ['def test_adds(self):', PARAMETRIZED_TESTS],
    filter: 'test_adds[$5 net, or less (ok)]',
  },
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
  // AVA reports an error if a filter matches no test.
  {
    folder: 'ava',
    runner: 'ava',
    testCommand: 'npm test',
    wrong: 'sum.test.js > is wrong',
    file: 'sum.test.js',
    none: { failed: 1, isNoted: true },
  },
  { folder: 'tap', runner: 'tap', testCommand: 'npm test', wrong: 'sum.test.js > is wrong', file: 'sum.test.js' },
  {
    folder: 'tape',
    runner: 'tape',
    testCommand: 'npm test',
    wrong: 'is wrong',
    // This runner counts assertions, and a skipped test makes no assertion.
    expected: { passed: 1, failed: 1, skipped: 0 },
    filter: false,
  },
  {
    folder: 'jasmine',
    runner: 'jasmine',
    testCommand: 'npm test',
    wrong: 'spec/sum.spec.js > sum > is wrong',
    file: 'spec/sum.spec.js',
  },
  {
    folder: 'qunit',
    runner: 'qunit',
    testCommand: 'npm test',
    wrong: 'test/sum.js > sum > is wrong',
    file: 'test/sum.js',
    none: { failed: 1, isNoted: false },
  },
  {
    folder: 'web-test-runner',
    runner: 'web-test-runner',
    testCommand: 'npm test',
    wrong: 'test/sum.test.js > sum > is wrong',
    filter: false,
  },
  { folder: 'uvu', runner: 'uvu', testCommand: 'npx uvu', wrong: 'test/sum.js > sum > is wrong', filter: false },
  {
    folder: 'rspec',
    runner: 'rspec',
    testCommand: 'rspec',
    wrong: 'spec/sum_spec.rb > sum > is wrong',
    file: 'spec/sum_spec.rb',
  },
  {
    ...MINITEST_FIELDS,
    folder: 'minitest',
    file: 'test/test_sum.rb',
    renamed: ['def test_adds', `define_method('test_${SPECIAL_TEST_NAME}') do`],
    filter: `test_${SPECIAL_TEST_NAME}`,
  },
  {
    ...MINITEST_FIELDS,
    folder: 'minitest',
    recording: 'minitest-by-ruby',
    programs: ['minitest'],
    command: 'ruby -Itest test/test_sum.rb',
  },
  { ...MINITEST_FIELDS, folder: 'test-unit', none: false },
  {
    folder: 'phpunit',
    runner: 'phpunit',
    testCommand: 'phpunit',
    wrong: 'tests/SumTest.php > SumTest > test_is_wrong',
  },
  // The detected command configures the project only if it was not configured before.
  { folder: 'ctest', runner: 'ctest', testCommand: CTEST_COMMAND, wrong: 'sum.is_wrong', filtered: CTEST_COMMAND },
  {
    folder: 'busted',
    runner: 'busted',
    testCommand: 'busted',
    wrong: 'spec/sum_spec.lua > sum > is wrong',
    testPlace: 'spec/sum_spec.lua:',
    file: 'spec/sum_spec.lua',
  },
  { folder: 'bats', runner: 'bats', testCommand: 'bats test', wrong: 'sum.bats > is wrong', file: 'test/sum.bats' },
  {
    folder: 'go',
    runner: 'go test',
    testCommand: 'go test ./...',
    wrong: 'TestSum',
    expected: { failed: 1, skipped: 1 },
    file: 'sum_test.go',
    renamed: ['"adds"', `"${SPECIAL_TEST_NAME}"`],
    filter: `TestSum/${SPECIAL_TEST_NAME.replaceAll(' ', '_')}`,
    // The enclosing test counts too.
    one: { passed: 2 },
  },
  {
    folder: 'cargo',
    recording: 'nextest',
    programs: ['nextest'],
    runner: 'nextest',
    testCommand: CARGO_TEST_COMMAND,
    command: 'cargo nextest run --no-fail-fast',
    wrong: 'sum > sum::is_wrong',
    none: { failed: 1, isNoted: true },
  },
  {
    folder: 'cargo',
    runner: 'cargo test',
    testCommand: CARGO_TEST_COMMAND,
    command: 'cargo test',
    wrong: 'sum > sum::is_wrong',
    none: false,
  },
  { ...JAVA_FIELDS, folder: 'maven', runner: 'maven', testCommand: 'mvn test --fail-at-end' },
  { ...JAVA_FIELDS, folder: 'gradle', runner: 'gradle', testCommand: 'gradle test --continue' },
];

/** `npm test` really runs these runners. */
const CORE_RUNNERS = ['vitest', 'jest', 'pytest', 'go', 'cargo'];

/** Runners whose reports contain their version. */
const REPORTING_VERSIONS =
  'vitest jest mocha playwright node-test pytest unittest ava qunit web-test-runner uvu rspec minitest-by-ruby test-unit busted';

/** Runners whose output Argus must not change. */
const WITH_UNCHANGED_OUTPUT = 'mocha node-test unittest django ava tap uvu rspec minitest phpunit busted bats';

const isListed = (names: string, { recording, folder }: RunnerRow) => names.split(' ').includes(recording ?? folder);

export const RUNNER_SCENARIOS: readonly (Scenario & { isCore: boolean })[] = RUNNERS.map((row) => {
  const { folder, recording = folder, programs } = row;
  const name = `${recording} is detected, run, read and filtered, and shows its own output`;
  const play = async (stage: Stage) => {
    await expectDetectedRunAndRead(stage, row);
    if (row.filter !== false) await expectFiltered(stage, row);
  };
  return { name, recording, folder, ...(programs && { programs }), isCore: CORE_RUNNERS.includes(recording), play };
});

async function expectDetectedRunAndRead(stage: Stage, row: RunnerRow): Promise<void> {
  const { runner, testCommand, command, wrong, expected = USUAL_TOTALS, testPlace } = row;
  const init = await stage.init();
  expect(init.testCommand).toBe(testCommand);
  if (command === undefined) expect(init.runner).toBe(runner);

  const run = await stage.run(command === undefined ? {} : { command });
  expect(run).toMatchObject({ status: 'failed', totals: expected, more: 0 });
  const [failure] = run.failures;
  expect(failure).toMatchObject({ caseName: expect.stringContaining(wrong), category: 'ASSERTION_MISMATCH' });
  if (testPlace !== undefined) expect(failure?.testPlace).toContain(testPlace);
  expect(await stage.runs()).toMatchObject([{ id: run.runId, command: command ?? testCommand, status: 'failed' }]);
  const diagnosis = await stage.diagnose({ runId: run.runId, caseName: failure?.caseName ?? '' });
  expect(diagnosis).toMatchObject({ category: 'ASSERTION_MISMATCH', pattern: { id: 'builtin-assertion' } });

  const shown = stage.shown.map(([, text]) => text).join('');
  expect(shown).toMatch(/is[ _]wrong/u);
  expect(shown).not.toMatch(/"Action"|<testcase|reportFormat|numFailedTests|argus-run-|noise of a passing test/u);
  if (isListed(WITH_UNCHANGED_OUTPUT, row)) stage.expectShownAsAlone(command ?? testCommand);
  if (isListed(REPORTING_VERSIONS, row))
    expect(findReportedVersion(stage.played)).toBe(parseVersionNumber(stage.version));
}

/** Returns the version in the first report, which is CTRF, JSON in the form of Jest's, or JUnit. */
function findReportedVersion(played: readonly RecordedRun[]): string | undefined {
  const [text = ''] = Object.values(played[0]?.reports ?? {});
  if (text.startsWith('<')) return /<property name="runner.version" value="([^"]+)"/u.exec(text)?.[1];
  const report = JSON.parse(text);
  return report.runnerVersion ?? report.results.tool.version.replace(/^v/u, '');
}

/** Runs with a filter that matches no test, which must fail, and with a filter that matches one test. */
async function expectFiltered(stage: Stage, row: RunnerRow): Promise<void> {
  const { file, filter = file === undefined ? 'adds' : SPECIAL_TEST_NAME, filtered = row.command } = row;
  const given = filtered === undefined ? {} : { command: filtered };
  const noTests = expect.stringMatching(/^NO_TESTS_RAN: /u);
  if (row.none !== false) {
    const { failed, isNoted } = row.none ?? { failed: 0, isNoted: true };
    const none = await stage.run({ filter: 'subtracts', ...given });
    expect(none).toMatchObject({ status: 'failed', totals: { passed: 0, failed } });
    if (isNoted) expect(none.notes).toContainEqual(noTests);
  }
  if (file !== undefined) {
    const text = readFileSync(path.join(stage.root, file), 'utf8');
    const [from, to] = row.renamed ?? [/(['"])adds\1/u, `'${SPECIAL_TEST_NAME}'`];
    stage.write({ [file]: text.replace(from, () => to) });
  }
  const one = await stage.run({ filter: filter === false ? '' : filter, ...given });
  expect(one).toMatchObject({ status: 'passed', totals: { passed: 1, failed: 0, ...row.one } });
  expect(one.notes).not.toContainEqual(noTests);
}
