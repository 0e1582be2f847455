/** A run in which so many tests fail that to analyze all of them would take minutes. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../e2e/argus.ts';
import { project } from '../e2e/harness.ts';

const ANALYZED = 5_000;
const FAILED = 5_100;

/** Spells a number without digits, so that every failure has a different error. */
const word = (number: number) => [...String(number)].map((digit) => 'bcdfghjklm'[Number(digit)]).join('a');

test('analyzes the first 5,000 failures and counts the rest by name', async () => {
  const root = project({ 'package.json': '{}\n' });
  const cases = Array.from({ length: FAILED }, (_, at) => {
    const error = `Error: no ${word(at)} in ${word(at * 7)}\n    at test/m${at % 50}.test.js:3:5`;
    return `<testcase name="case ${at}" file="test/m${at % 50}.test.js"><failure message="x">${error}</failure></testcase>`;
  });
  const report = `<testsuites><testsuite name="s" tests="${FAILED}">${cases.join('')}</testsuite></testsuites>`;
  writeFileSync(path.join(root, 'report.xml'), report);
  const imported = JSON.parse((await argus(['import', 'report.xml', '--json'], { cwd: root })).stdout).data;
  expect(imported.totals).toMatchObject({ failed: FAILED });
  expect(imported.notes).toContain(`Only the first ${ANALYZED} of ${FAILED} failures were analyzed.`);
  const tests = JSON.parse((await argus(['tests', '--json'], { cwd: root })).stdout).data;
  expect(tests.total, 'tests of which something is concluded').toBe(ANALYZED);
  const gate = JSON.parse((await argus(['gate', imported.runId, '--json'], { cwd: root })).stdout).data;
  expect(gate.failing).toHaveLength(FAILED);
});
