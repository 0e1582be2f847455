/**
 * Formats a run for the terminal: a heading, then a block for each cause. The test runner has already printed the
 * complete errors, so a block repeats only the headline.
 */

import type { Cause, FailureBrief, KnownPattern, RunResult, Shuffle } from 'argus-engine';
import { formatCount } from '../../text/count.ts';
import {
  alignRight,
  formatDuration,
  indentLines,
  joinLines,
  paint,
  shortenId,
  toCommandLineText,
  wrapText,
} from '../terminal.ts';
import {
  type CommitLabels,
  capitalize,
  describeKnownFix,
  describePreviousFix,
  formatKnownFix,
  formatSharedFix,
  formatVerdict,
} from './verdict-text.ts';

/** Width if stdout is not a terminal. */
const DEFAULT_COLUMNS = 80;

/** Maximum number of test names of a cause. The JSON has all of them. */
const MAX_SHOWN_NAMES = 3;
const MAX_SHOWN_PROVED = 5;

/** Width of the number of failures, such as ` 2x`. */
const MIN_COUNT_COLUMNS = 3;
const COUNT_GAP_COLUMNS = 2;

/** `queued` is false for a run that could not be stored and will not be stored later. */
type PrintedRun = Omit<RunResult, 'skipped'> & Partial<Pick<RunResult, 'skipped'>> & { queued?: boolean | undefined };

interface RunTextOptions {
  /** Width of the terminal. */
  columns?: number | undefined;
  /** Titles of commits that verdicts name. */
  commits?: CommitLabels | undefined;
  /** Name of the run in `argus diagnose RUN 1`. Undefined if this run is the newest failed run, which needs no name. */
  runName?: string | undefined;
}

export function formatRun(run: PrintedRun, options: RunTextOptions = {}): string {
  const columns = options.columns ?? DEFAULT_COLUMNS;
  const digits = Math.max(...run.causes.map(({ count }) => String(count).length));
  const indent = Math.max(MIN_COUNT_COLUMNS, digits + 1) + COUNT_GAP_COLUMNS;
  return joinLines([
    alignRight(formatHeading(run), `${shortenId(run.runId)}  ${formatDuration(run.durationMs)}`, columns),
    ...run.causes.flatMap((cause, at) => ['', formatCauseBlock(cause, at, run, { ...options, columns, indent })]),
    ...formatUnlistedCauses(run),
    ...formatNotes(run, columns),
  ]);
}

/** Formats the heading: `Argus  5 failures, 4 causes, 1 passed`. */
function formatHeading({ status, interrupted, totals, causes, moreCauses = 0 }: PrintedRun): string {
  const { passed, failed, skipped, flaky } = totals;
  const causeCount = causes.length + moreCauses;
  const parts = [
    ...(failed > 0 ? [paint.red(formatCount(failed, 'failure'))] : []),
    ...(failed > 0 && causeCount > 0 ? [formatCount(causeCount, 'cause')] : []),
    passed > 0 ? paint.green(`${passed} passed`) : `${passed} passed`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(flaky > 0 ? [paint.yellow(`${flaky} flaky`)] : []),
    ...(interrupted === true ? [paint.yellow('interrupted')] : []),
    ...(status === 'failed' && failed === 0 && interrupted !== true ? [paint.red('the command failed')] : []),
  ];
  return `${paint.bold('Argus')}  ${parts.join(', ')}`;
}

interface BlockOptions extends RunTextOptions {
  columns: number;
  indent: number;
}

function formatCauseBlock(cause: Cause, at: number, run: PrintedRun, options: BlockOptions): string {
  const { columns, indent, commits, runName } = options;
  const failures = run.failures.filter(({ causeId }) => causeId === cause.causeId);
  const verdict = cause.verdict ?? failures[0]?.verdict;
  const wrapAndIndent = (line: string) => wrapText(line, columns - indent).map((part) => indentLines(part, indent));
  // A long answer lists fewer names than a cause has.
  const names = cause.cases.slice(0, MAX_SHOWN_NAMES);
  const body = [
    ...names.flatMap((name) => wrapAndIndent(name)),
    ...(cause.count > names.length ? [indentLines(paint.dim(`and ${cause.count - names.length} more`), indent)] : []),
    ...formatSignal(failures[0]).flatMap(wrapAndIndent),
    ...(verdict === undefined ? [] : wrapAndIndent(capitalize(formatVerdict(verdict, commits)))),
    ...formatKnownFixes(failures, commits).flatMap((line) => wrapAndIndent(line).map((part) => paint.green(part))),
    // People copy the command, so it is not wrapped.
    ...listReapplyCommands(failures).map((line) => indentLines(`Reapply: ${paint.cyan(line)}`, indent)),
  ];
  // A run that was not stored cannot be diagnosed.
  const command = run.queued === false ? '' : ['argus diagnose', runName, at + 1].filter(Boolean).join(' ');
  const last = body.pop() ?? '';
  return joinLines([
    ...formatCauseHead(cause, columns, indent),
    ...body,
    alignRight(last, command, columns, paint.cyan),
  ]);
}

/**
 * Formats the number of failures, the error and its location. If the error is long, the location is on a line of its
 * own.
 */
function formatCauseHead({ count: failures, headline, place }: Cause, columns: number, indent: number): string[] {
  const counted = `${failures}x`.padStart(indent - COUNT_GAP_COLUMNS);
  const [first = '', ...rest] = wrapText(headline, columns - indent);
  const head = `${paint.bold(paint.red(counted))}${' '.repeat(COUNT_GAP_COLUMNS)}${paint.bold(first)}`;
  const further = rest.map((line) => indentLines(paint.bold(line), indent));
  const fits = rest.length === 0 && indent + first.length + COUNT_GAP_COLUMNS + (place?.length ?? 0) <= columns;
  if (place === undefined || fits) return [alignRight(head, place ?? '', columns), ...further];
  return [head, ...further, indentLines(paint.dim(`at ${place}`), indent)];
}

