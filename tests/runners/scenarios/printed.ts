/**
 * Scenarios in which Argus reads the output of commands that write no report, and does not change output. crates/report
 * tests every dialect of a report.
 */

import { expect } from 'vitest';
import { USUAL_TOTALS } from '../runners.ts';
import type { Folder, Scenario } from '../scenario.ts';

const NODE_TEST_FILES = {
  'test/a.test.js': `const test = require('node:test');
const assert = require('node:assert');
test('sum', async (t) => {
  await t.test('adds', () => {});
  await t.test('is wrong', () => assert.strictEqual(1 + 1, 3));
});
`,
  'test/b.test.js': "require('./absent');\n",
};

const TAP_COMMAND = 'env -u NODE_OPTIONS node --test --test-reporter=tap';
const concurrentCommand = (name: string) => `(${TAP_COMMAND} test/a.test.js; true) | sed 's/^/${name} test: /' &\n`;

const OUTPUT_SCENARIOS: Scenario[] = [
  {
    name: 'TAP behind a script is its cases',
    recording: 'printed-tap',
    programs: ['node'],
    files: { ...NODE_TEST_FILES, 'check.sh': `echo checking\n${TAP_COMMAND}\nstatus=$?\necho done\nexit $status\n` },
    async play(stage) {
      const failures = [
        {
          caseName: expect.stringMatching(/sum > is wrong$/u),
          headline: 'AssertionError: Expected values to be strictly equal: 2 !== 3',
          testPlace: 'test/a.test.js:5',
        },
        {
          caseName: 'test/b.test.js > (suite)',
          headline: "Error: Cannot find module './absent'",
          testPlace: 'test/b.test.js:1',
        },
      ];
      expect(await stage.run({ command: 'sh check.sh' })).toMatchObject({
        status: 'failed',
        totals: { passed: 1, failed: 2 },
        failures,
        notes: [],
      });
    },
  },
  {
    name: 'TAP of two packages at once is read where each line has the name of its package',
    recording: 'printed-tap-of-two',
    programs: ['node'],
    files: { ...NODE_TEST_FILES, 'check.sh': `${concurrentCommand('one')}${concurrentCommand('two')}wait\nexit 1\n` },
    async play(stage) {
      expect(await stage.run({ command: 'sh check.sh' })).toMatchObject({ totals: { passed: 2, failed: 2 } });
    },
  },
  {
    name: 'TAP without a test is no headline',
    recording: 'printed-tap-empty',
    programs: ['node'],
    files: { 'check.sh': "printf 'TAP version 13\\n1..0\\n'; echo 'the shop is closed'; exit 1\n" },
    async play(stage) {
      const { failures } = await stage.run({ command: 'sh check.sh' });
      expect(failures).toMatchObject([{ headline: 'the shop is closed' }]);
    },
  },
  {
    name: 'TAP of Bats is read, with its plan first',
    recording: 'printed-bats',
    folder: 'bats',
    async play(stage) {
      expect(await stage.run({ command: 'sh -c "bats test"' })).toMatchObject({
        totals: { passed: 1, failed: 1, skipped: 1 },
        failures: [{ caseName: 'is wrong', testPlace: 'test/sum.bats:7' }],
      });
    },
  },
  {
    name: 'unittest that takes nothing from the environment is the tests that it names',
    recording: 'printed-unittest',
    programs: ['python', 'make'],
    folder: 'unittest',
    files: { Makefile: 'test:\n\tpython -E -m unittest discover -s tests\n' },
    async play(stage) {
      expect(await stage.run({ command: 'make test' })).toMatchObject({
        totals: { failed: 1 },
        failures: [
          {
            caseName: 'test_sum.TestSum > test_is_wrong',
            headline: 'AssertionError: 2 != 3',
            category: 'ASSERTION_MISMATCH',
          },
        ],
      });
      const verbose = await stage.run({ command: 'sh -c "python -E -m unittest discover -v -s tests"' });
      expect(verbose).toMatchObject({ totals: { passed: 1, failed: 1, skipped: 1 } });
    },
  },
  {
    name: 'cargo test behind a script is its cases',
    recording: 'printed-cargo',
    folder: 'cargo',
    async play(stage) {
      expect(await stage.run({ command: 'sh -c "cargo test"' })).toMatchObject({
        totals: { passed: 1, failed: 1, skipped: 1 },
        failures: [{ caseName: 'sum > sum::is_wrong', place: 'src/lib.rs:12' }],
      });
    },
  },
  {
    name: 'a runner that does not take what is added runs once more as it was typed',
    recording: 'refused-pytest',
    folder: 'pytest',
    async play(stage) {
      const run = await stage.run({ command: 'env -u PYTHONPATH python -m pytest' });
      expect(run).toMatchObject({
        status: 'failed',
        totals: USUAL_TOTALS,
        failures: [{ caseName: 'test_sum.py > TestSum > test_is_wrong', category: 'ASSERTION_MISMATCH' }],
        notes: [expect.stringMatching(/rejected the additions of Argus .*argus_pytest.* ran again/u)],
      });
      expect(await stage.runs()).toHaveLength(1);
    },
  },
  {
    name: 'a Ruby that cannot load what Argus adds runs once more without it',
    recording: 'refused-ruby',
    programs: ['minitest'],
    folder: 'minitest',
    async play(stage) {
      expect(await stage.run({ command: 'env -u RUBYLIB ruby -Itest test/test_sum.rb' })).toMatchObject({
        status: 'failed',
        failures: [{ category: 'ASSERTION_MISMATCH' }],
        notes: [expect.stringMatching(/rejected the additions of Argus .*argus_reporter.* ran again/u)],
      });
    },
  },
];

