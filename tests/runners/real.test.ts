/**
 * Starts the runners that most projects have; each takes seconds, because it starts several times. Every scenario with its
 * real programs: real.full.test.ts.
 */

import { cpSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { REPORTERS } from '../../packages/mcp/src/run/reporters.ts';
import { argusProcess } from '../e2e/argus.ts';
import { BUNDLE, runnerProject } from '../e2e/harness.ts';
import { need, PATH } from './installed.ts';
import { RUNNER_SCENARIOS } from './runners.ts';
import { playForReal, programsOf } from './scenario.ts';

for (const scenario of RUNNER_SCENARIOS.filter(({ isCore }) => isCore)) {
  test(scenario.name, async ({ skip }) => {
    need(programsOf(scenario), skip);
    await playForReal(scenario);
  });
}

test('the built program reads a runner of Node and one of Python', async ({ skip }) => {
  need(['vitest', 'pytest'], skip);
  const root = runnerProject('vitest');
  cpSync(runnerProject('pytest'), root, { recursive: true });
  const command = 'npx vitest run; python -m pytest';
  const { status, stdout } = argusProcess(['run', '--project', root, command], { env: { PATH } });
  expect({ status, stdout }).toMatchObject({ status: 1, stdout: expect.stringMatching(/^run-\S+ {2}failed/mu) });
  expect(stdout).toMatch(/2 passed, 2 failed, 2 skipped/u);
});

test('the built program has the reporters of the sources', () => {
  const contents = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'))
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(folder, file), readFileSync(file, 'utf8')])
      .sort();
  expect(contents(path.join(path.dirname(BUNDLE), 'reporters'))).toEqual(contents(REPORTERS));
});
