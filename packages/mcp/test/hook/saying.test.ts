/** Decides whether two errors count as the same error. */
import { expect, test } from 'vitest';
import { signErrors, withSigner } from '../../src/hook/command-run.ts';
import { type Hint, selectMatchingHints } from '../../src/hook/state.ts';

/** Returns true if a hint about the error `knownError` is shown for the error `currentError` of another test. */
async function isHintShown(knownError: string, currentError: string, cases?: string[]): Promise<boolean> {
  const remembered = [
    { caseName: 'apples', error: knownError },
    { caseName: 'pears', error: currentError },
  ];
  const [knownSignature, currentSignature] = await withSigner({}, '/shop', (signer) => signErrors(signer, remembered));
  if (knownSignature === undefined || currentSignature === undefined) throw new Error('no error');
  const families = [knownSignature.family, ...(knownSignature.sentence === undefined ? [] : [knownSignature.sentence])];
  const earned: Hint = { of: 'fix', kind: 'proved', families, words: [], lines: ['x'] };
  return selectMatchingHints([{ ...earned, ...(cases === undefined ? {} : { cases }) }], currentSignature).length > 0;
}

const addStackFrame = (error: string, place: string) => `${error}\n    at ${place} (/shop/src/${place}.mjs:3:7)\n`;

const connectionRefused = (port: number, place: string) =>
  addStackFrame(`Error: connect ECONNREFUSED 127.0.0.1:${port}`, place);
const UNDEFINED_ERROR = "TypeError: Cannot read properties of undefined (reading 'id')";
const ASSERTION_ERROR = 'AssertionError: expected 1 to equal 2';
const importError = (module: string) =>
  `ImportError: Failed to import test module: test_shop\nModuleNotFoundError: No module named "${module}"`;

test.each([
  ['the same service', connectionRefused(4100, 'load'), 'connect ECONNREFUSED 127.0.0.1:4100', true],
  ['another port', connectionRefused(4100, 'load'), connectionRefused(4200, 'send'), false],
  [
    'the same sentence elsewhere',
    addStackFrame('Error: the ledger is shut', 'load'),
    addStackFrame('Error: the ledger is shut', 'send'),
    true,
  ],
  [
    'another sentence',
    addStackFrame('Error: the ledger is shut', 'load'),
    addStackFrame('Error: the ledger is full', 'load'),
    false,
  ],
  [
    'a missing value in other code',
    addStackFrame(UNDEFINED_ERROR, 'load'),
    addStackFrame(UNDEFINED_ERROR, 'send'),
    false,
  ],
  ['an expectation of another test', ASSERTION_ERROR, ASSERTION_ERROR, false],
  ['another module behind the same first line', importError('plums'), importError('pears'), false],
])('shows a hint only for the same problem: %s', async (_name, knownError, currentError, isShown) => {
  expect(await isHintShown(knownError, currentError)).toBe(isShown);
});

test('shows a hint about a failed expectation only for the same test', async () => {
  expect(await isHintShown(ASSERTION_ERROR, ASSERTION_ERROR, ['pears'])).toBe(true);
  expect(await isHintShown(ASSERTION_ERROR, ASSERTION_ERROR, ['apples'])).toBe(false);
});
