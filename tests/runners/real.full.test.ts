/**
 * Every scenario with its real programs. What they print and write must be what is recorded; ARGUS_RECORD_RUNNERS=1
 * records it anew.
 */

import { test } from 'vitest';
import { need } from './installed.ts';
import { compareWithRecording, playForReal } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

/** Gradle takes 15 s for each run, and ten times that on a busy machine. */
const TIMEOUT_MS = 600_000;

for (const scenario of SCENARIOS) {
  test(scenario.name, { timeout: TIMEOUT_MS }, async ({ skip }) => {
    need(scenario.programs, skip);
    compareWithRecording(scenario, await playForReal(scenario));
  });
}
