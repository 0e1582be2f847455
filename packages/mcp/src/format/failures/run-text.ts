/** Formats a run for the terminal. */

import type { Cause, FailureBrief, KnownPattern, RunResult, Shuffle } from 'argus-engine';
import { quoted } from '../../system/words.ts';
import { count } from '../../text/count.ts';
import { withCommands } from '../commands.ts';
import { duration, indented, lines, paint } from '../terminal.ts';
import { changedBeforeText, mendedBeforeText, verdictText } from './evidence-text.ts';
import { formatSharedFix } from './origin-text.ts';

/** Maximum number of proved fixes. The JSON has all of them. */
const SHOWN_PROVED = 5;

/** `queued` is false for a run that could not be stored and is not kept for later. */
type ShownRun = Omit<RunResult, 'skipped'> & Partial<Pick<RunResult, 'skipped'>> & { queued?: boolean | undefined };

export function formatRun(run: ShownRun): string {
  const { passed, failed, skipped, flaky } = run.totals;
  const ended = run.interrupted === true ? paint.yellow('interrupted') : paint.red('failed');
  const word = run.status === 'passed' ? paint.green('passed') : ended;
  const totals = `${passed} passed, ${failed} failed, ${skipped} skipped${flaky > 0 ? `, ${flaky} flaky` : ''}`;
  // A run that was lost cannot be diagnosed.
  const next = run.queued === false ? undefined : mostUrgent(run);
  // A cause with a single failure adds only the verdict.
  const verdicts = new Map(
    run.causes.filter(({ count }) => count === 1).map(({ cases: [only], verdict }) => [only, verdict]),
  );
  const shown = new Set<string | undefined>(run.failures.map(({ causeId }) => causeId));
  const isFurther = ({ causeId, count, verdict }: Cause) => !shown.has(causeId) && (count > 1 || verdict !== undefined);
  return lines([
    `${paint.bold(run.runId)}  ${word}  ${totals}  ${duration(run.durationMs)}`,
    ...formatFailures(run.failures, run.causes, verdicts),
    ...run.causes.filter(isFurther).map((cause) => formatCause(cause)),
    ...formatTips(run.failures),
    ...formatUnlisted(run),
    sinceGreenText(run.sinceGreen),
    ...formatProved(run.proved),
    run.shuffle !== undefined && paint.dim(shuffleText(run.shuffle)),
    ...run.notes.map((note) => paint.dim(`note: ${withCommands(note)}`)),
    ...(run.skipped ?? []).map(({ at, reason }) => paint.dim(`not read: ${at}: ${reason}`)),
    next && paint.dim(`next: argus diagnose ${run.runId} ${quoted(next.caseName)}`),
  ]);
}

/** Returns the first failure of the first cause. Causes are sorted by urgency, regressions first. */
function mostUrgent({ failures, causes }: ShownRun): FailureBrief | undefined {
  return failures.find(({ causeId }) => causeId === causes[0]?.causeId) ?? failures[0];
}

/** Counts the causes that are not listed, or the further failures of the listed causes. */
function formatUnlisted({ runId, more, moreCauses = 0 }: ShownRun): string[] {
  if (more === 0) return [];
  const causes = `${count(moreCauses, 'more cause')}, ${count(more, 'more failure')} in all`;
  return [`… and ${moreCauses > 0 ? causes : count(more, 'more failure')}: argus history ${runId}`];
}

/** `changed since the last green run: src/a.js, 2 commits` */
function sinceGreenText(since: RunResult['sinceGreen']): string | false {
  const commits = since === undefined || since.commits === 0 ? [] : [count(since.commits, 'commit')];
  const changed = [...(since?.edited ?? []), ...commits];
  return changed.length > 0 && `changed since the last green run: ${changed.join(', ')}`;
}

export function shuffleText({ seed, option }: Shuffle): string {
  if (seed === undefined) return 'shuffled';
  return `shuffled with seed ${seed}${option === undefined ? '' : `; the same order: ${option}`}`;
}

/** Formats the claimed fixes that this run has proved. */
function formatProved(proved: RunResult['proved'] = []): string[] {
  const shown = proved.slice(0, SHOWN_PROVED).map(({ caseName, fixDescription }) => {
    const [steps] = fixDescription.split('\n');
    return `${paint.green('proved:')} ${steps} ${paint.dim(`(${caseName})`)}`;
  });
  const more = proved.length - shown.length;
  return more > 0 ? [...shown, `… and ${count(more, 'more fix', 'more fixes')} proved`] : shown;
}

