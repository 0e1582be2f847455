/** The real runners: each is detected, run, read and filtered, and its own output stays visible. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { versionNumber } from './installed.ts';
import type { Recorded } from './recording.ts';
import type { Folder, Scenario, Stage } from './scenario.ts';

interface Runner {
  /** The runner's project; also the name of its recording unless `recording` is set. */
  folder: Folder;
  recording?: string;
  programs?: NonNullable<Scenario['programs']>;
  /** The runner's name in Argus. */
  runner: string;
  testCommand: string;
  /** Overrides the detected command. */
  command?: string;
  /** Part of the name of the case that fails. */
  wrong: string;
  expected?: object;
  testPlace?: string;
  /** A filter that fits one test; false where the runner takes none. */
  filter?: string | false;
  /** The file in which the test `adds` gets the name that the filter has. */
  file?: string;
  /** The change that renames it. By default its quoted name is replaced. */
  renamed?: [from: string, to: string];
  /** A command that accepts a filter, for runners whose detected command does not. */
  filtered?: string;
  /** Totals of a run whose filter matches a single test, besides that passed test. */
  one?: object;
  /** A run whose filter fits no test. Default: no failure and a note. False: Argus takes it for a success. */
  none?: { failed: number; isNoted: boolean } | false;
}

/** The totals of most projects in `runners/`. */
export const totals = { passed: 1, failed: 1, skipped: 1, flaky: 0 };

/** A filter is a test's name, whatever letters it has, also where the runner reads a pattern. */
const NAME = 'price is $5 [net] + tax? (yes|no)';

const IN_SUM = 'sum.test.js > sum > is wrong';
const OF_JAVA = {
  wrong: 'shop.SumTest > is_wrong',
  testPlace: 'first/src/test/java/shop/SumTest.java:',
  expected: { passed: 2, failed: 1, skipped: 1 },
  filter: 'shop.SumTest > adds',
};
const OF_MINITEST = {
  runner: 'minitest',
  testCommand: 'rake test',
  wrong: 'test/test_sum.rb > TestSum > test_is_wrong',
};
const CTEST = 'cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure';
const CARGO_TEST = 'cargo test --no-fail-fast';

/** Two tests with names that only the parameter sets apart. */
const PARAMETERS = `@pytest.mark.parametrize("x", [pytest.param(1, id="$5 net, or less (ok)"), pytest.param(2, id="$6 net")])
    def test_adds(self, x):
        assert x == 1`;

const RUNNERS: Runner[] = [
  { folder: 'vitest', runner: 'vitest', testCommand: 'npm test', wrong: IN_SUM, file: 'sum.test.js' },
  { folder: 'jest', runner: 'jest', testCommand: 'npm test', wrong: IN_SUM, file: 'sum.test.js' },
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
  { folder: 'bun', runner: 'bun', testCommand: 'bun run test', wrong: IN_SUM, none: { failed: 1, isNoted: true } },
  { folder: 'deno', runner: 'deno', testCommand: 'deno task test', wrong: 'sum_test.js > is wrong' },
  {
    folder: 'pytest',
    runner: 'pytest',
    testCommand: 'python -m pytest',
    wrong: 'test_is_wrong',
    file: 'test_sum.py',
    renamed: ['def test_adds(self):', PARAMETERS],
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
  // AVA reports an error when a filter matches no test.
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
    ...OF_MINITEST,
    folder: 'minitest',
    file: 'test/test_sum.rb',
    renamed: ['def test_adds', `define_method('test_${NAME}') do`],
    filter: `test_${NAME}`,
  },
  {
    ...OF_MINITEST,
    folder: 'minitest',
    recording: 'minitest-by-ruby',
    programs: ['minitest'],
    command: 'ruby -Itest test/test_sum.rb',
  },
  { ...OF_MINITEST, folder: 'test-unit', none: false },
  {
    folder: 'phpunit',
    runner: 'phpunit',
    testCommand: 'phpunit',
    wrong: 'tests/SumTest.php > SumTest > test_is_wrong',
  },
  // The detected command configures only a project that was not configured before.
  { folder: 'ctest', runner: 'ctest', testCommand: CTEST, wrong: 'sum.is_wrong', filtered: CTEST },
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
    renamed: ['"adds"', `"${NAME}"`],
    filter: `TestSum/${NAME.replaceAll(' ', '_')}`,
    // The enclosing test counts too.
    one: { passed: 2 },
  },
  {
    folder: 'cargo',
    recording: 'nextest',
    programs: ['nextest'],
    runner: 'nextest',
    testCommand: CARGO_TEST,
    command: 'cargo nextest run --no-fail-fast',
    wrong: 'sum > sum::is_wrong',
    none: { failed: 1, isNoted: true },
  },
  {
    folder: 'cargo',
    runner: 'cargo test',
    testCommand: CARGO_TEST,
    command: 'cargo test',
    wrong: 'sum > sum::is_wrong',
    none: false,
  },
  { ...OF_JAVA, folder: 'maven', runner: 'maven', testCommand: 'mvn test --fail-at-end' },
  { ...OF_JAVA, folder: 'gradle', runner: 'gradle', testCommand: 'gradle test --continue' },
];

