/** Tests argus walls, which lists the failures that cost most. The engine tests the costs. */

import { expect, test } from 'vitest';
import { AgentMachine } from '../hook/desk.ts';

const SOURCE = 'export const add = (one, other) => one + other;\n';
const TESTS = `import test from 'node:test';
import assert from 'node:assert';
import { add } from './add.mjs';

test('adds', () => assert.equal(add(1, 2), 3));
`;

test('the failures that cost most are listed with the step that ends each', async () => {
  const desk = new AgentMachine();
  desk.commit({ 'add.mjs': SOURCE, 'add.test.mjs': TESTS });
  expect(await desk.print('walls')).toBe('no run is recorded yet\n');
  await desk.print('run', 'node --test');
  expect(await desk.print('walls')).toBe('no test failed in 1 recorded run\n');
  for (const round of [1, 2]) {
    desk.commit({ 'add.mjs': `${SOURCE.replace('+', '-')}// ${round}\n` });
    await desk.print('run', 'node --test');
    desk.commit({ 'add.mjs': `${SOURCE}// ${round}\n` });
    await desk.print('run', 'node --test');
  }
  const { walls, total, runs } = await desk.data('walls');
  expect([total, runs]).toEqual([1, 5]);
  expect(walls[0]).toMatchObject({
    kind: 'code',
    caseNames: ['add.test.mjs > adds'],
    tests: 1,
    runs: 2,
    recurrences: 1,
    reruns: 0,
    isFailing: false,
    fixId: expect.stringMatching(/^fix-/u),
    remedy: expect.stringMatching(/^It came back: argus fixes fix-/u),
  });
  expect(await desk.print('walls')).toMatch(
    /^1\. less than 1 min red, failed in 2 runs, came back 1 time {2}code, last \d+ \w+\n {4}add\.test\.mjs > adds\n/u,
  );
});
