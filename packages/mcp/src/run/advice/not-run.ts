/** Tests that nextest left out because it stops at the first failure: it prints how many, and its report lacks them. */

import { visible } from '../../text/untrusted.ts';

const NOT_RUN = /\b(\d+)\/(\d+) tests? (?:was|were) not run due to test failure\b/u;

/** One sentence, where there are any. */
export function notRunNote(printed: string): string | undefined {
  const [, left, all] = NOT_RUN.exec(visible(printed)) ?? [];
  if (left === undefined) return undefined;
  return `nextest stopped at a failure: ${left} of ${all} tests did not run. Add --no-fail-fast to run all of them.`;
}
