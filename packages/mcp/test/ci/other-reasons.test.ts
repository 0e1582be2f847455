import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findNonTestReasons } from '../../src/cli/ci/non-test-reasons.ts';
import { createFolder } from '../project.ts';

// The texts come from Vitest 3.2, Jest 30, nyc 17, pytest-cov 6, coverage.py 7, SimpleCov 0.22, JaCoCo 0.8, Node 20,
// pytest 8, TypeScript 5 and ESLint 9.
test.each([
  ['Vitest', 'ERROR: Coverage for lines (50%) does not meet global threshold (80%)'],
  ['Jest', 'Jest: "global" coverage threshold for statements (80%) not met: 50%'],
  ['nyc', 'ERROR: Coverage for branches (20%) does not meet global threshold (90%)'],
  ['pytest-cov', 'FAIL Required test coverage of 80% not reached. Total coverage: 50.00%'],
  ['coverage.py', 'Coverage failure: total of 50 is less than fail-under=80'],
  ['SimpleCov', 'Line coverage (50.00%) is below the expected minimum coverage (90.00%).'],
  ['JaCoCo', '[ERROR] Coverage checks have not been met. See log for details.'],
  ['Vitest, outside of tests', 'Vitest caught 1 unhandled error during the test run.'],
  ['V8', 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'],
  ['pytest', 'INTERNALERROR> Traceback (most recent call last):'],
  ['TypeScript', "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'."],
  ['ESLint', '✖ 3 problems (1 error, 2 warnings)'],
  ['a shell, of a program that the system ended', 'Killed'],
  ['Bash, of a program that the system ended', 'bash: line 1:  1234 Killed                  node build.js'],
  ['a shell, of a crash', 'Aborted (core dumped)'],
  ['AddressSanitizer', '==123==ERROR: AddressSanitizer: heap-use-after-free on address 0x60'],
  ['Go, of a race', 'WARNING: DATA RACE'],
  ['dash', 'sh: 1: eslint: not found'],
  ['Bash', 'bash: line 2: eslint: command not found'],
  ['npm', 'npm error Missing script: "check"'],
  ['mypy', 'Found 1 error in 1 file (checked 1 source file)'],
  ['Flake8', "a.py:1:8: F401 'os' imported but unused"],
  ['gcc', "src/a.c:3:5: error: expected ';' before 'return'"],
  ['javac', 'src/A.java:3: error: cannot find symbol'],
  ['rustc', 'error[E0308]: mismatched types'],
  ['.NET', 'A.cs(3,5): error CS1002: ; expected [/shop/shop.csproj]'],
  ['oxlint', 'Found 0 warnings and 2 errors.'],
  ['Prettier', '[warn] Code style issues found in the above file. Run Prettier with --write to fix.'],
  ['Black', '1 file would be reformatted.'],
  ['RuboCop', '4 files inspected, 1 offense detected'],
  ['PHPStan', ' [ERROR] Found 2 errors'],
  ['Knip', 'Unused files (1)'],
  ['Size Limit', '  Package size limit has exceeded by 2 kB'],
  ['Gradle', "Execution failed for task ':checkstyleMain'."],
  ['Maven', '[ERROR] Failed to execute goal org.apache.maven.plugins:maven-checkstyle-plugin:3.1.0:check'],
])('finds the reason that %s printed', (_, line) => {
  const root = createFolder({ 'out.log': `1 failed, 19 passed\n${line}\ndone\n` });
  expect(findNonTestReasons(root, path.join(root, 'out.log'))).toEqual([`The tests printed: ${line.trim()}`]);
});

test.each([
  'Tests:       1 failed, 19 passed, 20 total',
  'npm error Lifecycle script `test` failed with error:\nnpm error code 1\nnpm ERR! code ELIFECYCLE',
  'make: *** [Makefile:2: test] Error 1',
  'error: test failed, to rerun pass `--lib`',
  "Execution failed for task ':test'.",
  '[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test',
  'Found 0 errors. 12 files inspected, no offenses detected',
  '3 files would be left unchanged. found 0 vulnerabilities',
])('finds no reason in the end of a run whose tests failed: %s', (text) => {
  const root = createFolder({ 'out.log': `${text}\n` });
  expect(findNonTestReasons(root, path.join(root, 'out.log'))).toEqual([]);
});

test('reads a log in UTF-16 and a log with colors', () => {
  const line = 'ERROR: Coverage for lines (50%) does not meet global threshold (80%)';
  const root = createFolder({ 'out.log': '', 'colors.log': `\u001b[31m${line}\u001b[0m\n` });
  writeFileSync(path.join(root, 'out.log'), `\uFEFF1 failed\r\n${line}\r\n`, 'utf16le');
  for (const name of ['out.log', 'colors.log'])
    expect(findNonTestReasons(root, path.join(root, name)), name).toEqual([`The tests printed: ${line}`]);
});

test.each([
  ['package.json', '{"jest":{"coverageThreshold":{"global":{"lines":80}}}}'],
  ['vitest.config.ts', 'export default { test: { coverage: { thresholds: { lines: 80 } } } };'],
  ['jest.config.js', 'module.exports = { coverageThreshold: { global: { lines: 80 } } };'],
  ['.nycrc.json', '{"check-coverage": true}'],
  ['pyproject.toml', '[tool.coverage.report]\nfail_under = 80\n'],
  ['setup.cfg', '[tool:pytest]\naddopts = --cov-fail-under=80\n'],
])('a threshold in %s is a reason only without a log', (name, text) => {
  const root = createFolder({ [name]: text, 'out.log': 'Coverage: 99 % of lines\n1 failed\n' });
  expect(findNonTestReasons(root, undefined)).toEqual([expect.stringContaining(`${name} sets a coverage threshold`)]);
  expect(findNonTestReasons(root, path.join(root, 'out.log'))).toEqual([]);
});

test('reports no coverage reason in a project without a threshold', () => {
  const root = createFolder({ 'package.json': '{"scripts":{"test":"vitest run --coverage"}}' });
  expect(findNonTestReasons(root, undefined)).toEqual([]);
  expect(() => findNonTestReasons(root, path.join(root, 'none.log'))).toThrow('cannot be read');
});
