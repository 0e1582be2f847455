/** Records of a loop in the memory of failures: its attempts as runs, and each fix with its case. */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { project } from '../harness.ts';
import { dataOf, diagnosed, fixProblem, loopOn, repository, stateOf, write } from './fix-loop.ts';

const test_ = (name: string, check: string) =>
  `require('node:test').test('${name}', () => require('node:assert/strict').equal(${check}));\n`;
const BROKEN = 'exports.add = (a, b) => a - b;\nexports.double = (a) => a * 3;\n';
const ADDS = { 'sum.js': BROKEN, 'add.test.js': test_('adds two', "require('./sum.js').add(2, 3), 5") };
const DOUBLES = { 'double.test.js': test_('doubles', "require('./sum.js').double(4), 8") };
const LOOP = loopOn('node --test');

const HISTORY = z.object({
  runs: z.array(z.object({ status: z.string(), passed: z.number(), failed: z.number() })),
});

// Over 5 s, because a loop of several attempts runs real tests each time.
test('records attempts as runs, and proves each fix for the cause that it removed', async () => {
  const root = repository({ ...ADDS, ...DOUBLES });
  expect((await fixProblem(root, LOOP)).status).toBe(3);
  const added = BROKEN.replace('a - b', 'a + b');
  write(root, 'sum.js', added);
  expect((await fixProblem(root, ['--resume', '--fix', 'Add instead of subtracting'])).status).toBe(3);
  write(root, 'sum.js', added.replace('a * 3', 'a * 2'));
  expect((await fixProblem(root, ['--resume', '--fix', 'Double is times two'])).status).toBe(0);
  expect((await dataOf(root, ['history'], HISTORY)).runs).toEqual([
    { status: 'passed', passed: 2, failed: 0 },
    { status: 'failed', passed: 1, failed: 1 },
    { status: 'failed', passed: 0, failed: 2 },
  ]);

  write(root, 'sum.js', `\n\n\n${BROKEN}`);
  expect(await diagnosed(root, 'node --test', 'adds two', 'doubles')).toEqual([
    {
      suggestedFix: expect.stringContaining('Add instead of subtracting'),
      standing: expect.stringContaining('fixed 1 of 1 time'),
    },
    {
      suggestedFix: expect.stringContaining('Double is times two'),
      standing: expect.stringContaining('fixed 1 of 1 time'),
    },
  ]);
});

// Over 5 s, because a loop of several attempts runs real tests each time.
test('shows a fix that a person accepted as accepted instead of proved', async () => {
  const root = repository(ADDS);
  await fixProblem(root, LOOP);
  write(root, 'add.test.js', ADDS['add.test.js'].replace('.test(', '.test.skip('));
  expect((await fixProblem(root, ['--resume', '--fix', 'Left out'])).status).toBe(1);
  expect(stateOf(root).status).toBe('suspicious');
  expect((await fixProblem(root, ['--resume', '--accept', 'it was wrong'])).status).toBe(0);
  expect(stateOf(root).status).toBe('success');
  expect((await dataOf(root, ['history'], HISTORY)).runs).toMatchObject([{ status: 'failed' }]);

  write(root, 'add.test.js', ADDS['add.test.js']);
  expect(await diagnosed(root, 'node --test', 'adds two')).toMatchObject([
    { suggestedFix: expect.stringContaining('A person accepted it although the tests are weaker: add.test.js:1') },
  ]);
});

test('a command that rejects the reporter runs as it was typed', async () => {
  const refuses = [
    'case "$NODE_OPTIONS" in',
    '  *--require*) echo "sealed: $NODE_OPTIONS is not allowed in NODE_OPTIONS"; exit 9 ;;',
    'esac',
    'echo all is well',
  ];
  const root = project({ 'sealed.sh': `${refuses.join('\n')}\n` });
  const { status, stdout } = await fixProblem(root, loopOn('sh sealed.sh'));
  expect(status).toBe(0);
  expect(stateOf(root).attempts).toMatchObject([{ exit_code: 0 }]);
  expect(stdout).toContain('did not take what Argus adds for a report');
});
