/** Formats the answers of the debug memory, of learn and of share for the terminal. */

import type {
  AddIncidentResult,
  AddSolutionResult,
  IncidentMatch,
  MemoryImportResult,
  NextAction,
  RankedSolution,
  RankedSolutionsResult,
  RecordOutcomeResult,
  SharedFault,
  TestState,
} from 'argus-engine';
import { formatCount } from '../text/count.ts';
import { toShortLine } from '../text/untrusted-text.ts';
import { formatDay } from './failures/verdict-text.ts';
import { formatPercent, formatWarnings, indentLines, joinLines, paint, toCommandLineText } from './terminal.ts';

/**
 * `query` is the text that was searched. An incident with the same text is labeled "the same text", even if its score
 * is low.
 */
export function formatSolutions(result: RankedSolutionsResult, query = ''): string {
  const incidents = new Map(result.incidents.map((incident) => [incident.incident_id, incident]));
  return joinLines([
    ...result.ranked_solutions.map((solution) => formatSolution(solution, incidents.get(solution.incident_id), query)),
    ...result.incidents
      .filter(({ solution_count }) => solution_count === 0)
      .map((incident) => formatUnsolvedIncident(incident, query)),
    result.more > 0 && paint.dim(`… and ${formatCount(result.more, 'more solution')}; --limit shows them`),
    result.incidents.length === 0 && 'No similar incident found.',
    paint.dim(`lookup ${result.lookup_id}  environment ${result.env_bucket || 'unknown'}`),
    formatNextAction(result.next_action),
    ...formatWarnings(result.warnings),
  ]);
}

function formatSolution(solution: RankedSolution, incident: IncidentMatch | undefined, query: string): string {
  const match = incident === undefined ? '' : `  ${paint.dim(formatMatch(incident, query))}`;
  return joinLines([
    `${paint.bold(solution.solution_id)}  ${formatOutcomes(solution)}`,
    indentLines(`${incident?.title ?? solution.incident_id}${match}`),
    indentLines(paint.green(solution.steps)),
  ]);
}

function formatUnsolvedIncident(incident: IncidentMatch, query: string): string {
  const { incident_id, title } = incident;
  return `${paint.bold(incident_id)}  no solution yet: ${title}  ${paint.dim(formatMatch(incident, query))}`;
}

/** Formats the outcomes: `worked 2 of 3 times, last on 28 Nov`. */
function formatOutcomes({ worked, failed, claimed = 0, last_confirmed_at }: RankedSolution): string {
  const tried = worked + failed;
  if (tried === 0) return 'not tried yet';
  const last = last_confirmed_at === null ? '' : `, last on ${formatDay(last_confirmed_at)}`;
  const unconfirmed = claimed > 0 ? `, ${claimed} not confirmed` : '';
  return `worked ${worked} of ${formatCount(tried, 'time')}${unconfirmed}${last}`;
}

/**
 * Formats why an incident matches. Equal texts are recognized here, because their score may be low: the score depends
 * on how rare the words are.
 */
function formatMatch({ title, error_signature, summary, because }: IncidentMatch, query: string): string {
  const normalizedQuery = normalizeText(query);
  const isSame =
    normalizedQuery !== '' &&
    [title, error_signature, summary].some((text) => normalizeText(text ?? '') === normalizedQuery);
  return isSame ? 'the same text' : `matches ${because.join(', ') || 'in part'}`;
}

function normalizeText(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim().toLowerCase();
}

/** Optional warnings of an answer, for example that the team's server has not accepted the call yet. */
interface OptionalWarnings {
  warnings?: string[];
}

export function formatOutcome(result: RecordOutcomeResult & OptionalWarnings): string {
  const { outcome_id, solution_stats, env_bucket, next_action, warnings } = result;
  const { solution_id, worked, failed, reliability_score } = solution_stats;
  return joinLines([
    `${paint.bold(outcome_id)} recorded on ${solution_id} in ${env_bucket || 'an unknown environment'}`,
    `worked ${formatCount(worked, 'time')}, failed ${formatCount(failed, 'time')}, reliability ${formatPercent(reliability_score)}`,
    formatNextAction(next_action),
    ...formatWarnings(warnings),
  ]);
}

export function formatAddedSolution(result: AddSolutionResult & OptionalWarnings): string {
  const { solution_id, env_bucket, created, next_action, warnings } = result;
  const what = created ? 'added' : 'already existed';
  return joinLines([
    `${paint.bold(solution_id)} ${what}, for ${env_bucket || 'any environment'}`,
    formatNextAction(next_action),
    ...formatWarnings(warnings),
  ]);
}

export function formatAddedIncident(result: AddIncidentResult & OptionalWarnings): string {
  if (!result.created) {
    return joinLines([
      `already known: ${paint.bold(result.incident_id)}  ${formatPercent(result.similarity)} alike: ${result.title}`,
      formatNextAction(result.next_action),
      ...formatWarnings(result.warnings),
    ]);
  }
  const { incident_id, solution_id, outcome_id, env_bucket, next_action, warnings } = result;
  return joinLines([
    `${paint.bold(incident_id)} added with ${solution_id} and ${outcome_id}, for ${env_bucket || 'any environment'}`,
    formatNextAction(next_action),
    ...formatWarnings(warnings),
  ]);
}

/** Enough for a screen. `--json` has all rejected lines. */
const MAX_SHOWN_REFUSALS = 20;

