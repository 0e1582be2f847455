/**
 * Detects tests that nextest skipped after the first failure. It prints their number, but its report does not list
 * them.
 */

import { visible } from '../../text/untrusted.ts';

const NOT_RUN = /\b(\d+)\/(\d+) tests? (?:was|were) not run due to test failure\b/u;

/** A note if there are such tests. */
export function notRunNote(printed: string): string | undefined {
  const [, left, all] = NOT_RUN.exec(visible(printed)) ?? [];
  if (left === undefined) return undefined;
  return `nextest stopped at a failure: ${left} of ${all} tests did not run. Add --no-fail-fast to run all of them.`;
}
