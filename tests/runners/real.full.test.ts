/**
 * Plays every scenario with the real programs, and compares the output with the recordings or replaces the recordings.
 */

import { test } from 'vitest';
import { skipWithoutPrograms } from './installed.ts';
import { compareWithRecording, playWithRealPrograms, programsOf } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

/** Gradle takes 15 s for each run, and ten times as long on a busy machine. */
const TIMEOUT_MS = 600_000;

for (const scenario of SCENARIOS) {
  test(scenario.name, { timeout: TIMEOUT_MS }, async ({ skip }) => {
    skipWithoutPrograms(programsOf(scenario), skip);
    compareWithRecording(scenario, await playWithRealPrograms(scenario));
  });
}
