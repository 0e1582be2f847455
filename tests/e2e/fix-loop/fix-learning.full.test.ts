/** Tests what a loop records in the memory of failures: its attempts as runs, and each fix with its case. */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { createProject } from '../harness.ts';
import {
  createRepository,
  fixProblem,
  loopOn,
  readCommandData,
  readState,
  runAndDiagnose,
  writeProjectFile,
} from './fix-loop.ts';

const createTest = (name: string, check: string) =>
  `require('node:test').test('${name}', () => require('node:assert/strict').equal(${check}));\n`;
const BROKEN_SUM = 'exports.add = (a, b) => a - b;\nexports.double = (a) => a * 3;\n';
const ADD_FILES = { 'sum.js': BROKEN_SUM, 'add.test.js': createTest('adds two', "require('./sum.js').add(2, 3), 5") };
const DOUBLE_FILES = { 'double.test.js': createTest('doubles', "require('./sum.js').double(4), 8") };
const LOOP_ARGS = loopOn('node --test');

const HistorySchema = z.object({
  runs: z.array(z.object({ status: z.string(), passed: z.number(), failed: z.number() })),
});

// Takes over 5 s, because a loop of several attempts runs real tests each time.
test('a loop records attempts as runs, and proves each fix for the cause that it removed', async () => {
  const root = createRepository({ ...ADD_FILES, ...DOUBLE_FILES });
  expect((await fixProblem(root, LOOP_ARGS)).status).toBe(3);
  const added = BROKEN_SUM.replace('a - b', 'a + b');
  writeProjectFile(root, 'sum.js', added);
  expect((await fixProblem(root, ['--resume', '--fix', 'Add instead of subtracting'])).status).toBe(3);
  writeProjectFile(root, 'sum.js', added.replace('a * 3', 'a * 2'));
  expect((await fixProblem(root, ['--resume', '--fix', 'Double is times two'])).status).toBe(0);
  expect((await readCommandData(root, ['history'], HistorySchema)).runs).toEqual([
    { status: 'passed', passed: 2, failed: 0 },
    { status: 'failed', passed: 1, failed: 1 },
    { status: 'failed', passed: 0, failed: 2 },
  ]);

  writeProjectFile(root, 'sum.js', `\n\n\n${BROKEN_SUM}`);
  expect(await runAndDiagnose(root, 'node --test', 'adds two', 'doubles')).toEqual([
    {
      suggestedFix: expect.stringContaining('Add instead of subtracting'),
      fixStatus: expect.stringContaining('fixed 1 of 1 time'),
    },
    {
      suggestedFix: expect.stringContaining('Double is times two'),
      fixStatus: expect.stringContaining('fixed 1 of 1 time'),
    },
  ]);
});

// Takes over 5 s, because a loop of several attempts runs real tests each time.
test('a fix that a person accepted is shown as accepted instead of proved', async () => {
  const root = createRepository(ADD_FILES);
  await fixProblem(root, LOOP_ARGS);
  writeProjectFile(root, 'add.test.js', ADD_FILES['add.test.js'].replace('.test(', '.test.skip('));
  expect((await fixProblem(root, ['--resume', '--fix', 'Left out'])).status).toBe(1);
  expect(readState(root).status).toBe('suspicious');
  expect((await fixProblem(root, ['--resume', '--accept', 'it was wrong'])).status).toBe(0);
  expect(readState(root).status).toBe('success');
  expect((await readCommandData(root, ['history'], HistorySchema)).runs).toMatchObject([{ status: 'failed' }]);

  writeProjectFile(root, 'add.test.js', ADD_FILES['add.test.js']);
  expect(await runAndDiagnose(root, 'node --test', 'adds two')).toMatchObject([
    { suggestedFix: expect.stringContaining('A person accepted it although the tests are weaker: add.test.js:1') },
  ]);
});

test('a command that rejects the reporter runs exactly as it was typed', async () => {
  const refuses = [
    'case "$NODE_OPTIONS" in',
    '  *--require*) echo "sealed: $NODE_OPTIONS is not allowed in NODE_OPTIONS"; exit 9 ;;',
    'esac',
    'echo all is well',
  ];
  const root = createProject({ 'sealed.sh': `${refuses.join('\n')}\n` });
  const { status, stdout } = await fixProblem(root, loopOn('sh sealed.sh'));
  expect(status).toBe(0);
  expect(readState(root).attempts).toMatchObject([{ exit_code: 0 }]);
  expect(stdout).toContain('rejected the additions of Argus for a report');
});
