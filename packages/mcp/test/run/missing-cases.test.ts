import { expect, test } from 'vitest';
import { createCacheNote, createNotRunNote } from '../../src/run/advice/missing-cases.ts';

test.each([
  [
    '@shop/cart:build: cache hit, replaying logs 0bc1\n@shop/cart:test: cache hit, replaying logs 4f2a\n@shop/cart:test: ok\nshop:test:unit: cache hit, suppressing logs 1\n',
    'Turbo replayed the tests of 2 packages from its cache',
  ],
  ['\u001b[36m@shop/cart:test: \u001b[0mcache hit, replaying logs \u001b[2m4f2a\u001b[0m', 'tests of 1 package'],
  ['@shop/cart:build: cache hit, replaying logs 0bc1\n@shop/cart:test: cache miss, executing 4f2a\n', undefined],
  [
    'Nx read the output from the cache instead of running the command for 3 out of 10 tasks.',
    'Nx replayed 3 of 10 tasks from its cache, so their cases are not in this run. Add --skip-nx-cache to run them.',
  ],
  [
    'ok  \texample.com/shop/cart\t(cached)\nok  \texample.com/shop/api\t0.003s\nok  \texample.com/shop/db\t(cached)\tcoverage: 81.0% of statements\n',
    'Go replayed 2 of 3 passed packages from its cache, so their tests did not run. Add -count=1 to run them.',
  ],
  ['ok  \texample.com/shop/cart\t0.003s\n', undefined],
  ['', undefined],
])('notes results that a cache replayed in %j', (printed, note) => {
  if (note === undefined) expect(createCacheNote(printed)).toBeUndefined();
  else expect(createCacheNote(printed)).toContain(note);
});

test.each([
  ['5/9 tests were not run due to test failure', '5 of 9 tests did not run'],
  ['error: test failed, to rerun pass `--lib`', 'the tests of --lib failed'],
  ['Test Suites: 1 failed, 1 of 3 total\nTests: 1 failed, 1 total', '2 of 3 test files did not run'],
  ['  `--fail-fast` is on. At least 1 test was skipped.\n', 'At least 1 test was skipped'],
  ['  `--fail-fast` is on. 2 test files were skipped.\n', '2 test files were skipped'],
  ['!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!\n1 failed in 0.01s', 'the tests after it did not run'],
  ['!!!!!!!!!! _pytest.outcomes.Exit: enough !!!!!!!!!!!\n', 'the tests after it did not run'],
  ['error: test failed, to rerun pass `-p shop --test cart`\n', 'the tests of -p shop --test cart failed'],
])('notes tests that did not run in %j', (printed, expectedPart) => {
  expect(createNotRunNote(`running 1 test\n${printed}`)).toContain(expectedPart);
});

test.each([
  'test result: ok. 3 passed; 0 failed',
  'Test Suites: 1 failed, 2 passed, 3 total',
  'Test Suites: 1 failed, 1 skipped, 1 passed, 2 of 3 total',
  'Test Suites: 1 skipped, 0 of 1 total',
  'error: doctest failed, to rerun pass `--doc`',
  'error: test failed, to rerun pass `--doc`',
  'error: test failed, to rerun pass `--lib`\nerror: 1 target failed:\n    `--lib`',
])('finds no tests that did not run in %j', (printed) => {
  expect(createNotRunNote(printed)).toBeUndefined();
});
