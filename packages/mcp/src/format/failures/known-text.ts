/** Formats known facts about a run's failures for the output of a runner, for readers who did not ask for them. */

import type { Cause, FailureBrief, RunResult } from 'argus-engine';
import { quoted } from '../../system/words.ts';
import { count } from '../../text/count.ts';
import { indented, lines, paint } from '../terminal.ts';
import { formatCause, formatKnownFix, isTip } from './run-text.ts';

/** The limit of causes. The memory has the others. */
const SHOWN_CAUSES = 5;

/** Verdicts without information. */
const SAYS_NOTHING: ReadonlySet<string | undefined> = new Set([undefined, 'new', 'unknown']);

/** Returns a short block. Empty if the run passed or nothing is known. */
export function formatKnown({ runId, status, causes, failures }: RunResult): string {
  if (status === 'passed') return '';
  const known = causes.map((cause) => ({ cause, fix: knownFixOf(cause, failures) })).filter(isWorthSaying);
  const [first] = known;
  if (first === undefined) return '';
  const more = known.length - SHOWN_CAUSES;
  return lines([
    `${paint.bold('argus')} knows of these failures:`,
    ...known.slice(0, SHOWN_CAUSES).map(formatKnownCause),
    more > 0 && `  … and ${count(more, 'more cause')}: argus history ${runId}`,
    paint.dim(`  next: argus diagnose ${runId} ${quoted(first.cause.cases[0] ?? '')}`),
  ]);
}

interface KnownCause {
  cause: Cause;
  fix: FailureBrief['known'] | undefined;
}

function isWorthSaying({ cause, fix }: KnownCause): boolean {
  return cause.count > 1 || fix !== undefined || !SAYS_NOTHING.has(cause.verdict?.kind);
}

/** The learned fix of a cause. Built-in tips are skipped, because they apply to any failure of a category. */
function knownFixOf({ causeId }: Cause, failures: readonly FailureBrief[]): FailureBrief['known'] | undefined {
  const own = failures.filter((failure) => failure.causeId === causeId).map(({ known }) => known);
  return own.find((known) => known?.suggestedFix && !isTip(known));
}

function formatKnownCause({ cause, fix }: KnownCause): string {
  const fixed = formatKnownFix(fix ?? null).map((line) => indented(line));
  // Names the test, because the rest of the line does not.
  const which = cause.count === 1 ? cause.cases[0] : undefined;
  const { verdict: _, ...unjudged } = cause;
  const said = SAYS_NOTHING.has(cause.verdict?.kind) ? unjudged : cause;
  return indented(lines([formatCause(said, which), ...fixed]), 2);
}
