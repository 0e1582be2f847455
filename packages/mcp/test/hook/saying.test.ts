/** Decides whether two errors count as the same error. */
import { expect, test } from 'vitest';
import { matching } from '../../src/hook/earned/matching.ts';
import { signed, signing } from '../../src/hook/earned/signing.ts';
import type { Earned } from '../../src/hook/state.ts';

/** Returns true if a fact about the error `known` is reported for the error `now` in a different test. */
async function isSaid(known: string, now: string, cases?: string[]): Promise<boolean> {
  const remembered = [
    { caseName: 'apples', error: known },
    { caseName: 'pears', error: now },
  ];
  const [before, after] = await signing({}, '/shop', (signer) => signed(signer, remembered));
  if (before === undefined || after === undefined) throw new Error('no error');
  const families = [before.family, ...(before.sentence === undefined ? [] : [before.sentence])];
  const earned: Earned = { of: 'fix', kind: 'proved', families, words: [], lines: ['x'] };
  return matching([{ ...earned, ...(cases === undefined ? {} : { cases }) }], after).length > 0;
}

const at = (error: string, place: string) => `${error}\n    at ${place} (/shop/src/${place}.mjs:3:7)\n`;

const REFUSED = (port: number, place: string) => at(`Error: connect ECONNREFUSED 127.0.0.1:${port}`, place);
const UNDEFINED = "TypeError: Cannot read properties of undefined (reading 'id')";
const EXPECTED = 'AssertionError: expected 1 to equal 2';
const IMPORT = (module: string) =>
  `ImportError: Failed to import test module: test_shop\nModuleNotFoundError: No module named "${module}"`;

test.each([
  ['the same service', REFUSED(4100, 'load'), 'connect ECONNREFUSED 127.0.0.1:4100', true],
  ['another port', REFUSED(4100, 'load'), REFUSED(4200, 'send'), false],
  [
    'the same sentence elsewhere',
    at('Error: the ledger is shut', 'load'),
    at('Error: the ledger is shut', 'send'),
    true,
  ],
  ['another sentence', at('Error: the ledger is shut', 'load'), at('Error: the ledger is full', 'load'), false],
  ['a missing value in other code', at(UNDEFINED, 'load'), at(UNDEFINED, 'send'), false],
  ['what another test expected', EXPECTED, EXPECTED, false],
  ['another module behind the same first line', IMPORT('plums'), IMPORT('pears'), false],
])('%s', async (_name, known, now, wanted) => {
  expect(await isSaid(known, now)).toBe(wanted);
});

test('reports a failed expectation only for its test', async () => {
  expect(await isSaid(EXPECTED, EXPECTED, ['pears'])).toBe(true);
  expect(await isSaid(EXPECTED, EXPECTED, ['apples'])).toBe(false);
});