/** Formats the signal that ended the process, if the headline does not contain it. */
function formatSignal(failure: FailureBrief | undefined): string[] {
  if (failure?.signal === undefined || failure.headline.includes(failure.signal)) return [];
  return [`Ended by ${failure.signal}`];
}

/** Formats the first learned fix for the failures of a cause. Built-in tips are only shown by `argus diagnose`. */
function formatKnownFixes(failures: readonly FailureBrief[], commits: CommitLabels | undefined): string[] {
  const known = failures.map((failure) => failure.known).find((one) => one?.suggestedFix && !isBuiltInTip(one));
  const previousFix = failures.find(({ mendedBefore }) => mendedBefore !== undefined)?.mendedBefore;
  const shared = failures.find((failure) => failure.shared !== undefined)?.shared;
  return [
    ...(known ? [describeKnownFix(known)] : []),
    ...(previousFix === undefined ? [] : [describePreviousFix(previousFix, commits)]),
    ...(shared === undefined ? [] : [formatSharedFix(shared)]),
  ];
}

/** Returns the command that applies the lost fix of a cause again. */
function listReapplyCommands(failures: readonly FailureBrief[]): string[] {
  return failures.flatMap(({ mendedBefore }) => mendedBefore?.presence?.reapply ?? []).slice(0, 1);
}

/** Formats the number of causes that are not listed. */
function formatUnlistedCauses({ moreCauses = 0, runId }: PrintedRun): string[] {
  return moreCauses === 0
    ? []
    : ['', `… and ${formatCount(moreCauses, 'more cause')}: argus report ${shortenId(runId)}`];
}

function formatNotes(run: PrintedRun, columns: number): string[] {
  const notes = run.notes.map((note) => paint.dim(`note: ${toCommandLineText(note)}`));
  const unread = (run.skipped ?? []).map(({ at, reason }) => paint.dim(`not read: ${at}: ${reason}`));
  const noteLines = [
    ...formatChangesSinceGreen(run.sinceGreen),
    ...formatProvedFixes(run.proved),
    ...(run.shuffle === undefined ? [] : [paint.dim(formatShuffle(run.shuffle))]),
    ...notes,
    ...unread,
  ];
  if (noteLines.length === 0) return [];
  return ['', ...noteLines.flatMap((line) => wrapUnlessCommand(line, columns))];
}

/** Wraps a line. A line that contains a command is not wrapped, because people copy the command. */
function wrapUnlessCommand(line: string, columns: number): string[] {
  return line.includes('argus ') ? [line] : wrapText(line, columns);
}

/** Formats changes: `Changed since the last green run: src/a.js, 2 commits, 1 lost commit`. */
function formatChangesSinceGreen(since: RunResult['sinceGreen']): string[] {
  const count = (commits = 0, noun = 'commit') => (commits === 0 ? [] : [formatCount(commits, noun)]);
  const changed = [...(since?.edited ?? []), ...count(since?.commits), ...count(since?.lost, 'lost commit')];
  return changed.length > 0 ? [`Changed since the last green run: ${changed.join(', ')}`] : [];
}

export function formatShuffle({ seed, option }: Shuffle): string {
  if (seed === undefined) return 'shuffled';
  return `shuffled with seed ${seed}${option === undefined ? '' : `; the same order: ${option}`}`;
}

/** Formats the reported fixes that this run has proved. */
function formatProvedFixes(proved: RunResult['proved'] = []): string[] {
  const shown = proved.slice(0, MAX_SHOWN_PROVED).map(({ caseName, fixDescription }) => {
    const [steps] = fixDescription.split('\n');
    return `${paint.green('Fix held:')} ${steps} ${paint.dim(`(${caseName})`)}`;
  });
  const more = proved.length - shown.length;
  return more > 0 ? [...shown, `… and ${formatCount(more, 'more fix', 'more fixes')} held`] : shown;
}

/** True if the fix is the text of a built-in pattern that was never tried in this project. */
export function isBuiltInTip(known: FailureBrief['known']): known is KnownPattern & { suggestedFix: string } {
  if (!known?.suggestedFix || !known.patternId.startsWith('builtin-')) return false;
  return known.tried === undefined && known.suggestedFrom === undefined;
}

/** Formats the suggested fix with its state. Built-in tips are left out. */
export function formatKnownFixLines(known: FailureBrief['known']): string[] {
  const same = known?.sameCauseAs && `same error as ${known.sameCauseAs.caseName}, whose fixes apply`;
  if (!known?.suggestedFix || isBuiltInTip(known)) return same ? [paint.dim(same)] : [];
  return [formatKnownFix(known)];
}

/** Formats the locations in the code and in the test, and how the process ended. */
export function formatLocations({
  place,
  testPlace,
  exitCode,
  signal,
}: Pick<FailureBrief, 'place' | 'testPlace' | 'exitCode' | 'signal'>): string[] {
  const locations = [place, testPlace].filter((where) => where !== undefined);
  const end = signal ? `ended by ${signal}` : exitCode !== undefined && `exit code ${exitCode}`;
  return [locations.length > 0 && `at ${locations.join(', test ')}`, end].filter((line) => typeof line === 'string');
}

export function formatCause(
  { count: failures, headline, place, verdict }: Cause,
  which = `${formatCount(failures, 'failure')}, 1 cause`,
): string {
  return joinLines([
    `${paint.bold(which)}: ${headline}${place === undefined ? '' : paint.dim(` at ${place}`)}`,
    verdict !== undefined && indentLines(formatVerdict(verdict)),
  ]);
}
