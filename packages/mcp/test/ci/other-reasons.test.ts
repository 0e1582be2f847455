import path from 'node:path';
import { expect, test } from 'vitest';
import { otherReasons } from '../../src/cli/ci/other-reasons.ts';
import { folder } from '../project.ts';

// Output of Vitest 3.2, Jest 30, nyc 17, pytest-cov 6, coverage.py 7, SimpleCov 0.22, JaCoCo 0.8, Node 20, pytest 8,
// TypeScript 5 and ESLint 9.
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
])('finds the reason that %s printed', (_, line) => {
  const root = folder({ 'out.log': `1 failed, 19 passed\n${line}\ndone\n` });
  expect(otherReasons(root, path.join(root, 'out.log'))).toEqual([`The tests printed: ${line}`]);
});

test.each([
  ['package.json', '{"jest":{"coverageThreshold":{"global":{"lines":80}}}}'],
  ['vitest.config.ts', 'export default { test: { coverage: { thresholds: { lines: 80 } } } };'],
  ['jest.config.js', 'module.exports = { coverageThreshold: { global: { lines: 80 } } };'],
  ['.nycrc.json', '{"check-coverage": true}'],
  ['pyproject.toml', '[tool.coverage.report]\nfail_under = 80\n'],
  ['setup.cfg', '[tool:pytest]\naddopts = --cov-fail-under=80\n'],
])('a threshold in %s is a reason only without a log', (name, text) => {
  const root = folder({ [name]: text, 'out.log': 'Coverage: 99 % of lines\n1 failed\n' });
  expect(otherReasons(root, undefined)).toEqual([expect.stringContaining(`${name} sets a threshold of coverage`)]);
  expect(otherReasons(root, path.join(root, 'out.log'))).toEqual([]);
});

test('finds no reason in a project without a threshold', () => {
  const root = folder({ 'package.json': '{"scripts":{"test":"vitest run --coverage"}}' });
  expect(otherReasons(root, undefined)).toEqual([]);
  expect(() => otherReasons(root, path.join(root, 'none.log'))).toThrow('cannot be read');
});
