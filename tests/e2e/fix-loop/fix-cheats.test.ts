/**
 * Passing runs without a fix, with a real runner. tests/vectors/fix-cheats.jsonl has cheats of every kind and language.
 */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { argus } from '../argus.ts';
import {
  createRepository,
  fixProblem,
  loopOn,
  readCommandData,
  readLoopFile,
  readState,
  runGit,
  writeProjectFile,
} from './fix-loop.ts';

const TOTAL_TEST = `const test = require('node:test');
const assert = require('node:assert');
const { total } = require('./cart.js');

test('totals', () => {
  assert.equal(total([{ price: 2, qty: 3 }]), 6);
});

test('is empty', () => {
  assert.equal(total([]), 0);
});
`;
const BROKEN_CART = 'exports.total = (items) => items.reduce((sum, item) => sum + item.price, 0);\n';
const CART_FILES = { 'cart.js': BROKEN_CART, 'cart.test.js': TOTAL_TEST, 'run.sh': 'node --test\n' };
const LOOP_ARGS = loopOn('sh run.sh', '--max-attempts', '9', '--circuit-breaker', '9');
const runsSchema = z.object({ runs: z.array(z.object({ status: z.string() })) });

/** Starts a loop whose first attempt fails. */
async function startFailedLoop() {
  const root = createRepository(CART_FILES);
  expect((await fixProblem(root, LOOP_ARGS)).status).toBe(3);
  return root;
}

const resumeLoop = (root: string, fix: string) => fixProblem(root, ['--resume', '--fix', fix]);

const CHEATS: [name: string, files: Record<string, string>][] = [
  ['a forced exit code', { 'run.sh': 'node --test\nexit 0\n' }],
  [
    'a deleted test',
    {
      'cart.test.js': TOTAL_TEST.replace(
        TOTAL_TEST.slice(TOTAL_TEST.indexOf("test('totals"), TOTAL_TEST.indexOf("test('is empty")),
        '',
      ),
    },
  ],
  ['a skipped test', { 'cart.test.js': TOTAL_TEST.replace("test('totals'", "test.skip('totals'") }],
  ['another expectation', { 'cart.test.js': TOTAL_TEST.replace('6', '2') }],
];

// Over 5 s, because each attempt runs real tests.
test('a passing run without a fix is suspicious and is not learned, unless a reason justifies a changed expectation', async () => {
  const root = await startFailedLoop();
  for (const [name, files] of CHEATS) {
    for (const [file, text] of Object.entries({ ...CART_FILES, ...files })) writeProjectFile(root, file, text);
    const { status, stdout } = await resumeLoop(root, `made it pass: ${name}`);
    expect(status, name + stdout).toBe(1);
    expect(stdout, name).toContain('- **Reason**: suspicious_success');
    expect(stdout, name).toMatch(/### Diff\n```diff\ndiff --git/u);
    expect(readState(root), name).toMatchObject({ status: 'suspicious', escalation: 'suspicious_success' });
  }
  expect(readState(root).attempts).toHaveLength(1 + CHEATS.length);
  expect(await readCommandData(root, ['history'], runsSchema)).toEqual({ runs: [{ status: 'failed' }] });
  expect((await fixProblem(root, ['--resume'])).status, 'nothing is run without a reason').toBe(1);
  const { status, stdout } = await resumeLoop(root, 'the price is of all items together');
  expect(status, stdout).toBe(0);
  expect(stdout).toContain(`- **Attempts Used**: ${2 + CHEATS.length}/9`);
  expect(stdout).toContain('### Stated Reason\nthe price is of all items together');
  expect(stdout).toContain('### Suspicious Changes\n- `cart.test.js:');
  expect((await argus(['memory', 'export', '--project', root])).stdout).not.toContain('made it pass');
});

test('a comment is not a fix, a fix may fail, and restored tests with a fix and more tests are the next attempt', async () => {
  const root = await startFailedLoop();
  writeProjectFile(root, 'cart.js', `// Sums up.\n\n${BROKEN_CART}`);
  const comment = await resumeLoop(root, 'explained it');
  expect(comment).toMatchObject({
    status: 3,
    stderr: expect.stringContaining('Changes of comments, blank lines and files that git ignores do not count'),
  });
  writeProjectFile(root, 'cart.js', BROKEN_CART.replace('item.price', 'item.qty'));
  expect((await resumeLoop(root, 'sum up quantities')).status).toBe(3);
  expect(readLoopFile(root, 'brief.md')).toMatch(/^## Context Summary\n- Error: /mu);
  writeProjectFile(root, 'cart.test.js', TOTAL_TEST.replace('6', '3'));
  expect((await resumeLoop(root, 'expect 3')).status).toBe(1);
  const more = `${TOTAL_TEST.replace('total([]), 0', 'total([], 1), 0')}\ntest('one', () => assert.equal(total([{ price: 1, qty: 1 }]), 1));\n`;
  writeProjectFile(root, 'cart.test.js', more);
  writeProjectFile(root, 'cart.js', BROKEN_CART.replace('item.price', 'item.price * item.qty'));
  const { status, stdout } = await resumeLoop(root, 'count the quantity');
  expect(status, stdout).toBe(0);
  expect(stdout).toContain('- **Attempts Used**: 4/9');
  expect(stdout).not.toContain('### Suspicious Changes');
  expect(stdout).toMatch(/1\. \*\*Attempt 1\*\*: sum up quantities - failed: /u);
  expect(stdout).toMatch(/\| sum up quantities \(failed\) \|/u);
});

test('a claimed fix is refused if the test has changed', async () => {
  const root = createRepository(CART_FILES);
  const recorded = await readCommandData(root, ['run', 'node --test'], z.object({ runId: z.string() }));
  writeProjectFile(root, 'cart.test.js', TOTAL_TEST.replace('6', '2'));
  await argus(['run', 'node --test', '--project', root]);
  const report = () => argus(['report-fix', recorded.runId, 'totals', 'Expected 2', '--project', root]);
  expect(await report()).toMatchObject({
    stderr: expect.stringContaining('The test has changed since it failed, at cart.test.js:6'),
  });
  runGit(root, 'checkout', '-q', '--', 'cart.test.js');
  writeProjectFile(root, 'cart.js', BROKEN_CART.replace('item.price', 'item.price * item.qty'));
  await argus(['run', 'node --test', '--project', root]);
  expect((await report()).stdout).toContain('confirmed: it held in');
});
