/**
 * Detects failures in the output of a command, for agents that report no exit code and for lines whose exit code
 * belongs to another command. Only summaries of runners and tools count. The output never proves a pass, because any
 * program can print such a text.
 */

import { stripVTControlCharacters } from 'node:util';

/** Number of characters at the end of the output that are searched, because summaries come last. */
const MAX_CHARACTERS = 16_384;

const FAILED: readonly RegExp[] = [
  // Counts: `2 failed`, `# fail 1`, `Failures: 3`, `5 errors`, `failed 1`.
  /\b[1-9]\d* (?:failed|failing|failures?|errors?|problems?)\b/iu,
  /(?:^|[\s#])(?:fail|failed|failures|errors)[: =]+[1-9]\d*\b/imu,
  /^not ok \d/mu,
  /^(?:FAIL|FAILED|FAILURES!|BUILD FAILED|--- FAIL)\b/mu,
  // The last lines of npm, pnpm and yarn after a failed script.
  /^npm (?:ERR!|error) (?:code ELIFECYCLE|Test failed|Lifecycle script)|\bELIFECYCLE\b.* failed|^error Command failed with exit code [1-9]/mu,
  /\bBUILD FAILURE\b|\btest result: FAILED\b|^✖ /mu,
  /\berror TS\d+:|^error(?:\[E\d+\])?: /mu,
  /^make(?:\[\d+\])?: \*\*\* /mu,
];

export function saysFailed(output: string): boolean {
  const text = stripVTControlCharacters(output.slice(-MAX_CHARACTERS));
  return FAILED.some((one) => one.test(text));
}
