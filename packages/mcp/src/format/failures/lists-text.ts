/** Formats runs, cases and patterns for the terminal. */

import type { CaseRecord, FailurePattern, RunRecord } from 'argus-engine';
import { count } from '../../text/count.ts';
import type { HistoryToolResult } from '../../tools/history.ts';
import type { PatternsResult } from '../../tools/patterns.ts';
import { formatWarnings } from '../commands.ts';
import { duration, lines, paint, table } from '../terminal.ts';
import { shuffleText } from './run-text.ts';

export function formatHistory(result: HistoryToolResult): string {
  const rows = 'runs' in result ? result.runs.map(runRow) : result.cases.map(caseRow);
  const what = 'runs' in result ? 'runs' : 'cases';
  return lines([
    'run' in result && runRow(result.run).join('  '),
    'run' in result && result.run.shuffle !== undefined && paint.dim(shuffleText(result.run.shuffle)),
    rows.length > 0 ? table(rows) : `no ${what}`,
    more(rows.length, result.total, result.hasMore),
    ...formatWarnings(result.warnings),
  ]);
}

function runRow(run: RunRecord): string[] {
  const commit = run.gitCommit === null ? '-' : `${run.gitCommit.slice(0, 8)}${run.dirty ? '+' : ''}`;
  return [
    run.id,
    run.timestamp,
    run.foreign ? `${run.status}, foreign` : run.status,
    `${run.passed}/${run.failed}/${run.skipped}`,
    duration(run.durationMs),
    `${run.gitBranch ?? '-'} ${commit}`,
    run.command ?? '-',
  ];
}

function caseRow({ status, flaky, category, caseName, headline }: CaseRecord): string[] {
  return [flaky ? 'flaky' : status, category ?? '-', headline === null ? caseName : `${caseName}: ${headline}`];
}

export function formatPatterns({
  patterns,
  total,
  builtInCount,
  learnedCount,
  provisionalCount = 0,
  hasMore,
  warnings,
}: PatternsResult): string {
  return lines([
    patterns.length > 0 ? table(patterns.map(patternRow)) : 'no patterns',
    more(patterns.length, total, hasMore),
    paint.dim(
      `${builtInCount} built in, ${learnedCount} learned${provisionalCount > 0 ? `, ${provisionalCount} provisional` : ''}`,
    ),
    ...formatWarnings(warnings),
  ]);
}

function patternRow(pattern: FailurePattern): string[] {
  return [
    pattern.id,
    pattern.category,
    `diagnosed ${count(pattern.occurrences, 'time')}`,
    pattern.suggestedFix === null ? noFix(pattern) : (pattern.standing ?? 'not yet tried'),
    pattern.suggestedFix ?? pattern.description,
  ];
}

/** The tip of a built-in is listed with that. */
const noFix = ({ provisional }: FailurePattern) => (provisional === true ? 'see the built-in' : 'no fix known');

function more(shown: number, total: number, hasMore: boolean): string | false {
  return hasMore && paint.dim(`${shown} of ${total}; --offset shows the rest`);
}
