/**
 * Green runs that are no fix, with a real runner. Every kind of cheat, for every language: tests/vectors/fix-cheats.jsonl.
 */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { need, PATH } from '../../runners/installed.ts';
import { argus } from '../argus.ts';
import { environment } from '../harness.ts';
import { dataOf, fileOf, fixProblem, git, loopOn, repository, stateOf, write } from './fix-loop.ts';

const TEST = `const test = require('node:test');
const assert = require('node:assert');
const { total } = require('./cart.js');

test('totals', () => {
  assert.equal(total([{ price: 2, qty: 3 }]), 6);
});

test('is empty', () => {
  assert.equal(total([]), 0);
});
`;
const BROKEN = 'exports.total = (items) => items.reduce((sum, item) => sum + item.price, 0);\n';
const FILES = { 'cart.js': BROKEN, 'cart.test.js': TEST, 'run.sh': 'node --test\n' };
const ARGS = loopOn('sh run.sh');
const runs = z.object({ runs: z.array(z.object({ status: z.string() })) });

/** A loop whose first run has failed. */
async function failed() {
  const root = repository(FILES);
  expect((await fixProblem(root, ARGS)).status).toBe(3);
  return root;
}

const resumed = (root: string, fix: string) => fixProblem(root, ['--resume', '--fix', fix]);