/** Formats the failures cause by cause, each cause followed by its summary. */
function formatFailures(
  failures: readonly FailureBrief[],
  causes: readonly Cause[],
  verdicts: ReadonlyMap<string | undefined, Cause['verdict']>,
): string[] {
  const common = new Map(causes.filter(({ count }) => count > 1).map((cause) => [cause.causeId, cause]));
  const ofCause = groupedBy(failures, ({ causeId }) => causeId);
  return [...ofCause].flatMap(([causeId, failures]) => {
    const cause = common.get(causeId);
    return [...formatAlike(failures, verdicts), ...(cause === undefined ? [] : [indented(formatCause(cause))])];
  });
}

/** Prints details that several failures share once, below their names. */
function formatAlike(
  failures: readonly FailureBrief[],
  verdicts: ReadonlyMap<string | undefined, Cause['verdict']>,
): string[] {
  const byDetails = groupedBy(failures, (failure) => formatDetails(failure, verdicts.get(failure.caseName)));
  return [...byDetails].map(([details, alike]) =>
    lines([...alike.map(({ caseName }) => `${paint.red('✗')} ${caseName}`), details]),
  );
}

/** Keeps the order in which the keys first appear. */
function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function formatDetails(failure: FailureBrief, verdict: Cause['verdict']): string {
  const { category, failureKind, headline, message, known, shared } = failure;
  return lines([
    indented(`${formatKind({ category, failureKind })}  ${headline}`),
    message !== undefined && indented(message, 8),
    ...formatWhere(failure).map((line) => indented(line)),
    failure.sourceLine !== undefined && indented(paint.dim(failure.sourceLine), 8),
    verdict && indented(verdictText(verdict)),
    ...formatKnownFix(known).map((line) => indented(line)),
    failure.mendedBefore && indented(`before: ${mendedBeforeText(failure.mendedBefore)}`),
    ...(failure.changedBefore ?? []).map((one) => indented(paint.dim(`hint: ${changedBeforeText(one)}`))),
    shared && indented(formatSharedFix(shared)),
  ]);
}

/** Prints each built-in tip once, because it is the same for all failures of a category. */
function formatTips(failures: readonly FailureBrief[]): string[] {
  const tips = failures.flatMap(({ category, known }) =>
    isTip(known) ? [`${paint.bold(paint.yellow(category))}  ${known.standing ?? 'tip'}: ${known.suggestedFix}`] : [],
  );
  return [...new Set(tips)];
}

/** True if the fix is the text of a built-in pattern that was never tried in this project. */
export function isTip(known: FailureBrief['known']): known is KnownPattern & { suggestedFix: string } {
  if (!known?.suggestedFix || !known.patternId.startsWith('builtin-')) return false;
  return known.tried === undefined && known.suggestedFrom === undefined;
}

/** Formats the suggested fix with its standing. Built-in tips are printed separately. */
export function formatKnownFix(known: FailureBrief['known']): string[] {
  const same = known?.sameCauseAs && `the same error as ${known.sameCauseAs.caseName}, known from there`;
  if (!known?.suggestedFix || isTip(known)) return same ? [paint.dim(same)] : [];
  const { suggestedFix, standing, suggestedFrom } = known;
  const from = suggestedFrom?.differences?.map(({ before, now }) => ` (there: ${before}; here: ${now})`) ?? [];
  return [
    `${standing ?? 'known'}: ${suggestedFix}`,
    ...(suggestedFrom ? [paint.dim(`learned for ${suggestedFrom.caseName}${from.join('')}`)] : []),
  ];
}

/** Formats category and kind, or the kind alone if the category is UNKNOWN. */
export function formatKind({ category, failureKind }: Pick<FailureBrief, 'category' | 'failureKind'>): string {
  return category === 'UNKNOWN'
    ? paint.bold(paint.yellow(failureKind))
    : `${paint.bold(paint.yellow(category))}  ${paint.dim(failureKind)}`;
}

/** Formats the places in the project and in the test, and how the process ended. */
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

export function formatCause(
  { count: failures, headline, place, verdict }: Cause,
  which = `${count(failures, 'failure')}, 1 cause`,
): string {
  return lines([
    `${paint.bold(which)}: ${headline}${place === undefined ? '' : paint.dim(` at ${place}`)}`,
    verdict !== undefined && indented(verdictText(verdict)),
  ]);
}
