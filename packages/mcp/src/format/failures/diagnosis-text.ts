/** Formats a diagnosis and a recorded fix for the terminal. */

import type {
  BriefVerdict,
  DiagnosticResult,
  Difference,
  FixRecord,
  Inspection,
  RelatedEntry,
  SuspectCommit,
  Verdict,
} from 'argus-engine';
import { formatCount } from '../../text/count.ts';
import { removeInvisibleCharacters } from '../../text/untrusted-text.ts';
import type { ReportFixResult } from '../../tools/report-fix.ts';
import { formatPercent, formatWarnings, indentLines, joinLines, paint, toCommandLineText } from '../terminal.ts';
import { describePreviousFixWithCommand, describeRelatedCommit, formatFixChange } from './evidence-text.ts';
import { formatCause, formatLocations } from './run-text.ts';
import {
  type CommitLabels,
  formatFixState,
  formatLocalResult,
  formatSharedOrigin,
  formatVerdict,
  shortenHash,
} from './verdict-text.ts';

/** Maximum number of earlier fixes. The JSON has all of them. */
const MAX_SHOWN_FIXES = 5;
const MAX_SHOWN_SUSPECTS = 4;
/** Maximum number of files of a commit. */
const MAX_SHOWN_FILES = 3;
/** From this probability on, only the most likely suspect is named. */
const MIN_SINGLE_SUSPECT_PROBABILITY = 0.6;

export function formatDiagnosis(diagnosis: DiagnosticResult): string {
  const { failureKind, rule, evidence, suggestedFix, fixHistory } = diagnosis;
  return joinLines([
    `${paint.bold(paint.yellow(failureKind))}  ${paint.dim(`rule ${rule}`)}`,
    indentLines(diagnosis.message),
    ...formatLocations(diagnosis),
    diagnosis.cause.count > 1 && formatCause(diagnosis.cause),
    ...formatVerdictLines(diagnosis),
    evidence && `evidence   ${evidence}`,
    `signature  ${diagnosis.signature}`,
    indentLines(diagnosis.signaturePattern),
    `pattern    ${formatPattern(diagnosis)}`,
    ...formatMatch(diagnosis),
    suggestedFix && `fix        ${paint.green(suggestedFix)}`,
    suggestedFix && formatSuggestedFixState(diagnosis),
    suggestedFix && diagnosis.trust?.change && `changed    ${formatFixChange(diagnosis.trust.change)}`,
    ...formatLearnedFor(diagnosis),
    ...formatPreviousFix(diagnosis),
    ...formatRelatedCommits(diagnosis),
    ...fixHistory.slice(0, MAX_SHOWN_FIXES).map(formatPastFix),
    ...diagnosis.related.map(formatRelated),
    ...formatWarnings(diagnosis.warnings),
  ]);
}

/** Formats the verdict with its reasons and the run that would make it certain. */
function formatVerdictLines({ verdict, suspects }: DiagnosticResult): string[] {
  if (verdict === undefined) return [];
  const { kind, because, against, settle } = verdict;
  const blamesCode = kind === 'regression' || kind === 'broken';
  const suspectsOfVerdict = blamesCode ? (suspects ?? []) : [];
  const commits: CommitLabels = new Map(suspectsOfVerdict.map((one) => [one.commit, one]));
  return [
    `verdict    ${formatVerdictAndSuspects(toBriefVerdict(verdict, suspectsOfVerdict), suspectsOfVerdict, commits)}`,
    ...suspectsOfVerdict.slice(0, MAX_SHOWN_SUSPECTS).flatMap(formatSuspect),
    ...because.map((sentence) => indentLines(sentence, 11)),
    ...against.map((sentence) => indentLines(paint.dim(`but: ${sentence}`), 11)),
    ...(settle === undefined ? [] : [indentLines(paint.dim(`to be sure: ${settle}`), 11)]),
  ];
}

function toBriefVerdict({ kind, probability, since }: Verdict, [first]: readonly SuspectCommit[]): BriefVerdict {
  const { startedAt, runs, edited } = since ?? {};
  const sinceRun =
    startedAt === undefined || runs === undefined ? undefined : { startedAt, runs, ...(edited && { edited }) };
  return {
    kind,
    probability,
    ...(first !== undefined && first.probability >= MIN_SINGLE_SUSPECT_PROBABILITY
      ? { suspect: first.commit, ...(first.lost && { lost: true }) }
      : {}),
    ...(sinceRun && { since: sinceRun }),
  };
}

