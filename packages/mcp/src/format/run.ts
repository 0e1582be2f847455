/**
 * A run, for people at the terminal.
 * Does not: print.
 */

import type { Cause, FailureBrief, RunResult } from 'argus-engine';
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
    ...run.causes.filter(({ count }) => count > 1).map(formatCause),
    run.more > 0 && `… and ${count(run.more, 'more failure')}: argus history ${run.runId}`,
    ...run.notes.map((note) => paint.dim(`note: ${note}`)),
    ...(run.skipped ?? []).map(({ at, reason }) => paint.dim(`not read: ${at}: ${reason}`)),
    first && paint.dim(`next: argus diagnose ${run.runId} ${quoted(first.caseName)}`),
  ]);
}

function formatFailure(failure: FailureBrief): string {
  const { caseName, category, failureKind, headline, message, known } = failure;
  return lines([
    `${paint.red('✗')} ${caseName}`,
    indented(`${paint.yellow(category)}  ${paint.dim(failureKind)}  ${headline}`),
    message !== undefined && indented(message, 8),
    ...formatWhere(failure).map((line) => indented(line)),
    known?.suggestedFix && indented(`known, ${percent(known.confidence)}: ${known.suggestedFix}`),
    known?.suggestedFrom && indented(paint.dim(`learned for ${known.suggestedFrom.caseName}`)),
  ]);
}

/** In the project's code, in the test, and how the process ended. */
export function formatWhere({
  place,
  testPlace,
  exitCode,
  signal,
}: Pick<FailureBrief, 'place' | 'testPlace' | 'exitCode' | 'signal'>): string[] {
  const at = [place, testPlace].filter((where) => where !== undefined);
  const end = signal ? `ended by ${signal}` : exitCode !== undefined && `exit code ${exitCode}`;
  return [at.length > 0 && `at ${at.join(', test ')}`, end].filter((line) => typeof line === 'string');
}

export function formatCause({ count: failures, headline, place }: Cause): string {
  return `${paint.bold(count(failures, 'failure'))}, 1 cause: ${headline}${place === undefined ? '' : paint.dim(` at ${place}`)}`;
}
