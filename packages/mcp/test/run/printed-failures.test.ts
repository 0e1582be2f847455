/** Failed tests in the console output of pytest, Jest, Vitest and Go. */

import { expect, test } from 'vitest';
import { PrintedFailures } from '../../src/run/reports/printed-failures.ts';

function read(printed: string) {
  const failures = new PrintedFailures();
  for (const line of printed.split('\n')) failures.line(line);
  return failures.end();
}

/** Qualified name and first line of the error of each failure. */
function told(printed: string): string[][] {
  return read(printed)
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

test('pytest: names sections by the summary', () => {
  expect(told(PYTEST)).toEqual([
    ['test_cart.py > TestCart > test_total', '>       assert sum(items) == 4'],
    ['test_cart.py > test_par[a b]', 'E       AssertionError: not c'],
  ]);
  expect(read(PYTEST)[0]?.text).not.toContain('counting');
});

test('pytest: reads messages from the summary with --tb=no', () => {
  const [, summary = ''] = PYTEST.split('test summary info ============================\n');
  expect(told(summary)[1]).toEqual(['test_cart.py > test_par[a b]', 'AssertionError: not c']);
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

test('Jest: reads each failure of a file once', () => {
  const failures = [
    ['sum.test.js > sum > is wrong', 'Error: expect(received).toBe(expected) // Object.is equality'],
    ['src/till.test.ts > (suite)', "Cannot find module './till' from 'src/till.test.ts'"],
  ];
  expect(told(JEST)).toEqual(failures);
  expect(told(`${JEST}Summary of all failing tests\n${JEST}`)).toEqual(failures);
  expect(read(JEST)[0]?.text).not.toContain('it(');
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

test('Vitest: reads tests with the same error and a file that cannot be loaded', () => {
  expect(told(VITEST)).toEqual([
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

test.each([GO, GO_VERBOSE])('Go: assigns tests to the package below them', (printed) => {
  const [report] = read(printed);
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

test('Go: reads a failed package without names of tests', () => {
  for (const line of ['FAIL\texample.com/sum\t0.008s', 'FAIL\texample.com/sum [build failed]']) {
    expect(read(line)[0]?.text.trim()).toBe('{"Package":"example.com/sum","Action":"fail","Elapsed":0}');
  }
});

test('Go: reads passed packages, with names of tests only for -v', () => {
  const go = new PrintedFailures();
  for (const line of [
    'ok  \texample.com/sum\t0.008s',
    'ok  \texample.com/till\t(cached)',
    'ok  \texample.com/tax\t0.002s [no tests to run]',
  ])
    go.line(line);
  expect(go.passedPackages).toEqual(['example.com/sum', 'example.com/till']);
  expect(go.end()).toEqual([]);
  const [report] = read('=== RUN   TestSum\n--- PASS: TestSum (0.00s)\nPASS\nok  \texample.com/sum\t0.008s');
  expect(report?.text).toContain('"Test":"TestSum","Action":"pass"');
});

test('writes no report without failures', () => {
  const passes = [
    '4 passed in 0.08s',
    'PASS ./sum.test.js',
    ' Test Files  1 passed (1)',
    'ok  \texample.com/sum\t0.008s',
  ];
  expect(read(passes.join('\n'))).toEqual([]);
});