interface OtherCommand {
  recording: string;
  folder: Folder;
  command: string;
}

/** Commands in projects of `runners/`, in addition to the detected commands. */
const OTHER_COMMANDS: OtherCommand[] = [
  { recording: 'node-test', folder: 'node-test', command: 'node --test sum.js' },
  {
    recording: 'node-test-spec',
    folder: 'node-test',
    command: 'node --test --test-reporter=spec sum.js',
  },
  { recording: 'node', folder: 'node-test', command: 'node sum.js' },
  { recording: 'busted-tap', folder: 'busted', command: 'busted -o TAP' },
];

const OTHER_COMMAND_SCENARIOS: Scenario[] = OTHER_COMMANDS.map(({ recording, folder, command }) => ({
  name: `${command} prints in ${folder} what it prints alone`,
  recording: `alone-${recording}`,
  folder,
  async play(stage) {
    await stage.run({ command });
    stage.expectShownAsAlone(command);
  },
}));

interface CommandWithoutTests {
  recording: string;
  folder: Folder;
  command: string;
  headline?: string;
}

const COMMANDS_WITHOUT_TESTS: CommandWithoutTests[] = [
  { recording: 'pytest-k', folder: 'pytest', command: 'python -m pytest -k subtracts' },
  {
    recording: 'pytest-file',
    folder: 'pytest',
    command: 'python -m pytest test_none.py',
    headline: 'ERROR: file or directory not found: test_none.py',
  },
  { recording: 'vitest-t', folder: 'vitest', command: 'vitest -t subtracts' },
  { recording: 'jest-t', folder: 'jest', command: 'npm test -- -t subtracts' },
  {
    recording: 'vitest-file',
    folder: 'vitest',
    command: 'vitest none.test.js',
    headline: 'No test files found, exiting with code 1',
  },
  {
    recording: 'unittest-k',
    folder: 'unittest',
    command: 'python -m unittest discover -s tests -k subtracts',
  },
  {
    recording: 'mocha-g',
    folder: 'mocha',
    command: 'sh -c "mocha sum.js -g subtracts"',
  },
];

const NO_TEST_SCENARIOS: Scenario[] = COMMANDS_WITHOUT_TESTS.map(({ recording, folder, command, headline }) => ({
  name: `${command}, which names no test, is no success`,
  recording: `no-tests-${recording}`,
  folder,
  async play(stage) {
    const run = await stage.run({ command });
    expect(run).toMatchObject({
      status: 'failed',
      totals: { passed: 0 },
      notes: [expect.stringMatching(/^NO_TESTS_RAN/u)],
    });
    expect(run.failures).toMatchObject(headline === undefined ? [] : [{ headline }]);
  },
}));

export const PRINTED_SCENARIOS: Scenario[] = [...OUTPUT_SCENARIOS, ...OTHER_COMMAND_SCENARIOS, ...NO_TEST_SCENARIOS];
