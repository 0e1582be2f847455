/**
 * Formats known facts about a run's failures. An installed reporter prints this text after the output of the test
 * runner. The text is short, because the reader did not call Argus.
 */

import type { Cause, FailureBrief, RunResult } from 'argus-engine';
import { quoteArgument } from '../../system/command-line.ts';
import { formatCount } from '../../text/count.ts';
import { indentLines, joinLines, paint } from '../terminal.ts';
import { formatCause, formatKnownFixLines, isBuiltInTip } from './run-text.ts';

/** Maximum number of causes. `argus report` shows all of them. */
const MAX_SHOWN_CAUSES = 5;

/** Verdicts that tell the reader nothing new. */
const UNINFORMATIVE_VERDICTS: ReadonlySet<string | undefined> = new Set([undefined, 'new', 'unknown']);

/** Returns a short block of lines, or an empty text if the run passed or nothing is known. */
export function formatKnownFailures({ status, causes, failures }: RunResult): string {
  if (status === 'passed') return '';
  const known = causes.map((cause) => ({ cause, fix: findKnownFix(cause, failures) })).filter(isWorthPrinting);
  const [first] = known;
  if (first === undefined) return '';
  const more = known.length - MAX_SHOWN_CAUSES;
  return joinLines([
    `${paint.bold('argus')} knows these failures:`,
    ...known.slice(0, MAX_SHOWN_CAUSES).map(formatKnownCause),
    more > 0 && `  … and ${formatCount(more, 'more cause')}: argus report`,
    paint.dim(`  next: argus diagnose ${quoteArgument(first.cause.cases[0] ?? '')}`),
  ]);
}

interface KnownCause {
  cause: Cause;
  fix: FailureBrief['known'] | undefined;
}

function isWorthPrinting({ cause, fix }: KnownCause): boolean {
  return cause.count > 1 || fix !== undefined || !UNINFORMATIVE_VERDICTS.has(cause.verdict?.kind);
}

/** Returns the learned fix of a cause. Built-in tips are skipped, because they apply to any failure of a category. */
function findKnownFix({ causeId }: Cause, failures: readonly FailureBrief[]): FailureBrief['known'] | undefined {
  const own = failures.filter((failure) => failure.causeId === causeId).map(({ known }) => known);
  return own.find((known) => known?.suggestedFix && !isBuiltInTip(known));
}

function formatKnownCause({ cause, fix }: KnownCause): string {
  const fixLines = formatKnownFixLines(fix ?? null).map((line) => indentLines(line));
  // The test is named here, because the rest of the line does not name it.
  const which = cause.count === 1 ? cause.cases[0] : undefined;
  const { verdict: _, ...causeWithoutVerdict } = cause;
  const shownCause = UNINFORMATIVE_VERDICTS.has(cause.verdict?.kind) ? causeWithoutVerdict : cause;
  return indentLines(joinLines([formatCause(shownCause, which), ...fixLines]), 2);
}
