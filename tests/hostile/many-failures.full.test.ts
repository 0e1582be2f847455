/** A run in which so many tests fail that analyzing all of them would take minutes. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../e2e/argus.ts';
import { createProject } from '../e2e/harness.ts';

const ANALYZED_FAILURES = 5_000;
const FAILED_TESTS = 5_100;

/** Spells a number without digits, so that every failure has a different error. */
const spellNumber = (number: number) => [...String(number)].map((digit) => 'bcdfghjklm'[Number(digit)]).join('a');

test('the first 5,000 failures are analyzed, and the rest are only listed', async () => {
  const root = createProject({ 'package.json': '{}\n' });
  const cases = Array.from({ length: FAILED_TESTS }, (_, at) => {
    const error = `Error: no ${spellNumber(at)} in ${spellNumber(at * 7)}\n    at test/m${at % 50}.test.js:3:5`;
    return `<testcase name="case ${at}" file="test/m${at % 50}.test.js"><failure message="x">${error}</failure></testcase>`;
  });
  const report = `<testsuites><testsuite name="s" tests="${FAILED_TESTS}">${cases.join('')}</testsuite></testsuites>`;
  writeFileSync(path.join(root, 'report.xml'), report);
  const imported = JSON.parse((await argus(['import', 'report.xml', '--json'], { cwd: root })).stdout).data;
  expect(imported.totals).toMatchObject({ failed: FAILED_TESTS });
  expect(imported.notes).toContain(`Only the first ${ANALYZED_FAILURES} of ${FAILED_TESTS} failures were analyzed.`);
  const tests = JSON.parse((await argus(['tests', '--json'], { cwd: root })).stdout).data;
  expect(tests.total, 'tests of which something is concluded').toBe(ANALYZED_FAILURES);
  const gate = JSON.parse((await argus(['gate', imported.runId, '--json'], { cwd: root })).stdout).data;
  expect(gate.failing).toHaveLength(FAILED_TESTS);
});
