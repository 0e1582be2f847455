/**
 * Formats verdicts and the states of tests and fixes as text. Every text of the program uses the same word for a state.
 */

import type {
  BriefVerdict,
  FixTrialCounts,
  FixTrust,
  KnownPattern,
  PreviousFix,
  RelatedEntry,
  SharedOrigin,
  TestState,
  VerdictKind,
} from 'argus-engine';
import { describePresence } from '../../git/fix-presence.ts';
import { formatCount } from '../../text/count.ts';
import { formatPercent, indentLines, joinLines, paint } from '../terminal.ts';

const SHORT_HASH_CHARS = 12;
const MAX_NAMED_FILES = 3;

/** Facts about a commit that a text names. */
interface CommitLabel {
  title?: string | undefined;
  author?: string | undefined;
}

export type CommitLabels = ReadonlyMap<string, CommitLabel>;

/** Words that texts use instead of the names of these verdicts and test states. */
const DISPLAY_WORDS: Readonly<Partial<Record<VerdictKind | TestState, string>>> = {
  broken: 'failing',
  unknown: 'unclear',
};

export function toDisplayWord(kind: VerdictKind | TestState): string {
  return DISPLAY_WORDS[kind] ?? kind;
}

/**
 * Formats a verdict as a sentence, such as `regression: you edited src/a.js since the last pass` or `failing since 20
 * Nov, 22 runs, commit 1a2b3c4d5e6f (Round prices)`. `commits` has the titles of commits.
 */
export function formatVerdict(verdict: BriefVerdict, commits: CommitLabels = new Map()): string {
  const { kind, probability } = verdict;
  switch (kind) {
    case 'regression':
      return `regression: ${formatRegression(verdict, commits)}`;
    case 'broken':
      return formatBrokenVerdict(verdict, commits);
    case 'new':
      return 'new: first time this test was recorded';
    case 'unknown':
      return 'unclear: the recorded runs do not decide';
    default:
      return `${toDisplayWord(kind)} (${formatPercent(probability)}): ${VERDICT_MEANINGS[kind]}`;
  }
}

const VERDICT_MEANINGS = {
  flaky: 'it fails without a code change',
  infrastructure: 'the machine caused it, not the code',
  order: 'another test makes it fail',
  environment: 'it depends on the environment',
} as const;

function formatRegression({ suspect, lost, since }: BriefVerdict, commits: CommitLabels): string {
  const commit = suspect === undefined ? undefined : formatSuspectCommit(suspect, lost, commits);
  if (since?.edited !== undefined) {
    const edited = `you edited ${formatFiles(since.edited)} since the last pass`;
    return commit === undefined ? edited : `${edited}; otherwise ${commit}`;
  }
  if (commit !== undefined) return commit;
  return 'it passed before the latest changes';
}

function formatBrokenVerdict({ probability, suspect, lost, since }: BriefVerdict, commits: CommitLabels): string {
  const commit = suspect === undefined ? '' : `, ${formatSuspectCommit(suspect, lost, commits)}`;
  if (since === undefined) return `failing (${formatPercent(probability)})${commit}`;
  const runs = formatCount(since.runs, 'run');
  if (since.edited !== undefined) return `failing since your edit of ${formatFiles(since.edited)}, ${runs}`;
  return `failing since ${formatDay(since.startedAt)}, ${runs}${commit}`;
}

function formatFiles(files: readonly string[]): string {
  const named = files.slice(0, MAX_NAMED_FILES).join(', ');
  return files.length > MAX_NAMED_FILES ? `${named} and ${files.length - MAX_NAMED_FILES} more` : named;
}

function formatSuspectCommit(commit: string, isLost: boolean | undefined, commits: CommitLabels): string {
  const named = formatCommit(commit, commits);
  return isLost === true ? `the branch lost ${named}` : named;
}

/** Formats a commit: `commit 1a2b3c4d5e6f (Round prices, Ada)`. */
function formatCommit(commit: string, commits: CommitLabels = new Map()): string {
  const { title, author } = commits.get(commit) ?? {};
  const named = [title, author].filter((part) => part !== undefined && part !== '').join(', ');
  return `commit ${shortenHash(commit)}${named === '' ? '' : ` (${named})`}`;
}

export function shortenHash(commit: string): string {
  return commit.slice(0, SHORT_HASH_CHARS);
}

/** Formats a date: `20 Nov` in the current year, otherwise `20 Nov 2025`. The time zone is UTC, as in all answers. */
export function formatDay(time: string, now: Date = new Date()): string {
  const day = new Date(time);
  const isThisYear = day.getUTCFullYear() === now.getUTCFullYear();
  const year = isThisYear ? {} : ({ year: 'numeric' } as const);
  return day.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC', ...year });
}

