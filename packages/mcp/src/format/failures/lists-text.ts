/** Formats runs, cases and patterns for the terminal. */

import type { CaseRecord, FailurePattern, RunRecord } from 'argus-engine';
import { formatCount } from '../../text/count.ts';
import type { HistoryToolResult } from '../../tools/history.ts';
import type { PatternsResult } from '../../tools/patterns.ts';
import {
  createIdShortener,
  formatDuration,
  formatTable,
  formatWarnings,
  joinLines,
  paint,
  shortenId,
} from '../terminal.ts';
import { formatShuffle } from './run-text.ts';

export function formatHistory(result: HistoryToolResult): string {
  const short = createIdShortener('runs' in result ? result.runs.map(({ id }) => id) : []);
  const rows = 'runs' in result ? result.runs.map((run) => createRunRow(run, short)) : result.cases.map(createCaseRow);
  const noun = 'runs' in result ? 'runs' : 'cases';
  return joinLines([
    'run' in result && createRunRow(result.run, shortenId).join('  '),
    'run' in result && result.run.shuffle !== undefined && paint.dim(formatShuffle(result.run.shuffle)),
    rows.length > 0 ? formatTable(rows) : `no ${noun}`,
    formatMoreHint(rows.length, result.total, result.hasMore),
    ...formatWarnings(result.warnings),
  ]);
}

function createRunRow(run: RunRecord, short: (id: string) => string): string[] {
  const commit = run.gitCommit === null ? '-' : `${run.gitCommit.slice(0, 8)}${run.dirty ? '+' : ''}`;
  return [
    short(run.id),
    run.timestamp,
    run.foreign ? `${run.status}, foreign` : run.status,
    `${run.passed}/${run.failed}/${run.skipped}`,
    formatDuration(run.durationMs),
    `${run.gitBranch ?? '-'} ${commit}`,
    run.command ?? '-',
  ];
}

function createCaseRow({ status, flaky, category, caseName, headline }: CaseRecord): string[] {
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
  const short = createIdShortener(patterns.map(({ id }) => id));
  return joinLines([
    patterns.length > 0 ? formatTable(patterns.map((one) => createPatternRow(one, short))) : 'no patterns',
    formatMoreHint(patterns.length, total, hasMore),
    paint.dim(
      `${builtInCount} built in, ${learnedCount} learned${provisionalCount > 0 ? `, ${provisionalCount} provisional` : ''}`,
    ),
    ...formatWarnings(warnings),
  ]);
}

function createPatternRow(pattern: FailurePattern, short: (id: string) => string): string[] {
  return [
    short(pattern.id),
    pattern.category,
    `diagnosed ${formatCount(pattern.occurrences, 'time')}`,
    pattern.suggestedFix === null ? formatNoFix(pattern) : (pattern.fixStatus ?? 'not yet tried'),
    pattern.suggestedFix ?? pattern.description,
  ];
}

/** A provisional pattern has no fix of its own, because the built-in pattern already has the tip. */
const formatNoFix = ({ provisional }: FailurePattern) => (provisional === true ? 'see the built-in' : 'no fix known');

function formatMoreHint(shown: number, total: number, hasMore: boolean): string | false {
  return hasMore && paint.dim(`${shown} of ${total}; use --offset for more`);
}
