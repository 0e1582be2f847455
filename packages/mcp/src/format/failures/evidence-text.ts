/** Formats verdicts, tests and fixes for the terminal. */

import type {
  BriefVerdict,
  ChangedBefore,
  FixChange,
  FixEvidence,
  FixesResult,
  MendedBefore,
  ReportedFix,
  RunRecord,
  SharedKnown,
  TestChange,
  TestChangesResult,
  TestEvidence,
  TestHistoryResult,
  TestRun,
  TestsResult,
} from 'argus-engine';
import type { CommittedChange } from '../../git/committed-change.ts';
import { count } from '../../text/count.ts';
import type { TestsToolResult } from '../../tools/tests.ts';
import { formatWarnings, withCommands } from '../commands.ts';
import { indented, lines, paint, percent, table } from '../terminal.ts';
import { originText } from './origin-text.ts';

const HASH_CHARS = 12;

/** `narrowed` is true when the list has a filter by kind or name. */
export function formatTests(result: TestsToolResult, narrowed = false): string {
  const said =
    'runs' in result ? historyOf(result) : 'changes' in result ? changesOf(result) : listOf(result, narrowed);
  return lines([
    ...said,
    ...(result.notes ?? []).map((note) => paint.dim(withCommands(note))),
    ...formatWarnings(result.warnings),
  ]);
}

type Line = string | false | undefined;

function listOf({ tests, total, hasMore }: TestsResult, narrowed: boolean): Line[] {
  const none = `no ${narrowed ? 'such test is among those that failed' : 'test has failed'} in the recorded runs`;
  return [
    tests.length > 0 ? table(tests.map(testRow)) : none,
    hasMore && paint.dim(`${tests.length} of ${total}; --offset shows the rest`),
  ];
}

function historyOf({ caseName, evidence, latestFailure, runs, hasMore }: TestHistoryResult): Line[] {
  return [
    paint.bold(caseName),
    evidence &&
      testRow(evidence)
        .filter((cell) => cell !== '' && cell !== caseName)
        .join('  '),
    runs.length > 0 && table(runs.map(runOfTestRow)),
    hasMore && paint.dim('--offset shows older runs'),
    latestFailure && `why it failed in ${latestFailure.runId}:`,
    latestFailure && indented(sentences(latestFailure.verdict).join('\n')),
  ];
}

function sentences({ because, against, settle }: NonNullable<TestHistoryResult['latestFailure']>['verdict']): string[] {
  return [
    ...because,
    ...against.map((sentence) => `but: ${sentence}`),
    ...(settle === undefined ? [] : [`to settle it: ${settle}`]),
  ];
}

function runOfTestRow({
  runId,
  startedAt,
  status,
  commit,
  dirty,
  branch,
  foreign,
  verdict,
  headline,
}: TestRun): string[] {
  const hash = commit === undefined ? '-' : `${shortHash(commit)}${dirty ? '+' : ''}`;
  return [
    runId,
    startedAt,
    `${branch ?? '-'} ${hash}`,
    foreign ? `${status}, foreign` : status,
    failureText(verdict, headline),
  ];
}

function failureText(verdict: BriefVerdict | undefined, headline: string | undefined): string {
  return [verdict && verdictText(verdict), headline].filter((part) => part !== undefined).join(': ');
}

function changesOf({ since, base, head, changes, counts, total, hasMore }: TestChangesResult): Line[] {
  const { failing, flaky, fixed, stillFailing } = counts;
  const numbers = `${failing} failing, ${flaky} flaky, ${counts.new} new, ${fixed} fixed; ${stillFailing} still failing`;
  return [
    `since ${shortHash(since)}: ${numbers}`,
    paint.dim(`${runText(base)} against ${head === undefined ? 'nothing' : runText(head)}`),
    changes.length > 0 ? table(changes.map(changeRow)) : 'no test ends in another way',
    hasMore && paint.dim(`${changes.length} of ${total}; --offset shows the rest`),
  ];
}

function runText({ id, gitCommit, dirty }: RunRecord): string {
  return gitCommit === null ? id : `${id} (${shortHash(gitCommit)}${dirty ? '+' : ''})`;
}

function changeRow({ change, caseName, base, head, failedIn, verdict, headline }: TestChange): string[] {
  const failure = failureText(verdict, headline);
  return [change, `${base} -> ${head}`, caseName, failedIn === undefined ? '' : `${failedIn}: ${failure}`];
}

