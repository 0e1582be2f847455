/** Formats verdicts, tests and fixes for the terminal. */

import type {
  BriefVerdict,
  FixChange,
  FixEvidence,
  FixesResult,
  PreviousFix,
  RelatedCommit,
  ReportedFix,
  RunRecord,
  SharedFixEntry,
  TestChange,
  TestChangesResult,
  TestEvidence,
  TestHistoryResult,
  TestRun,
  TestsResult,
} from 'argus-engine';
import type { CommittedChange } from '../../git/changes.ts';
import { formatCount } from '../../text/count.ts';
import type { TestsToolResult } from '../../tools/tests.ts';
import {
  createIdShortener,
  formatPercent,
  formatTable,
  formatWarnings,
  indentLines,
  joinLines,
  paint,
  toCommandLineText,
} from '../terminal.ts';
import {
  describePreviousFix,
  formatFixState,
  formatSharedOrigin,
  formatVerdict,
  shortenHash,
  toDisplayWord,
} from './verdict-text.ts';

/** `narrowed` is true if the list is filtered by state or name. */
export function formatTests(result: TestsToolResult, narrowed = false): string {
  const body =
    'runs' in result
      ? formatTestHistory(result)
      : 'changes' in result
        ? formatTestChanges(result)
        : formatTestList(result, narrowed);
  return joinLines([
    ...body,
    ...(result.notes ?? []).map((note) => paint.dim(toCommandLineText(note))),
    ...formatWarnings(result.warnings),
  ]);
}

type Line = string | false | undefined;

function formatTestList({ tests, total, hasMore }: TestsResult, narrowed: boolean): Line[] {
  const none = narrowed
    ? 'no matching test has failed in the recorded runs'
    : 'no test has failed in the recorded runs';
  return [
    tests.length > 0 ? formatTable(tests.map(createTestRow)) : none,
    hasMore && paint.dim(`${tests.length} of ${total}; use --offset for more`),
  ];
}

function formatTestHistory({ caseName, evidence, latestFailure, runs, hasMore }: TestHistoryResult): Line[] {
  const short = createIdShortener(runs.map(({ runId }) => runId));
  return [
    paint.bold(caseName),
    evidence &&
      createTestRow(evidence)
        .filter((cell) => cell !== '' && cell !== caseName)
        .join('  '),
    runs.length > 0 && formatTable(runs.map((run) => createTestRunRow(run, short))),
    hasMore && paint.dim('use --offset for older runs'),
    latestFailure && `latest failure, in ${latestFailure.runId}:`,
    latestFailure && indentLines(listVerdictSentences(latestFailure.verdict).join('\n')),
  ];
}

function listVerdictSentences({
  because,
  against,
  settle,
}: NonNullable<TestHistoryResult['latestFailure']>['verdict']): string[] {
  return [
    ...because,
    ...against.map((sentence) => `but: ${sentence}`),
    ...(settle === undefined ? [] : [`to be sure: ${settle}`]),
  ];
}

function createTestRunRow(
  { runId, startedAt, status, commit, dirty, branch, foreign, verdict, headline }: TestRun,
  short: (id: string) => string,
): string[] {
  const hash = commit === undefined ? '-' : `${shortenHash(commit)}${dirty ? '+' : ''}`;
  return [
    short(runId),
    startedAt,
    `${branch ?? '-'} ${hash}`,
    foreign ? `${status}, foreign` : status,
    formatFailure(verdict, headline),
  ];
}

function formatFailure(verdict: BriefVerdict | undefined, headline: string | undefined): string {
  return [verdict && formatVerdict(verdict), headline].filter((part) => part !== undefined).join(': ');
}

function formatTestChanges({ since, base, head, changes, counts, total, hasMore }: TestChangesResult): Line[] {
  const { failing, flaky, fixed, stillFailing } = counts;
  const numbers = `${failing} failing, ${flaky} flaky, ${counts.new} new, ${fixed} fixed; ${stillFailing} still failing`;
  return [
    `since ${shortenHash(since)}: ${numbers}`,
    paint.dim(`${formatRunId(base)} against ${head === undefined ? 'no later run' : formatRunId(head)}`),
    changes.length > 0 ? formatTable(changes.map(createChangeRow)) : 'no test has changed its result',
    hasMore && paint.dim(`${changes.length} of ${total}; use --offset for more`),
  ];
}

function formatRunId({ id, gitCommit, dirty }: RunRecord): string {
  return gitCommit === null ? id : `${id} (${shortenHash(gitCommit)}${dirty ? '+' : ''})`;
}

