/**
 * Starts the runners that most projects have; each takes seconds, because it starts several times. Every scenario with its
 * real programs: real.full.test.ts. With the built program: tests/e2e/process.
 */

import { test } from 'vitest';
import { need } from './installed.ts';
import { RUNNER_SCENARIOS } from './runners.ts';
import { playForReal, programsOf } from './scenario.ts';

for (const scenario of RUNNER_SCENARIOS.filter(({ isCore }) => isCore)) {
  test(scenario.name, async ({ skip }) => {
    need(programsOf(scenario), skip);
    await playForReal(scenario);
  });
}