function testRow(test: TestEvidence): string[] {
  const [low, high] = test.interval.map(rate);
  const by = {
    broken: '',
    flaky: `fails by chance in ${rate(test.flakeRate)} (${low} to ${high})`,
    order: test.polluter === undefined ? '' : `broken by ${test.polluter}`,
    environment: test.condition ?? '',
    healthy: '',
  }[test.state];
  return [test.verdict ?? test.state, `failed ${test.failures} of ${test.runs}`, test.caseName, by];
}

/** `columns` is the width of the terminal, if any. Entries for the same fix are grouped. */
export function formatFixes(
  { fixes, reported, shared = [], warnings }: FixesResult & { warnings?: string[] },
  columns?: number,
): string {
  const rowsOf = (fix: FixEvidence) => [
    foundRow(fix),
    ...fixes.filter(({ sameAs }) => sameAs === fix.fixId).map((same) => sameRow(foundRow(same), changeText(same), fix)),
    ...reported
      .filter(({ sameAs }) => sameAs === fix.fixId)
      .map((same) => sameRow(reportedRow(same), stepsText(same), fix)),
  ];
  const isFirst = ({ sameAs }: FixEvidence | ReportedFix) => sameAs === undefined;
  const rows = [
    ...fixes.filter(isFirst).flatMap(rowsOf),
    ...reported.filter(isFirst).map(reportedRow),
    ...shared.map(sharedRow),
  ];
  return lines([
    rows.length > 0 ? table(rows, columns) : 'no change is known to have mended a failure',
    rows.length > 0 && paint.dim('argus fixes FIX_ID shows one of them, and what its commit changed'),
    ...(warnings ?? []).map((warning) => paint.yellow(`warning: ${warning}`)),
  ]);
}

function foundRow(fix: FixEvidence): string[] {
  const { status, fixId, commit, passes, needed, caseNames } = fix;
  const cases = caseNames.join(', ');
  const change = commit === undefined ? `${cases} (${changeText(fix)})` : `${changeText(fix)}: ${cases}`;
  return [status, fixId, passesText(passes, needed), change];
}

function changeText({ commit, files = [] }: FixEvidence): string {
  return commit === undefined ? `edited, not committed: ${files.join(', ')}` : shortHash(commit);
}

function reportedRow(fix: ReportedFix): string[] {
  const { fixId, trust, caseName } = fix;
  return [trust.state, fixId, passesText(trust.passes, trust.needed), `${caseName}: ${stepsText(fix)}`];
}

function stepsText({ fixDescription }: ReportedFix): string {
  const [steps = ''] = fixDescription.split('\n');
  return steps;
}

/** Formats another source of the same fix, below the row that has its tests. */
function sameRow([state = '', fixId = '', passes = '']: string[], source: string, first: FixEvidence): string[] {
  return [state === first.status ? '' : state, fixId, passes, `the same mend: ${source}`];
}

/** For a foreign fix, the state is the state in this project. */
function sharedRow({ fixId, own = false, fixDescription, caseName, origin }: SharedKnown): string[] {
  const [steps = ''] = fixDescription.split('\n');
  const [state, whose] = own ? ['shared', ''] : [origin.state ?? 'claimed', 'foreign'];
  return [state, fixId, whose, `${caseName}: ${steps} (${originText(origin)})`];
}

function passesText(passes: number, needed: number): string {
  return passes < needed ? `${passes} of ${needed} passes seen` : `passed ${count(passes, 'time')} since`;
}

/** A fix with the change of its commit. */
export interface FixInFull {
  found: FixEvidence | null;
  reported: ReportedFix | null;
  /** Set for a fix from the repository's shared memory. */
  shared?: SharedKnown;
  change: CommittedChange | null;
  /** The reason why the change is not shown. */
  notShown?: string;
  note?: string;
  warnings?: string[];
}

export function formatFixInFull({ found, reported, shared, change, notShown, note, warnings }: FixInFull): string {
  return lines([
    ...(found === null ? [] : foundLines(found)),
    ...(reported === null ? [] : reportedLines(reported)),
    ...(shared === undefined ? [] : sharedLines(shared)),
    ...(change === null ? [] : changeLines(change)),
    notShown !== undefined && paint.dim(notShown),
    note !== undefined && paint.dim(note),
    ...(warnings ?? []).map((warning) => paint.yellow(`warning: ${warning}`)),
  ]);
}

function foundLines({ commit, status, passes, needed, failedIn, passedIn, caseNames }: FixEvidence): string[] {
  return [
    `commit   ${commit ?? 'none: an edit, as far as it is known'}`,
    `state    ${status}, ${passesText(passes, needed)}`,
    `failed   ${failedIn ?? 'in a run that is gone'}`,
    `passed   ${passedIn ?? 'in a run that is gone'}`,
    ...caseNames.map((name) => `mended   ${name}`),
  ];
}

