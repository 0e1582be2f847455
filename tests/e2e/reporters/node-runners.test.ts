/**
 * A reporter in the configuration of a project's runner: each run is recorded once, no matter which program starts it,
 * and ends as without the reporter. node-runners.full.test.ts tests all runners, and tests/runners tests the parsing of
 * each runner's output.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { skipWithoutPrograms } from '../../runners/installed.ts';
import { argus } from '../argus.ts';
import {
  createMochaProject,
  expectRecordedOnce,
  MOCHA_REPORTER,
  readCaseNames,
  readRuns,
  runDirectly,
} from './installed-project.ts';

beforeEach(({ skip }) => skipWithoutPrograms(['mocha'], skip));

// Takes over 5 s, because real runners start twice for each reporter.
test('a run is recorded once, by itself and under argus run, and keeps its exit code', async () => {
  await expectRecordedOnce({
    folder: 'mocha',
    command: 'mocha sum.js',
    files: MOCHA_REPORTER,
    wrong: 'sum.js > sum > is wrong',
  });
});

// Takes over 5 s, because a real runner starts four times.
test('a reporter prints nothing for a passed run, and the fix of a failure when it recurs', async () => {
  const root = createMochaProject();
  await runDirectly(root, 'mocha sum.js');
  const [run] = await readRuns(root);
  await argus(['report-fix', run?.id ?? '', 'sum.js > sum > is wrong', 'Count to two only.'], { cwd: root });
  const file = path.join(root, 'sum.js');
  const wrong = readFileSync(file, 'utf8');
  writeFileSync(file, wrong.replace('1 + 1, 3', '1 + 1, 2'));
  expect(await runDirectly(root, 'mocha sum.js')).toMatchObject({ status: 0, stderr: '' });
  expect(await readRuns(root)).toHaveLength(2);
  writeFileSync(file, `${wrong}\n`);
  const { stderr } = await runDirectly(root, 'mocha sum.js');
  expect(stderr).toContain('Count to two only.');
});

test('a broken or disabled memory does not change the run', async () => {
  const broken = createMochaProject({ '.argus': 'a file' });
  const { status, stdout, stderr } = await runDirectly(broken, 'mocha sum.js');
  expect({ status, lines: stderr.trim().split('\n').length }).toEqual({ status: 1, lines: 1 });
  expect(stderr).toMatch(/^argus: this run (?:was not recorded|is not stored)/u);
  expect(stdout).toContain('1 failing');

  const off = createMochaProject({ 'argus.yaml': 'history:\n  enabled: false\n' });
  expect(await runDirectly(off, 'mocha sum.js')).toMatchObject({ status: 1, stderr: '' });
});

test('a runner that a test starts is not recorded', async () => {
  const nested = "require('node:child_process').execSync('mocha sum.js -g adds', { stdio: 'ignore' })";
  const root = createMochaProject({ 'outer.js': `it('starts another', () => { ${nested}; }).timeout(0);\n` });
  expect((await runDirectly(root, 'mocha outer.js')).status).toBe(0);
  expect(await readRuns(root)).toMatchObject([{ passed: 1, failed: 0 }]);
  expect(await readCaseNames(root, (await readRuns(root))[0]?.id)).toEqual(['outer.js > starts another']);
});
