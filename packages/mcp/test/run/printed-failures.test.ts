/** Tests failed tests that are read from the console output of pytest, Jest, Vitest and Go. */

import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { findFailedSummary, PrintedFailures, parsePrintedCounts } from '../../src/run/reports/printed-failures.ts';

function createReports(printed: string) {
  const failures = new PrintedFailures();
  for (const line of printed.split('\n')) failures.addLine(line);
  return failures.end();
}

/** Returns the qualified name and the first line of the error of each failure. */
function listFailures(printed: string): string[][] {
  return createReports(printed)
    .flatMap(({ text }) => JSON.parse(text).results.tests)
    .map(({ filePath, suite, name, trace }) => [[filePath, ...suite, name].join(' > '), trace.split('\n')[0]]);
}

const PYTEST = `F.F.                                                     [100%]
=================================== FAILURES ===================================
_____________________________ TestCart.test_total ______________________________

>       assert sum(items) == 4
E       assert 3 == 4

test_cart.py:4: AssertionError
----------------------------- Captured stdout call -----------------------------
counting
________________________________ test_par[a b] _________________________________
E       AssertionError: not c
=========================== short test summary info ============================
FAILED test_cart.py::TestCart::test_total - assert 3 == 4
FAILED test_cart.py::test_par[a b] - AssertionError: not c
2 failed, 2 passed in 0.08s
`;

test('pytest: names failures as in the summary', () => {
  expect(listFailures(PYTEST)).toEqual([
    ['test_cart.py > TestCart > test_total', '>       assert sum(items) == 4'],
    ['test_cart.py > test_par[a b]', 'E       AssertionError: not c'],
  ]);
  expect(createReports(PYTEST)[0]?.text).not.toContain('counting');
});

test('pytest: reads messages from the summary if --tb=no omits tracebacks', () => {
  const [, summary = ''] = PYTEST.split('test summary info ============================\n');
  expect(listFailures(summary)[1]).toEqual(['test_cart.py > test_par[a b]', 'AssertionError: not c']);
});

const JEST = `FAIL ./sum.test.js
  sum
    ✕ is wrong (3 ms)

  ● sum › is wrong

    expect(received).toBe(expected) // Object.is equality

    Expected: 3
    Received: 2

    > 3 |   it('is wrong', () => expect(1 + 1).toBe(3));
        |                                      ^
      at Object.toBe (sum.test.js:3:38)

FAIL src/till.test.ts (5.2 s)
  ● Test suite failed to run

    Cannot find module './till' from 'src/till.test.ts'

Test Suites: 2 failed, 2 total
`;

test('Jest: reads each failure once, although Jest may print it twice', () => {
  const failures = [
    ['sum.test.js > sum > is wrong', 'Error: expect(received).toBe(expected) // Object.is equality'],
    ['src/till.test.ts > (suite)', "Cannot find module './till' from 'src/till.test.ts'"],
  ];
  expect(listFailures(JEST)).toEqual(failures);
  expect(listFailures(`${JEST}Summary of all failing tests\n${JEST}`)).toEqual(failures);
  expect(createReports(JEST)[0]?.text).not.toContain('it(');
});

const VITEST = `
 FAIL  sum.test.js > sum > is wrong
 FAIL  |unit| sum.test.js > sum > is wrong again
AssertionError: expected 2 to be 3 // Object.is equality

 ❯ sum.test.js:5:38
      5|   it('is wrong', () => expect(1 + 1).toBe(3));
⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/2]⎯

 FAIL  till.test.js [ till.test.js ]
Error: Cannot find module './till'
⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[2/2]⎯
`;

test('Vitest: reads tests that share an error, and a file that cannot be loaded', () => {
  expect(listFailures(VITEST)).toEqual([
    ['sum.test.js > sum > is wrong', 'AssertionError: expected 2 to be 3 // Object.is equality'],
    ['sum.test.js > sum > is wrong again', 'AssertionError: expected 2 to be 3 // Object.is equality'],
    ['till.test.js > (suite)', "Error: Cannot find module './till'"],
  ]);
});

