/**
 * Runs the runners that most projects have. Each takes seconds, because it starts several times. real.full.test.ts
 * plays every scenario with its real programs, and tests/e2e/process uses the built program.
 */

import { test } from 'vitest';
import { skipWithoutPrograms } from './installed.ts';
import { RUNNER_SCENARIOS } from './runners.ts';
import { playWithRealPrograms, programsOf } from './scenario.ts';

for (const scenario of RUNNER_SCENARIOS.filter(({ isCore }) => isCore)) {
  test(scenario.name, async ({ skip }) => {
    skipWithoutPrograms(programsOf(scenario), skip);
    await playWithRealPrograms(scenario);
  });
}
