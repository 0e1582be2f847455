/**
 * How a command ended, by what it printed: for agents that do not say, and for lines whose end is another command's. Only
 * what runners and tools print in a summary counts; where there is none, or it says both, nobody knows.
 */

import type { Ending } from './agents.ts';

/** Where summaries stand. */
const MAX_CHARACTERS = 16_384;

const FAILED: readonly RegExp[] = [
  // Counts: `2 failed`, `# fail 1`, `Failures: 3`, `5 errors`, `failed 1`.
  /\b[1-9]\d* (?:failed|failing|failures?|errors?|problems?)\b/iu,
  /(?:^|[\s#])(?:fail|failed|failures|errors)[: =]+[1-9]\d*\b/imu,
  /^not ok \d/mu,
  /^(?:FAIL|FAILED|FAILURES!|BUILD FAILED|--- FAIL)\b/mu,
  /\bBUILD FAILURE\b|\btest result: FAILED\b|^✖ /mu,
  /\berror TS\d+:|^error(?:\[E\d+\])?: /mu,
  /^make(?:\[\d+\])?: \*\*\* /mu,
];

const PASSED: readonly RegExp[] = [
  /\b[1-9]\d* (?:passed|passing)\b/iu,
  /(?:^|[\s#])pass(?:ed)?[: =]+[1-9]\d*\b/imu,
  /\b0 (?:failed|failing|failures|errors)\b/iu,
  /^OK(?:$| \()/mu,
  /^ok\s+\S+\s+[\d.]+s|\btest result: ok\b|\bBUILD SUCCESS/mu,
  /\bAll checks passed|\bno issues found|^Success: /imu,
];

export function endingByText(output: string): Ending {
  const text = output.slice(-MAX_CHARACTERS);
  if (FAILED.some((one) => one.test(text))) return 'failed';
  return PASSED.some((one) => one.test(text)) ? 'passed' : 'unknown';
}