/** Formats what is known about the suggested fix, on a line of its own. */
function formatSuggestedFixState({ trust, fixStatus }: DiagnosticResult): string | undefined {
  const state = trust === undefined ? fixStatus : formatFixState(trust);
  return state && `           ${state}`;
}

/** Formats a commit: `1a2b3c4d5e6f Round prices, Ada, 2026-11-28: src/cart.ts`. */
function formatSuspect({ commit, title, author, date = '', files = [], lost }: SuspectCommit): string[] {
  if (title === undefined) return [];
  const more = files.length > MAX_SHOWN_FILES ? ` and ${files.length - MAX_SHOWN_FILES} more` : '';
  const touched = files.length === 0 ? '' : `: ${files.slice(0, MAX_SHOWN_FILES).join(', ')}${more}`;
  return [
    indentLines(
      removeInvisibleCharacters(
        `${lost ? 'lost: ' : ''}${shortenHash(commit)} ${title}, ${author}, ${date.slice(0, 10)}${touched}`,
      ),
      11,
    ),
  ];
}

/** Formats the verdict. If no commit is likely enough to be named alone, adds the possible commits. */
function formatVerdictAndSuspects(
  verdict: BriefVerdict,
  possible: readonly SuspectCommit[],
  commits: CommitLabels,
): string {
  const text = formatVerdict(verdict, commits);
  const suspectsText = formatUncertainSuspects(possible);
  if (suspectsText === '') return text;
  const isUnexplained = verdict.kind === 'regression' && verdict.since?.edited === undefined;
  return isUnexplained ? `regression: ${suspectsText}` : `${text}, ${suspectsText}`;
}

/**
 * Formats uncertain suspects: `perhaps commit 1a2b3c4d5e6f (48 %) or 6f5e4d3c2b1a (40 %)`. Returns an empty text if a
 * suspect is likely enough to be named alone.
 */
function formatUncertainSuspects(suspects: readonly SuspectCommit[]): string {
  const [first] = suspects;
  if (first === undefined || first.probability >= MIN_SINGLE_SUSPECT_PROBABILITY) return '';
  const names = suspects
    .slice(0, MAX_SHOWN_SUSPECTS)
    .map(
      ({ commit, probability, lost }) =>
        `${shortenHash(commit)} (${lost ? 'lost, ' : ''}${formatPercent(probability)})`,
    );
  if (suspects.length > names.length) names.push(formatCount(suspects.length - names.length, 'other'));
  const allButLast = names.slice(0, -1).join(', ');
  return `perhaps commit ${allButLast === '' ? '' : `${allButLast} or `}${names.at(-1)}`;
}

function formatPattern({ pattern, sameCauseAs }: DiagnosticResult): string {
  const same = sameCauseAs && `same error as ${sameCauseAs.caseName} (${sameCauseAs.patternId}), whose fixes apply`;
  if (pattern === null) return same ? `new for this case; ${same}` : 'new: first occurrence';
  const counted = `${pattern.id}  diagnosed ${formatCount(pattern.occurrences, 'time')}, ${formatCount(pattern.resolutions, 'fix', 'fixes')} reported`;
  return same ? `${counted}; ${same}` : counted;
}

/** Formats the failure for which the fix was learned, if that is another failure. */
function formatLearnedFor({ suggestedFrom: from, match }: DiagnosticResult): string[] {
  if (from === undefined) return [];
  const learned = paint.dim(`           learned for ${from.caseName} (${from.patternId})`);
  // If the match has differences, `formatMatch` has already shown them.
  return [learned, ...(match.differences === undefined ? formatDifferences(from.differences) : [])];
}

/** Formats similarity and differences if the matched failure is not identical. */
function formatMatch({ match }: DiagnosticResult): string[] {
  if (match.how !== 'alike' && match.differences === undefined) return [];
  return [
    `alike      ${match.patternId} (${formatPercent(match.similarity ?? 0)})`,
    ...formatDifferences(match.differences),
  ];
}

