/** Plays every scenario with the real programs and compares them with the recordings, or replaces the recordings. */

import { test } from 'vitest';
import { need } from './installed.ts';
import { compareWithRecording, playForReal, programsOf } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

/** Gradle takes 15 s for each run, and ten times that on a busy machine. */
const TIMEOUT_MS = 600_000;

for (const scenario of SCENARIOS) {
  test(scenario.name, { timeout: TIMEOUT_MS }, async ({ skip }) => {
    need(programsOf(scenario), skip);
    compareWithRecording(scenario, await playForReal(scenario));
  });
}
