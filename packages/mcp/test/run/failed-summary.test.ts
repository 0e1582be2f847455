/** Summaries of runners behind a pipe. */

import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { failedSummary } from '../../src/run/reports/failed-summary.ts';

test.each([
  'FAIL',
  'FAIL\tgithub.com/gorilla/mux\t0.031s',
  'FAIL\texample.com/sum [build failed]',
  'test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s',
  'error: test failed, to rerun pass `--lib`',
  '========================= 1 failed, 4 passed in 0.31s ==========================',
  '2 failed, 2 passed in 0.08s',
  '1 passed, 1 error in 0.10s',
  'FAILED (failures=1, errors=2)',
  'Tests:       1 failed, 3 passed, 4 total',
  '      Tests  1 failed | 3 passed (4)',
  '\u001b[2m      Tests \u001b[22m \u001b[31m1 failed\u001b[39m | 3 passed (4)',
  '  2 failing',
  '# fail 1',
  'ℹ fail 1',
  '5 examples, 1 failure',
  'FAILURES!',
  '[INFO] BUILD FAILURE',
  'BUILD FAILED in 3s',
])('finds failed tests in %j', (line) => {
  expect(failedSummary(`PASS\n${line}\n`)).toBe(stripVTControlCharacters(line));
});

test.each([
  'ok  \texample.com/sum\t0.008s',
  'test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out',
  '4 passed in 0.08s',
  'Tests:       4 passed, 4 total',
  '# fail 0',
  'FAILED_JOBS=0',
  'checked that FAIL is printed',
  'the login failed 1 time, as expected',
  `FAIL\n${'line\n'.repeat(20)}`,
])('finds no failed tests in %j', (printed) => {
  expect(failedSummary(printed)).toBeUndefined();
});
