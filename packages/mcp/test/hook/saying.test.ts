/** Which errors are one error, wherever they come up. */
import { createInspector } from 'argus-engine';
import { expect, test } from 'vitest';
import { errorOf } from '../../src/hook/earned/errors-of-run.ts';
import { matching } from '../../src/hook/earned/matching.ts';
import type { Earned } from '../../src/hook/state.ts';

const inspector = createInspector();

/** Whether what was earned for one error is said of the other, which another test has. */
function isSaid(known: string, now: string, cases?: string[]): boolean {
  const [before, after] = [errorOf(inspector, 'apples', known), errorOf(inspector, 'pears', now)];
  if (before === undefined || after === undefined) throw new Error('no error');
  const families = [before.family, ...(before.saying === undefined ? [] : [before.saying])];
  const earned: Earned = { of: 'fix', kind: 'proved', families, words: [], lines: ['x'] };
  return matching([{ ...earned, ...(cases === undefined ? {} : { cases }) }], after).length > 0;
}

const at = (error: string, place: string) => `${error}\n    at ${place} (/shop/src/${place}.mjs:3:7)\n`;

test.each([
  [
    'the same service',
    at('Error: connect ECONNREFUSED 127.0.0.1:4100', 'load'),
    'connect ECONNREFUSED 127.0.0.1:4100',
    true,
  ],
  [
    'another port',
    at('Error: connect ECONNREFUSED 127.0.0.1:4100', 'load'),
    at('Error: connect ECONNREFUSED 127.0.0.1:4200', 'send'),
    false,
  ],
  [
    'the same sentence elsewhere',
    at('Error: the stock ledger is closed', 'load'),
    at('Error: the stock ledger is closed', 'send'),
    true,
  ],
  [
    'another sentence',
    at('Error: the stock ledger is closed', 'load'),
    at('Error: the stock ledger is full', 'load'),
    false,
  ],
  [
    'a missing value in other code',
    at("TypeError: Cannot read properties of undefined (reading 'id')", 'load'),
    at("TypeError: Cannot read properties of undefined (reading 'id')", 'send'),
    false,
  ],
  [
    'what another test expected',
    'AssertionError: expected 1 to equal 2',
    'AssertionError: expected 1 to equal 2',
    false,
  ],
  [
    'another module behind the same first line',
    'ImportError: Failed to import test module: test_shop\nModuleNotFoundError: No module named "plums"',
    'ImportError: Failed to import test module: test_shop\nModuleNotFoundError: No module named "pears"',
    false,
  ],
])('%s', (_name, known, now, wanted) => {
  expect(isSaid(known, now)).toBe(wanted);
});

test('what a test expected is known for that test', () => {
  const error = 'AssertionError: expected 1 to equal 2';
  expect(isSaid(error, error, ['pears'])).toBe(true);
  expect(isSaid(error, error, ['apples'])).toBe(false);
});
