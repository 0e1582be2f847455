/** A run is green only if all of its tests were reported. Each row quotes the documentation of the runner. */

import { expect } from 'vitest';
import type { Folder, Scenario } from '../scenario.ts';

interface Row {
  folder: Folder;
  files: Record<string, string>;
  command: string;
  /** Headlines of the failures. */
  failures: string[];
  /** Default: whether there are failures. */
  status?: 'failed';
  notes?: string[];
}

const ENDED_EARLY = (who: string) =>
  `REPORT_INCOMPLETE: its process ended before it reported its tests, for example because a test ended the process (${who})`;

const LEFT_OUT = (file: string) => `.only (or fit, fdescribe) in ${file} left out other tests.`;
const FOCUSED = "test.only('fine', () => {});\ntest('left out', () => { throw new Error('wrong'); });\n";

const ROWS: Record<string, Row> = {
  // https://nodejs.org/api/process.html#processexitcode: Node exits as quickly as possible.
  'mocha, whose process a test ends with exit code 0': {
    folder: 'mocha',
    files: { 'end.js': "it('ends', () => process.exit(0));\nit('never runs', () => { throw new Error(); });\n" },
    command: 'mocha end.js',
    failures: [ENDED_EARLY('mocha')],
  },
  'node:test, whose process a test ends with exit code 0': {
    folder: 'node-test',
    files: {
      'end.cjs': "const { test } = require('node:test');\ntest('ends', () => process.exit(0));\n",
    },
    command: 'node --test end.cjs',
    failures: [ENDED_EARLY('node:test')],
  },
  // https://docs.python.org/3/library/os.html#os._exit: exits without calling cleanup handlers.
  'pytest, whose process a test ends with exit code 0': {
    folder: 'pytest',
    files: { 'test_end.py': 'import os\n\ndef test_ends(): os._exit(0)\n' },
    command: 'python -m pytest test_end.py',
    failures: [ENDED_EARLY('pytest')],
  },
  'unittest, whose process a test ends with exit code 0': {
    folder: 'unittest',
    files: {
      'tests/test_end.py':
        'import os, unittest\n\nclass End(unittest.TestCase):\n    def test_ends(self): os._exit(0)\n',
    },
    command: 'python -m unittest tests.test_end',
    failures: [ENDED_EARLY('unittest')],
  },
  'cargo test, whose process a test ends with exit code 0': {
    folder: 'cargo',
    files: {
      'src/lib.rs':
        '#[cfg(test)]\nmod tests {\n    #[test]\n    fn a_fine() {}\n    #[test]\n    fn b_ends() { std::process::exit(0) }\n}\n',
    },
    command: 'cargo test --offline -- --test-threads=1',
    failures: [
      'REPORT_INCOMPLETE: a test binary ended before it reported all of its tests, for example because a test ended the process (cargo test)',
    ],
  },
  // https://docs.ruby-lang.org/en/master/Process.html#method-c-exit-21: exits without running handlers.
  'RSpec, whose process a test ends with exit code 0': {
    folder: 'rspec',
    files: { 'spec/end_spec.rb': "RSpec.describe 'end' do\n  it('ends') { exit! 0 }\nend\n" },
    command: 'rspec spec/end_spec.rb',
    failures: [ENDED_EARLY('rspec')],
  },
  'Minitest, whose process a test ends with exit code 0': {
    folder: 'minitest',
    files: {
      'test/end_test.rb':
        "require 'minitest/autorun'\nclass EndTest < Minitest::Test\n  def test_ends = exit!(0)\nend\n",
    },
    command: 'ruby test/end_test.rb',
    failures: [ENDED_EARLY('minitest')],
  },
  'test-unit, whose process a test ends with exit code 0': {
    folder: 'test-unit',
    files: {
      'test/end_test.rb':
        "require 'test/unit'\nclass EndTest < Test::Unit::TestCase\n  def test_ends = exit(0)\n  def test_never_runs = flunk\nend\n",
    },
    command: 'ruby test/end_test.rb',
    failures: [ENDED_EARLY('test-unit')],
  },
  // https://www.php.net/manual/en/function.exit.php: terminates execution of the script.
  'PHPUnit, whose process a test ends with exit code 0': {
    folder: 'phpunit',
    files: {
      'tests/EndTest.php':
        '<?php\nfinal class EndTest extends PHPUnit\\Framework\\TestCase\n{\n    public function testEnds(): void { exit(0); }\n}\n',
    },
    command: 'phpunit tests/EndTest.php',
    failures: [ENDED_EARLY('phpunit')],
  },
  // https://www.lua.org/manual/5.4/manual.html#pdf-os.exit
  'busted, whose process a test ends with exit code 0': {
    folder: 'busted',
    files: { 'spec/end_spec.lua': "describe('end', function() it('ends', function() os.exit(0) end) end)\n" },
    command: 'busted spec/end_spec.lua',
    failures: [ENDED_EARLY('busted')],
  },
  // https://doc.rust-lang.org/cargo/commands/cargo-test.html: cargo succeeds where a filter matches no test.
  'cargo test, whose filter matches no test': {
    folder: 'cargo',
    files: {},
    command: 'cargo test --offline nosuchtest',
    failures: [],
    status: 'failed',
    notes: ['NO_TESTS_RAN: the runner found no tests. Check that the test files are where it looks for them.'],
  },
  // https://vitest.dev/api/#test-only, https://jestjs.io/docs/api#testonlyname-fn-timeout: only run certain tests.
  'Vitest, where a test is marked with only': {
    folder: 'vitest',
    files: { 'focus.test.js': `import { test } from 'vitest';\n${FOCUSED}` },
    command: 'vitest run focus.test.js',
    failures: [],
    notes: [LEFT_OUT('focus.test.js')],
  },
  'Jest, where a test is marked with only': {
    folder: 'jest',
    files: { 'focus.test.js': FOCUSED },
    command: 'jest focus.test.js',
    failures: [],
    notes: [LEFT_OUT('focus.test.js')],
  },
  // https://mochajs.org/#exclusive-tests
  'mocha, where a test is marked with only': {
    folder: 'mocha',
    files: { 'focus.js': FOCUSED.replaceAll('test', 'it') },
    command: 'mocha focus.js',
    failures: [],
    notes: [LEFT_OUT('focus.js')],
  },
  'a mark in a comment and in a string': {
    folder: 'jest',
    files: { 'focus.test.js': "// test.only('a')\ntest('it.only(', () => {});\ntest.skip('later', () => {});\n" },
    command: 'jest focus.test.js',
    failures: [],
    notes: [],
  },
  // https://nodejs.org/api/test.html#only-tests
  'node:test with --test-only': {
    folder: 'node-test',
    files: {
      'focus.cjs':
        "const { test } = require('node:test');\ntest('fine', { only: true }, () => {});\ntest('left out', () => {});\n",
    },
    command: 'node --test --test-only focus.cjs',
    failures: [],
    notes: ['--test-only left out tests without the mark `only`.'],
  },
  // https://jestjs.io/docs/cli#--bailn
  'Jest, which stops at the first failure': {
    folder: 'jest',
    files: {
      'a.test.js': "test('wrong', () => { throw new TypeError('of a'); });\n",
      'b.test.js': "test('fine', () => {});\n",
    },
    command: 'jest --bail -i a.test.js b.test.js',
    failures: ['TypeError: of a'],
    notes: ['Jest stopped at a failure: 1 of 2 test files did not run.'],
  },
  // https://mochajs.org/#-bail-b
  'mocha, which stops at the first failure': {
    folder: 'mocha',
    files: { 'stop.js': "it('wrong', () => { throw new Error('of a'); });\nit('never runs', () => {});\n" },
    command: 'mocha --bail stop.js',
    failures: ['Error: of a'],
    notes: ['1 of 2 tests did not run, because mocha stopped or a hook failed.'],
  },
  // https://github.com/avajs/ava/blob/main/docs/05-command-line.md: stop after first test failure.
  'AVA, which stops at the first failure': {
    folder: 'ava',
    files: {
      'a.test.js':
        "import test from 'ava';\ntest('wrong', () => { throw new TypeError('of a'); });\ntest('never runs', (t) => t.pass());\n",
      'b.test.js': "import test from 'ava';\ntest('fine', (t) => t.pass());\n",
    },
    command: 'ava --fail-fast --serial --concurrency=1 a.test.js b.test.js',
    failures: ['TypeError: of a'],
    notes: ['AVA stopped at a failure: `--fail-fast` is on. At least 1 test was skipped, as well as 1 test file.'],
  },
  // https://github.com/avajs/ava/blob/main/docs/07-test-timeouts.md
  'AVA, whose timeout ends before a test': {
    folder: 'ava',
    files: {
      'slow.test.js':
        "import test from 'ava';\ntest('never ends', () => new Promise(() => setInterval(() => {}, 100)));\ntest('fine', (t) => t.pass());\n",
    },
    command: 'ava --timeout=1s slow.test.js',
    failures: ['Timed out while running tests'],
  },
  // https://docs.pytest.org/en/stable/how-to/failures.html#stopping-after-the-first-or-n-failures
  'pytest, which stops at the first failure': {
    folder: 'pytest',
    files: { 'test_stop.py': "def test_wrong(): raise ValueError('of a')\n\ndef test_never_runs(): pass\n" },
    command: 'python -m pytest -x test_stop.py',
    failures: ['ValueError: of a'],
    notes: ['pytest stopped before its last test, so the tests after it did not run.'],
  },
  // https://jestjs.io/docs/configuration#coveragethreshold-object: if thresholds are not met, jest will fail.
  'a command that fails although no test failed': {
    folder: 'mocha',
    files: { 'after.js': "it('fine', () => {});\nprocess.on('exit', () => process.exit(3));\n" },
    command: 'mocha after.js',
    failures: [expect.any(String)],
    notes: ['No reported test failed, but the command ended with exit code 3.'],
  },
};

export const GREEN_SCENARIOS: Scenario[] = Object.entries(ROWS).map(([name, row]) => ({
  name: `tells the truth about ${name}`,
  recording: `green-${name.replaceAll(/[^a-z0-9]+/giu, '-').toLowerCase()}`,
  folder: row.folder,
  files: row.files,
  async play(stage) {
    const run = await stage.run({ command: row.command });
    expect(run.failures.map(({ headline }) => headline)).toEqual(row.failures);
    expect(run.status).toBe(row.status ?? (row.failures.length === 0 ? 'passed' : 'failed'));
    if (row.notes !== undefined) expect(run.notes).toEqual(row.notes);
  },
}));