function createChangeRow({ change, caseName, base, head, failedIn, verdict, headline }: TestChange): string[] {
  const failure = formatFailure(verdict, headline);
  return [change, `${base} -> ${head}`, caseName, failedIn === undefined ? '' : `${failedIn}: ${failure}`];
}

function createTestRow(test: TestEvidence): string[] {
  const [low, high] = test.interval.map(formatRate);
  const details = {
    broken: '',
    flaky: `fails by chance in ${formatRate(test.flakeRate)} (${low} to ${high})`,
    order: test.polluter === undefined ? '' : `broken by ${test.polluter}`,
    environment: test.condition ?? '',
    healthy: '',
  }[test.state];
  return [toDisplayWord(test.verdict ?? test.state), `failed ${test.failures} of ${test.runs}`, test.caseName, details];
}

/** Formats all fixes. `columns` is the width of the terminal, if any. Entries for the same fix are grouped. */
export function formatFixes(
  { fixes, reported, shared = [], warnings }: FixesResult & { warnings?: string[] },
  columns?: number,
): string {
  const short = createIdShortener([...fixes, ...reported, ...shared].map(({ fixId }) => fixId));
  const createRows = (fix: FixEvidence) => [
    createFoundFixRow(fix),
    ...fixes
      .filter(({ sameAs }) => sameAs === fix.fixId)
      .map((same) => createSameFixRow(createFoundFixRow(same), formatChange(same), fix)),
    ...reported
      .filter(({ sameAs }) => sameAs === fix.fixId)
      .map((same) => createSameFixRow(createReportedFixRow(same), getFirstLine(same), fix)),
  ];
  const isFirst = ({ sameAs }: FixEvidence | ReportedFix) => sameAs === undefined;
  const whole = [
    ...fixes.filter(isFirst).flatMap(createRows),
    ...reported.filter(isFirst).map(createReportedFixRow),
    ...shared.map(createSharedFixRow),
  ];
  const rows = whole.map(([state = '', fixId = '', text = '']) => [state, short(fixId), text]);
  return joinLines([
    rows.length > 0 ? formatTable(rows, columns) : 'No fixes recorded yet.',
    rows.length > 0 && paint.dim('argus fixes FIX shows a fix and the changes of its commit'),
    ...(warnings ?? []).map((warning) => paint.yellow(`warning: ${warning}`)),
  ]);
}

function createFoundFixRow(fix: FixEvidence): string[] {
  const { status, fixId, commit, passes, needed, caseNames } = fix;
  const cases = caseNames.join(', ');
  const change = commit === undefined ? `${cases} (${formatChange(fix)})` : `${formatChange(fix)}: ${cases}`;
  return [formatFixState({ state: status, passes, needed }), fixId, change];
}

function formatChange({ commit, files = [] }: FixEvidence): string {
  return commit === undefined ? `edited, not committed: ${files.join(', ')}` : shortenHash(commit);
}

function createReportedFixRow(fix: ReportedFix): string[] {
  const { fixId, trust, caseName } = fix;
  return [formatFixState(trust), fixId, `${caseName}: ${getFirstLine(fix)}`];
}

function getFirstLine({ fixDescription }: ReportedFix): string {
  const [steps = ''] = fixDescription.split('\n');
  return steps;
}

/** Creates a row for another record of a fix. It is shown below the row that lists the tests of the fix. */
function createSameFixRow([state = '', fixId = '']: string[], source: string, first: FixEvidence): string[] {
  const [firstState] = createFoundFixRow(first);
  return [state === firstState ? '' : state, fixId, `same fix: ${source}`];
}

/** Creates the row of a shared fix. The state of a foreign fix is the state in this project. */
function createSharedFixRow({ fixId, own = false, fixDescription, caseName, origin }: SharedFixEntry): string[] {
  const [steps = ''] = fixDescription.split('\n');
  const state = formatFixState({ state: origin.state ?? 'claimed', passes: 0, needed: 1 });
  return [own ? 'shared' : `foreign, ${state}`, fixId, `${caseName}: ${steps} (${formatSharedOrigin(origin)})`];
}

/** A fix with its details and the change of its commit. */
export interface FixDetails {
  found: FixEvidence | null;
  reported: ReportedFix | null;
  /** Set for a fix from the repository's shared memory. */
  shared?: SharedFixEntry;
  change: CommittedChange | null;
  /** Reason why the change is not shown. */
  notShown?: string;
  note?: string;
  warnings?: string[];
}

export function formatFixDetails({ found, reported, shared, change, notShown, note, warnings }: FixDetails): string {
  return joinLines([
    ...(found === null ? [] : formatFoundFix(found)),
    ...(reported === null ? [] : formatReportedFix(reported)),
    ...(shared === undefined ? [] : formatSharedFixLines(shared)),
    ...(change === null ? [] : formatCommittedChange(change)),
    notShown !== undefined && paint.dim(notShown),
    note !== undefined && paint.dim(note),
    ...(warnings ?? []).map((warning) => paint.yellow(`warning: ${warning}`)),
  ]);
}