/** Starts the text with a capital letter, for a line of its own. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

type FixProgress = Pick<FixTrust, 'state' | 'passes' | 'needed'>;

/**
 * Formats the state of a fix: `held in 12 runs`, `not confirmed (2 of 11 runs passed)`, `the failure came back after 3
 * runs`.
 */
export function formatFixState({ state, passes, needed }: FixProgress): string {
  switch (state) {
    case 'proved':
      return `held in ${formatCount(Math.max(1, passes), 'run')}`;
    case 'refuted':
      return passes > 0 ? `the failure came back after ${formatCount(passes, 'run')}` : 'the failure came back';
    case 'superseded':
      return 'replaced by a later report';
    default:
      return needed > 1 ? `not confirmed (${passes} of ${needed} runs passed)` : 'not confirmed';
  }
}

/** Formats how often the same fix did not help elsewhere: `, did not help 2 times`. */
function formatFailedTries(tried: FixTrialCounts | undefined): string {
  return tried === undefined || tried.failed === 0 ? '' : `, did not help ${formatCount(tried.failed, 'time')}`;
}

type KnownFix = Pick<KnownPattern, 'suggestedFix' | 'trust' | 'tried' | 'fixStatus' | 'suggestedFrom'>;

/** Formats a known fix: `Guard the empty cart (held in 12 runs)`. */
export function formatKnownFix({ suggestedFix, trust, tried, fixStatus, suggestedFrom }: KnownFix): string {
  const [steps = ''] = (suggestedFix ?? '').split('\n');
  const state = trust === undefined ? (fixStatus ?? '') : `${formatFixState(trust)}${formatFailedTries(tried)}`;
  const learned = suggestedFrom === undefined ? [] : [`learned for ${suggestedFrom.caseName}`];
  const notes = [...learned, ...(state === '' ? [] : [state])];
  return notes.length === 0 ? steps : `${steps} (${notes.join('; ')})`;
}

export function describeKnownFix(known: KnownFix): string {
  const hasHelped = known.trust?.state === 'proved' || (known.tried?.proved ?? 0) > 0;
  return `${hasHelped ? 'Fixed before' : 'Tried before'}: ${formatKnownFix(known)}`;
}

/** Describes an earlier fix: `Fixed before: commit 1a2b3c4d5e6f (Guard the empty cart), held in 12 runs`. */
export function describePreviousFix(mended: PreviousFix, commits?: CommitLabels): string {
  const { commit, commits: number, files = [], status, passes, presence } = mended;
  const edit = files.length === 0 ? 'an edit' : `an edit of ${files.join(', ')}`;
  const change = commit === undefined ? edit : formatCommit(commit, commits);
  const fixed = `Fixed before: ${number > 1 ? `one of ${number} commits` : change}, ${formatFixState({ state: status, passes, needed: 1 })}`;
  return presence === undefined
    ? fixed
    : `${fixed}; ${describePresence(presence, (removedBy) => formatCommit(removedBy, commits))}`;
}

/** Formats the origin of a shared fix: `.argus-shared/fixes/fix-….json, by ann; elsewhere: worked 2, failed 1`. */
export function formatSharedOrigin({ file, by, joinedBy, decidedBy, elsewhere }: SharedOrigin): string {
  const worked = (elsewhere?.proved ?? 0) + (elsewhere?.claimed ?? 0);
  const failed = elsewhere?.failed ?? 0;
  return [
    `${file}${by === undefined ? '' : `, by ${by}`}`,
    ...(joinedBy === undefined ? [] : [`same failure according to ${joinedBy}`]),
    ...(decidedBy === undefined ? [] : [`decided here by ${decidedBy}`]),
    ...(worked + failed > 0 ? [`elsewhere: worked ${worked}, failed ${failed}`] : []),
  ].join('; ');
}

/** Returns the result of runs in this project, such as `proved here`, or undefined if there is no result yet. */
export function formatLocalResult(origin: SharedOrigin | undefined): string | undefined {
  return origin?.state === 'proved' || origin?.state === 'refuted' ? `${origin.state} here` : undefined;
}

/** Formats a shared fix for a failure of a run. */
export function formatSharedFix({ id, suggestedFix, origin }: RelatedEntry): string {
  return joinLines([
    `foreign, ${formatLocalResult(origin) ?? 'not confirmed'}: ${suggestedFix ?? ''}`,
    origin && indentLines(paint.dim(`${id}  ${formatSharedOrigin(origin)}`)),
  ]);
}
