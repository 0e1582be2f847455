/**
 * A run, for people at the terminal.
 * Does not: print.
 */

import type { FailureBrief, RunResult } from 'argus-engine';
import { quoted } from '../run/words.ts';
import { count, duration, indented, lines, paint, percent } from './text.ts';

export function formatRun(run: Omit<RunResult, 'skipped'> & Partial<Pick<RunResult, 'skipped'>>): string {
  const { passed, failed, skipped, flaky } = run.totals;
  const word = run.status === 'passed' ? paint.green('passed') : paint.red('failed');
  const totals = `${passed} passed, ${failed} failed, ${skipped} skipped${flaky > 0 ? `, ${flaky} flaky` : ''}`;
  const [first] = run.failures;
  return lines([
    `${paint.bold(run.runId)}  ${word}  ${totals}  ${duration(run.durationMs)}`,
    ...run.failures.map(formatFailure),
    run.more > 0 && `… and ${count(run.more, 'more failure')}: argus history ${run.runId}`,
    ...run.notes.map((note) => paint.dim(`note: ${note}`)),
    ...(run.skipped ?? []).map(({ at, reason }) => paint.dim(`not read: ${at}: ${reason}`)),
    first && paint.dim(`next: argus diagnose ${run.runId} ${quoted(first.caseName)}`),
  ]);
}

function formatFailure({ caseName, category, headline, known }: FailureBrief): string {
  return lines([
    `${paint.red('✗')} ${caseName}`,
    indented(`${paint.yellow(category)}  ${headline}`),
    known?.suggestedFix && indented(`known, ${percent(known.confidence)}: ${known.suggestedFix}`),
  ]);
}