describe('a green exit code', () => {
  const rows: [string, Record<string, string>][] = [
    ['is forced', { 'run.sh': 'node --test\nexit 0\n' }],
    ['is that of a run without the test', { 'cart.js': `process.exit(0);\n${BROKEN}` }],
    ['is that of another expectation', { 'cart.test.js': TEST.replace('6', '2') }],
    [
      'is that of a deleted test',
      { 'cart.test.js': TEST.replace(TEST.slice(TEST.indexOf("test('totals"), TEST.indexOf("test('is empty")), '') },
    ],
  ];
  test.each(rows)('%s: suspicious, with the diff, and nothing is learned', async (_, files) => {
    const root = await failed();
    for (const [name, text] of Object.entries(files)) write(root, name, text);
    const { status, stdout } = await resumed(root, 'made it pass');
    expect(status, stdout).toBe(1);
    expect(stdout).toContain('- **Reason**: suspicious_success');
    expect(stdout).toMatch(/### Diff\n```diff\ndiff --git/u);
    expect(stateOf(root)).toMatchObject({ status: 'suspicious', escalation: 'suspicious_success' });
    expect(await dataOf(root, ['history'], runs)).toEqual({ runs: [{ status: 'failed' }] });
    expect((await argus(['memory', 'export', '--project', root])).stdout).not.toContain('made it pass');
  });
});

describe('pytest', () => {
  const PYTHON = {
    'pytest.ini': '[pytest]\npythonpath = .\n',
    '.gitignore': '__pycache__\n.pytest_cache\n',
    'calc.py': 'def total(items):\n    return sum(i["price"] for i in items)\n',
    'test_calc.py':
      'import calc\n\n\ndef test_total():\n    assert calc.total([{"price": 2, "qty": 3}]) == 6\n\n\ndef test_ok():\n    assert True\n',
  };
  const hooks: [string, string][] = [
    ['forces the exit code', 'def pytest_sessionfinish(session):\n    session.exitstatus = 0\n'],
    [
      'leaves the test out',
      'def pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if i.name != "test_total"]\n',
    ],
  ];
  test.for(hooks)('a hook that %s is suspicious', async ([, hook], { skip }) => {
    need(['pytest'], skip);
    const env = environment({ PATH });
    const root = repository(PYTHON);
    expect((await fixProblem(root, loopOn('python -m pytest -q'), { env })).status).toBe(3);
    write(root, 'conftest.py', hook);
    const { status, stdout } = await fixProblem(root, ['--resume', '--fix', 'made it pass'], { env });
    expect(status, stdout).toBe(1);
    expect(stdout).toContain('- `conftest.py:1` hook changed: ');
    expect(stdout).toMatch(/^- `test_calc\.py:1` test not passed: /mu);
  });
});

test('restored tests and a fix are the next attempt', async () => {
  const root = await failed();
  write(root, 'cart.test.js', TEST.replace('6', '2'));
  expect((await resumed(root, 'expect 2')).status).toBe(1);
  write(root, 'cart.test.js', TEST);
  write(root, 'cart.js', BROKEN.replace('item.price', 'item.price * item.qty'));
  const { status, stdout } = await resumed(root, 'count the quantity');
  expect(status, stdout).toBe(0);
  expect(stdout).toContain('- **Attempts Used**: 3/5');
  expect(stdout).not.toContain('### Suspicious Changes');
});

test('a reason for another expectation is the next attempt, is shown, and teaches nothing', async () => {
  const root = await failed();
  write(root, 'cart.test.js', TEST.replace('6', '2'));
  expect((await resumed(root, 'expect 2')).status).toBe(1);
  const nothing = await fixProblem(root, ['--resume']);
  expect(nothing.status, 'without a word nothing is run').toBe(1);
  const { status, stdout } = await resumed(root, 'the price is of all items together');
  expect(status, stdout).toBe(0);
  expect(stdout).toContain('### Stated Reason\nthe price is of all items together');
  expect(stdout).toContain('### Suspicious Changes\n- `cart.test.js:');
  expect((await argus(['memory', 'export', '--project', root])).stdout).not.toContain('expect 2');
});

test('a skipped test cannot be explained', async () => {
  const root = await failed();
  write(root, 'cart.test.js', TEST.replace("test('totals'", "test.skip('totals'"));
  expect((await resumed(root, 'skip it')).status).toBe(1);
  const again = await resumed(root, 'it is not needed');
  expect({ status: again.status, attempts: stateOf(root).attempts.length }).toEqual({ status: 1, attempts: 3 });
});

test('other tests may come and change', async () => {
  const root = await failed();
  const more = `${TEST.replace('total([]), 0', 'total([], 1), 0')}\ntest('one', () => assert.equal(total([{ price: 1, qty: 1 }]), 1));\n`;
  write(root, 'cart.test.js', more);
  write(root, 'cart.js', BROKEN.replace('item.price', 'item.price * item.qty'));
  const { status, stdout } = await resumed(root, 'count the quantity');
  expect(status, stdout).toBe(0);
});

test('a comment or a blank line is no fix, and a fix that failed is reported as failed', async () => {
  const root = await failed();
  write(root, 'cart.js', `// Sums up.\n\n${BROKEN}`);
  const comment = await resumed(root, 'explained it');
  expect(comment).toMatchObject({ status: 3, stderr: expect.stringContaining('Comments and blank lines are none') });
  write(root, 'cart.js', BROKEN.replace('item.price', 'item.qty'));
  expect((await resumed(root, 'sum up quantities')).status).toBe(3);
  expect(fileOf(root, 'brief.md')).toMatch(/^## Context Summary\n- Error: /mu);
  write(root, 'cart.js', BROKEN.replace('item.price', 'item.price * item.qty'));
  const { stdout } = await resumed(root, 'count the quantity');
  expect(stdout).toMatch(/1\. \*\*Attempt 1\*\*: sum up quantities - failed: /u);
  expect(stdout).toMatch(/\| sum up quantities \(failed\) \|/u);
});

test('a claim is refused when the test is not what it was', async () => {
  const root = repository(FILES);
  const recorded = await dataOf(root, ['run', 'node --test'], z.object({ runId: z.string() }));
  write(root, 'cart.test.js', TEST.replace('6', '2'));
  await argus(['run', 'node --test', '--project', root]);
  const report = () => argus(['report-fix', recorded.runId, 'totals', 'Expected 2', '--project', root]);
  expect(await report()).toMatchObject({
    stderr: expect.stringContaining('The test is not as it was when it failed, at cart.test.js:6'),
  });
  git(root, 'checkout', '-q', '--', 'cart.test.js');
  write(root, 'cart.js', BROKEN.replace('item.price', 'item.price * item.qty'));
  await argus(['run', 'node --test', '--project', root]);
  expect((await report()).stdout).toContain('proved');
});
