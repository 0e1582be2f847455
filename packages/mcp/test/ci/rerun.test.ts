import { expect, test } from 'vitest';
import { findSameTest } from '../../src/cli/ci/rerun.ts';

const RERUN = ['test/a.test.js > suite > flips', 'test/a.test.js > flips', 'test/b.test.js > flips twice'];

test.each([
  ['the same name', 'test/a.test.js > flips', ['test/a.test.js > flips']],
  ['a name without its file', 'suite > flips', ['test/a.test.js > suite > flips']],
  ['a name that several tests have', 'flips', ['test/a.test.js > suite > flips', 'test/a.test.js > flips']],
  ['a name with an additional suite', 'ci > test/b.test.js > flips twice', ['test/b.test.js > flips twice']],
  ['no such test', 'suite > pays', []],
])('finds the rerun of a reported test by %s', (_, reportedName, found) => {
  const cases = RERUN.map((caseName) => ({ caseName }));
  expect(findSameTest(cases, reportedName).map(({ caseName }) => caseName)).toEqual(found);
});