function formatFoundFix({ commit, status, passes, needed, failedIn, passedIn, caseNames }: FixEvidence): string[] {
  return [
    `commit   ${commit ?? 'none (an edit without a known commit)'}`,
    `state    ${formatFixState({ state: status, passes, needed })}`,
    `failed   ${failedIn ?? 'in a run that was deleted'}`,
    `passed   ${passedIn ?? 'in a run that was deleted'}`,
    ...caseNames.map((name) => `fixed    ${name}`),
  ];
}

function formatReportedFix({ trust, caseName, fixDescription, createdAt }: ReportedFix): (string | false)[] {
  return [
    `reported ${createdAt.slice(0, 10)}, for ${caseName}`,
    `state    ${formatFixState(trust)}`,
    `failed   ${trust.failedIn}`,
    trust.provedBy !== undefined && `held in  ${trust.provedBy}`,
    trust.refutedBy !== undefined && `back in  ${trust.refutedBy}`,
    trust.change !== undefined && `changed  ${formatFixChange(trust.change)}`,
    quoteLines(fixDescription),
  ];
}

function formatSharedFixLines({ own = false, caseName, fixDescription, origin }: SharedFixEntry): string[] {
  return [
    `shared   ${formatSharedOrigin(origin)}`,
    `state    ${own ? 'made here' : `foreign, ${origin.state ?? 'claimed'}`}`,
    `fixed    ${caseName}`,
    quoteLines(fixDescription),
  ];
}

function formatCommittedChange({
  title,
  files,
  moreFiles,
  secretFiles,
  hunks,
  cut,
}: CommittedChange): (string | false)[] {
  return [
    quoteLines(title),
    ...files.map((file) => `file     ${file}`),
    moreFiles > 0 && `… and ${formatCount(moreFiles, 'more file')}`,
    secretFiles > 0 && paint.dim(`${formatCount(secretFiles, 'file')} hidden, because they may contain secrets`),
    quoteLines(hunks),
    cut && paint.dim('the diff was cut; git show prints all of it'),
  ];
}

/** Quotes each line, so that the text cannot end the quote. */
function quoteLines(text: string): string {
  return text.trimEnd().replaceAll(/^/gmu, '| ');
}

/** The result of importing a history of runs. */
export interface RunImportResult {
  runs: number;
  known: number;
  failures: number;
}

export function formatRunImportResult({ runs, known, failures }: RunImportResult): string {
  return joinLines([
    `${formatCount(runs, 'run')} read, ${known} already known; ${formatCount(failures, 'failure')} judged`,
  ]);
}

const RELATION_TEXTS: Readonly<Record<RelatedCommit['because'], string>> = {
  testAndSymbol: 'this test and the function in which it fails',
  test: 'this test',
  symbol: 'the function in which it fails',
  testFile: 'the file of this test',
};

/**
 * Describes a commit that may be related to a failure. The text names only files and functions. It leaves out the
 * commit's message and code.
 */
export function describeRelatedCommit({ commit, because, sources }: RelatedCommit): string {
  const changed = sources.map(({ file, symbols }) => (symbols.length > 0 ? `${symbols.join(', ')} in ${file}` : file));
  return `commit ${shortenHash(commit)}, which looks like a fix, changed ${RELATION_TEXTS[because]} before, with ${changed.join('; ')}`;
}

/** Formats a change: `src/cart.ts (totalPrice), commit 1a2b3c4d5e6f`. */
export function formatFixChange({ commits = [], files = [], symbols = [], unnamed }: FixChange): string {
  const touched = symbols.length === 0 ? '' : ` (${symbols.join(', ')})`;
  const edits = files.length === 0 ? [] : [`${files.join(', ')}${touched}`];
  const changed = [...edits, ...commits.map((commit) => `commit ${shortenHash(commit)}`)].join(', ');
  return `${changed}${unnamed ? '; the text does not mention it' : ''}`;
}

/** Describes an earlier fix: `Fixed before: commit 1a2b3c4d5e6f, held in 2 runs: argus fixes fix-...`. */
export function describePreviousFixWithCommand(mended: PreviousFix): string {
  return `${describePreviousFix(mended)}: argus fixes ${mended.fixId}`;
}

/** Formats a rate with one decimal below 10 %, because flaky tests often fail in less than 1 % of runs. */
function formatRate(rate: number): string {
  return rate < 0.1 ? `${Math.round(rate * 1000) / 10} %` : formatPercent(rate);
}