function reportedLines({ trust, caseName, fixDescription, createdAt }: ReportedFix): (string | false)[] {
  return [
    `reported ${createdAt.slice(0, 10)}, of ${caseName}`,
    `state    ${trust.state}, ${passesText(trust.passes, trust.needed)}`,
    `failed   ${trust.failedIn}`,
    trust.provedBy !== undefined && `proved   ${trust.provedBy}`,
    trust.refutedBy !== undefined && `refuted  ${trust.refutedBy}`,
    trust.change !== undefined && `changed  ${fixChangeText(trust.change)}`,
    quoted(fixDescription),
  ];
}

function sharedLines({ own = false, caseName, fixDescription, origin }: SharedKnown): string[] {
  return [
    `shared   ${originText(origin)}`,
    `state    ${own ? 'made here' : `foreign, ${origin.state ?? 'claimed'}`}`,
    `mended   ${caseName}`,
    quoted(fixDescription),
  ];
}

function changeLines({ title, files, moreFiles, secretFiles, hunks, cut }: CommittedChange): (string | false)[] {
  return [
    quoted(title),
    ...files.map((file) => `file     ${file}`),
    moreFiles > 0 && `… and ${count(moreFiles, 'more file')}`,
    secretFiles > 0 && paint.dim(`${count(secretFiles, 'file')} that may hold secrets not shown`),
    quoted(hunks),
    cut && paint.dim('there is more of it; git show has all'),
  ];
}

/** Quotes each line, so that the text cannot end the quote. */
function quoted(text: string): string {
  return text.trimEnd().replaceAll(/^/gmu, '| ');
}

/** The result of importing a history. */
export interface ImportedRuns {
  runs: number;
  known: number;
  failures: number;
}

export function formatImportedRuns({ runs, known, failures }: ImportedRuns): string {
  return lines([`${count(runs, 'run')} read, ${known} known before; ${count(failures, 'failure')} judged`]);
}

/** Formats a verdict: `regression (97 %), likely since 1a2b3c4d5e6f`. */
export function verdictText({ kind, probability, suspect }: BriefVerdict): string {
  const since = suspect === undefined ? '' : sinceLikely(suspect);
  return kind === 'new' ? 'new: no earlier run has this test' : `${kind} (${percent(probability)})${since}`;
}

export function sinceLikely(commit: string): string {
  return `, likely since ${shortHash(commit)}`;
}

export function shortHash(commit: string): string {
  return commit.slice(0, HASH_CHARS);
}

const IN_COMMON: Readonly<Record<ChangedBefore['because'], string>> = {
  testAndSymbol: 'this test and the function that it fails in',
  test: 'this test',
  symbol: 'the function that it fails in',
  testFile: 'the file of this test',
};

/** Formats a hint commit with file and function names only, without its message and code. */
export function changedBeforeText({ commit, because, sources }: ChangedBefore): string {
  const changed = sources.map(({ file, symbols }) => (symbols.length > 0 ? `${symbols.join(', ')} in ${file}` : file));
  return `commit ${shortHash(commit)}, which looks like a fix, changed ${IN_COMMON[because]} before, with ${changed.join('; ')}`;
}

/** `src/cart.ts (totalPrice), commit 1a2b3c4d5e6f` */
export function fixChangeText({ commits = [], files = [], symbols = [], unnamed }: FixChange): string {
  const touched = symbols.length === 0 ? '' : ` (${symbols.join(', ')})`;
  const edits = files.length === 0 ? [] : [`${files.join(', ')}${touched}`];
  const changed = [...edits, ...commits.map((commit) => `commit ${shortHash(commit)}`)].join(', ');
  return `${changed}${unnamed ? '; the text does not mention it' : ''}`;
}

/** For example `commit 1a2b3c4d5e6f mended it once (proved): argus fixes fix-...`. */
export function mendedBeforeText({ fixId, status, commit, commits, files = [] }: MendedBefore): string {
  const edit = files.length === 0 ? 'an edit' : `an edit of ${files.join(', ')}`;
  const change = commit === undefined ? edit : `commit ${shortHash(commit)}`;
  return `${commits > 1 ? `one of ${commits} commits` : change} mended it once (${status}): argus fixes ${fixId}`;
}

/** Formats a rate with one decimal below 10 %, because flaky tests often fail in less than 1 % of runs. */
function rate(share: number): string {
  return share < 0.1 ? `${Math.round(share * 1000) / 10} %` : percent(share);
}