function formatDifferences(differences: Difference[] = []): string[] {
  return differences.flatMap(({ before, now }) => [
    indentLines(paint.dim(`- ${before}`)),
    indentLines(paint.dim(`+ ${now}`)),
  ]);
}

function formatPreviousFix({ mendedBefore }: DiagnosticResult): string[] {
  if (mendedBefore === undefined) return [];
  const reapply = mendedBefore.presence?.reapply;
  return [
    `before     ${describePreviousFixWithCommand(mendedBefore)}`,
    ...(reapply === undefined ? [] : [`reapply    ${reapply}`]),
  ];
}

function formatRelatedCommits({ changedBefore = [] }: DiagnosticResult): string[] {
  return changedBefore.map((one) => paint.dim(`hint       ${describeRelatedCommit(one)}`));
}

function formatPastFix(fix: FixRecord): string {
  const { success, createdAt, fixDescription, recordedBy, recordedFrom } = fix;
  const who = recordedBy === null ? '' : paint.dim(` (${recordedBy} on ${recordedFrom ?? 'an unknown machine'})`);
  const text = `${createdAt.slice(0, 10)} ${fixDescription}${paint.dim(formatReportedState(fix))}${who}`;
  // This fix counts for the built-in pattern, but is not evidence for the diagnosed failure.
  if (fix.ofOtherFailure) return indentLines(paint.dim(`· for ${fix.caseName}: ${text}`));
  const mark = success && fix.state !== 'refuted' ? paint.green('✓') : paint.red('✗');
  return indentLines(`${mark} ${text}`);
}

/** Formats the state of a reported success. */
function formatReportedState({ state, passes = 0, passesNeeded = 1 }: FixRecord): string {
  return state == null ? '' : ` (${formatFixState({ state, passes, needed: passesNeeded })})`;
}

function formatRelated(related: RelatedEntry): string {
  const { id, similarity, description, suggestedFix, memory, claimed, differences, origin } = related;
  const kind = memory === 'foreign' ? 'foreign   ' : 'similar   ';
  const state = formatLocalResult(origin);
  const mark = state !== undefined ? ` (${state})` : claimed === true ? ' (not confirmed)' : '';
  return joinLines([
    `${kind} ${id} (${formatPercent(similarity)} alike) ${suggestedFix ?? description}${paint.dim(mark)}`,
    origin && indentLines(paint.dim(formatSharedOrigin(origin)), 11),
    ...formatDifferences(differences),
  ]);
}

/** `runId` is the run of the failure. */
export function formatFix(fix: ReportFixResult, runId: string): string {
  const learned = fix.learnedBy === undefined ? '' : `; counts on ${fix.patternId} too`;
  // The caller already knows that the test failed in the run of the failure.
  const isNews = (warning: string) => fix.toProve === null || !warning.includes(`still fails in ${runId}, `);
  return joinLines([
    `${paint.bold(fix.fixRecordId)} recorded on ${fix.learnedBy ?? fix.patternId} (${fix.category})${fix.isNewPattern || fix.learnedBy !== undefined ? ', a new pattern' : ''}${learned}`,
    `diagnosed ${formatCount(fix.occurrences, 'time')}, ${formatCount(fix.resolutions, 'fix', 'fixes')} reported`,
    fix.provedBy !== null && `confirmed: it held in ${fix.provedBy}`,
    fix.toProve !== null && `to confirm it: ${toCommandLineText(fix.toProve)}`,
    ...formatWarnings(fix.warnings?.filter(isNews)),
  ]);
}

/** Formats the classification of an error text for the terminal. */
export function formatInspection(inspection: Inspection): string {
  const { category, failureKind, rule, evidence, redactions, normalized, signature, familySignature } = inspection;
  return joinLines([
    `category   ${paint.bold(category)}`,
    `kind       ${failureKind}`,
    `rule       ${rule}`,
    evidence && `evidence   ${evidence.text} (${evidence.start}-${evidence.end})`,
    redactions.length > 0 && `redacted   ${redactions.join(', ')}`,
    `signature  ${signature}`,
    `family     ${familySignature}`,
    'normalized',
    indentLines(normalized),
  ]);
}