/** `npm test` really runs these. */
const CORE = ['vitest', 'jest', 'pytest', 'go', 'cargo'];

/** Their reports hold their versions. */
const TELL_VERSIONS =
  'vitest jest mocha playwright node-test pytest unittest ava qunit web-test-runner uvu rspec minitest-by-ruby test-unit busted';

/** Argus must not change what these print. */
const AS_ALONE = 'mocha node-test unittest django ava tap uvu rspec minitest phpunit busted bats';

const isIn = (names: string, { recording, folder }: Runner) => names.split(' ').includes(recording ?? folder);

export const RUNNER_SCENARIOS: readonly (Scenario & { isCore: boolean })[] = RUNNERS.map((row) => {
  const { folder, recording = folder, programs } = row;
  const name = `${recording} is detected, run, read and filtered, and shows its own output`;
  const play = async (stage: Stage) => {
    await isDetectedRunAndRead(stage, row);
    if (row.filter !== false) await isFiltered(stage, row);
  };
  return { name, recording, folder, ...(programs && { programs }), isCore: CORE.includes(recording), play };
});

async function isDetectedRunAndRead(stage: Stage, row: Runner): Promise<void> {
  const { runner, testCommand, command, wrong, expected = totals, testPlace } = row;
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
  if (isIn(AS_ALONE, row)) stage.expectShownAsAlone(command ?? testCommand);
  if (isIn(TELL_VERSIONS, row)) expect(versionIn(stage.played)).toBe(versionNumber(stage.version));
}

/** The version in the first report: CTRF, JSON in the shape of Jest's, or JUnit. */
function versionIn(played: readonly Recorded[]): string | undefined {
  const [text = ''] = Object.values(played[0]?.reports ?? {});
  if (text.startsWith('<')) return /<property name="runner.version" value="([^"]+)"/u.exec(text)?.[1];
  const report = JSON.parse(text);
  return report.runnerVersion ?? report.results.tool.version.replace(/^v/u, '');
}

/** Runs with a filter that fits no test, which must fail, and with a filter that fits one test. */
async function isFiltered(stage: Stage, row: Runner): Promise<void> {
  const { file, filter = file === undefined ? 'adds' : NAME, filtered = row.command } = row;
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
    const [from, to] = row.renamed ?? [/(['"])adds\1/u, `'${NAME}'`];
    stage.write({ [file]: text.replace(from, () => to) });
  }
  const one = await stage.run({ filter: filter === false ? '' : filter, ...given });
  expect(one).toMatchObject({ status: 'passed', totals: { passed: 1, failed: 0, ...row.one } });
  expect(one.notes).not.toContainEqual(noTests);
}