export function formatMemoryImport({ added, updated, solutions, outcomes, refused }: MemoryImportResult): string {
  return joinLines([
    `${formatCount(added, 'incident')} added, ${updated} updated, ${formatCount(solutions, 'new solution')}, ${formatCount(outcomes, 'new outcome')}`,
    ...refused.slice(0, MAX_SHOWN_REFUSALS).map(({ line, message }) => paint.red(`line ${line}: ${message}`)),
    refused.length > MAX_SHOWN_REFUSALS &&
      paint.red(`… and ${refused.length - MAX_SHOWN_REFUSALS} more lines were rejected`),
  ]);
}

function formatNextAction({ instructions }: NextAction): string {
  return paint.dim(`next: ${toCommandLineText(instructions)}`);
}

export interface CiLearnResult {
  /** Number of runs that are new. */
  runs: number;
  known: number;
  failures: number;
  leftOut: { name: string; reason: string }[];
  /** Number of tests by state, among tests that failed at least once. */
  tests: Partial<Record<TestState, number>>;
  fixes: { found: number; proved: number };
  cancelled?: boolean;
}

export interface GitLearnResult {
  /** Number of commits that were read. */
  looked: number;
  /** Number of commits whose message looks like a fix. */
  fixes: number;
  /** Number of these commits that changed a test and a source file and are stored now. */
  learned: number;
  /** Number of these commits that were stored before. */
  known: number;
  cancelled?: boolean;
}

export interface LearnResult {
  fromCi?: CiLearnResult;
  fromGit?: GitLearnResult;
}

/** Maximum number of skipped reports that are named. */
const MAX_NAMED_REPORTS = 3;

/** Formats the result of `argus learn` for the terminal. */
export function formatLearnResult({ fromCi, fromGit }: LearnResult): string {
  return joinLines([
    ...(fromCi === undefined ? [] : formatLearnedFromCi(fromCi)),
    ...(fromGit === undefined ? [] : formatLearnedFromGit(fromGit)),
  ]);
}

function formatLearnedFromCi({
  runs,
  known,
  failures,
  leftOut,
  tests,
  fixes,
  cancelled,
}: CiLearnResult): (string | false)[] {
  const named = leftOut
    .slice(0, MAX_NAMED_REPORTS)
    .map(({ name, reason }) => `${toShortLine(name)} (${toShortLine(reason)})`);
  const more = leftOut.length - named.length;
  const left =
    leftOut.length === 0
      ? ''
      : `; ${leftOut.length} skipped: ${named.join(', ')}${more > 0 ? `, … and ${more} more` : ''}`;
  if (runs + known + leftOut.length === 0) return ['no reports found, so there is nothing to learn'];
  return [
    cancelled === true && paint.yellow('cancelled: run the same command again to continue'),
    `${formatCount(runs, 'run')} imported, ${known} already known, ${formatCount(failures, 'failure')} judged${left}; now: ${formatTestStates(tests)}, ${formatCount(fixes.found, 'fix', 'fixes')} found (${fixes.proved} proved)`,
  ];
}

function formatTestStates(tests: CiLearnResult['tests']): string {
  const unhealthy = Object.entries(tests).filter(([state]) => state !== 'healthy');
  return unhealthy.map(([state, number]) => `${number} ${state}`).join(', ') || 'no unhealthy tests';
}

function formatLearnedFromGit({ looked, fixes, learned, known, cancelled }: GitLearnResult): (string | false)[] {
  if (looked === 0) return ['no commits yet, so there is nothing to learn'];
  return [
    cancelled === true && paint.yellow('cancelled: run the same command again to continue'),
    `read ${formatCount(looked, 'commit')}: ${formatCount(fixes, 'fix', 'fixes')} by their message; ${formatCount(learned, 'hint')} added, ${known} already known`,
  ];
}

/** The result of `argus share`, or of its dry run. */
export interface ShareResult {
  dryRun: boolean;
  /** The name with which the files are signed. Null if they are anonymous. */
  by: string | null;
  /** Files that were written, relative to the root of the repository. */
  files: string[];
  /** The contents of the files, for a dry run. */
  contents?: string[];
  /** Number of files that existed before. */
  present: number;
  leftOut: SharedFault[];
  doubts: SharedFault[];
  warnings?: string[];
}

/** The result of `argus share --check`. */
export interface ShareCheckResult {
  files: number;
  faults: SharedFault[];
  doubts: SharedFault[];
}

/** Maximum number of files that are listed. */
const MAX_SHOWN_FILES = 20;

/** Formats the result of `argus share` for the terminal. */
export function formatShareResult(shared: ShareResult): string {
  const { dryRun, by, files, contents = [], present, leftOut, doubts, warnings } = shared;
  const more = files.length - MAX_SHOWN_FILES;
  const done = dryRun ? 'would be written' : 'written';
  return joinLines([
    ...files
      .slice(0, MAX_SHOWN_FILES)
      .flatMap((file, at) => [file, contents[at] !== undefined && indentLines(paint.dim(contents[at].trimEnd()))]),
    more > 0 && `… and ${formatCount(more, 'more file')}`,
    `${formatCount(files.length, 'file')} ${done}, ${present} already there; ${by === null ? 'anonymous' : `signed as ${by}`}`,
    ...leftOut.map(({ path, message }) => paint.red(`not shared: ${path}: ${message}`)),
    ...doubts.map(formatDoubt),
    files.length > 0 &&
      !dryRun &&
      paint.dim('next: read the files, then git add .argus-shared; git history keeps them forever'),
    ...formatWarnings(warnings),
  ]);
}

export function formatShareCheck({ files, faults, doubts }: ShareCheckResult): string {
  return joinLines([
    faults.length === 0 && `${formatCount(files, 'shared file')}, no faults`,
    ...faults.map(({ path, message }) => `${path}: ${message}`),
    ...doubts.map(formatDoubt),
  ]);
}

function formatDoubt({ path, message }: SharedFault): string {
  return paint.yellow(`please check: ${path}: ${message}`);
}