const GO = `--- FAIL: TestSum (0.00s)
    --- FAIL: TestSum/is_wrong (0.00s)
        sum_test.go:11: got 2, want 3
FAIL
FAIL\texample.com/sum\t0.008s
ok  \texample.com/till\t0.001s
FAIL
`;

const GO_VERBOSE = `=== RUN   TestSum
=== RUN   TestSum/is_wrong
    sum_test.go:11: got 2, want 3
--- FAIL: TestSum (0.00s)
    --- FAIL: TestSum/is_wrong (0.00s)
FAIL
FAIL\texample.com/sum\t0.008s
`;

test.each([GO, GO_VERBOSE])('Go: assigns tests to the package that is printed below them', (printed) => {
  const [report] = createReports(printed);
  const events = (report?.text ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const failed = events.filter(({ Action }) => Action === 'fail').map(({ Package, Test = '' }) => `${Package} ${Test}`);
  expect(report?.format).toBe('go-test');
  expect(failed.sort()).toEqual(['example.com/sum ', 'example.com/sum TestSum', 'example.com/sum TestSum/is_wrong']);
  const output = events.filter(({ Action }) => Action === 'output');
  expect(output.map(({ Test, Output }) => [Test, Output.trim()])).toEqual([
    ['TestSum/is_wrong', 'sum_test.go:11: got 2, want 3'],
  ]);
});

test('Go: reads a failed package whose output names no tests', () => {
  for (const line of ['FAIL\texample.com/sum\t0.008s', 'FAIL\texample.com/sum [build failed]']) {
    expect(createReports(line)[0]?.text.trim()).toBe('{"Package":"example.com/sum","Action":"fail","Elapsed":0}');
  }
});

test('Go: reads passed packages, and names of passed tests only with -v', () => {
  const go = new PrintedFailures();
  for (const line of [
    'ok  \texample.com/sum\t0.008s',
    'ok  \texample.com/till\t(cached)',
    'ok  \texample.com/tax\t0.002s [no tests to run]',
  ])
    go.addLine(line);
  expect(go.passedPackages).toEqual(['example.com/sum', 'example.com/till']);
  expect(go.end()).toEqual([]);
  const [report] = createReports('=== RUN   TestSum\n--- PASS: TestSum (0.00s)\nPASS\nok  \texample.com/sum\t0.008s');
  expect(report?.text).toContain('"Test":"TestSum","Action":"pass"');
});

test('writes no report without failures', () => {
  const passedLines = [
    '4 passed in 0.08s',
    'PASS ./sum.test.js',
    ' Test Files  1 passed (1)',
    'ok  \texample.com/sum\t0.008s',
  ];
  expect(createReports(passedLines.join('\n'))).toEqual([]);
});

/* Summaries of runners whose exit code a pipe hides. */

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
  expect(findFailedSummary(`PASS\n${line}\n`)).toBe(stripVTControlCharacters(line));
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
  expect(findFailedSummary(printed)).toBeUndefined();
});

test.each([
  ['jest', 'Tests:       1 failed, 1 skipped, 1 todo, 2 passed, 5 total\nSnapshots:   0 total\n', 5, 1],
  ['vitest', '      Tests  1 failed | 2 passed | 1 skipped (4)\n', 4, 1],
  ['vitest', '      Tests  no tests\n', undefined, undefined],
  ['mocha', '\n  2 passing (5ms)\n  1 pending\n  3 failing\n\n  1) shop:\n', 6, 3],
  ['pytest', '= 1 failed, 2 passed, 1 xfailed, 3 errors in 0.12s =\n', 3, 1],
  ['pytest', '= no tests ran in 0.01s =\n', undefined, undefined],
  ['jest', 'Tests: 9 passed, 9 total\nof a test\nTests: 2 passed, 2 total\n', 2, 0],
  ['pytest', 'SUBFAILED(i=1) a.py::test_a - assert 1 != 1\n=== 2 failed in 0.07s ===\n', undefined, undefined],
  ['node:test', '# tests 3\n# fail 0\n', undefined, undefined],
  [null, 'Tests: 9 passed, 9 total\n', undefined, undefined],
])('reads the counts in the summary of %s', (runner, printed, tests, failed) => {
  const counts = parsePrintedCounts(printed, runner);
  expect([counts?.tests, counts?.failed]).toEqual([tests, failed]);
});
