/** Formats a diagnosis and a recorded fix for the terminal. */

import type { DiagnosticResult, Difference, FixRecord, Related, SuspectCommit } from 'argus-engine';
import { count } from '../../text/count.ts';
import { visible } from '../../text/untrusted.ts';
import type { ReportFixResult } from '../../tools/report-fix.ts';
import { formatWarnings, withCommands } from '../commands.ts';
import { indented, lines, paint, percent } from '../terminal.ts';
import {
  changedBeforeText,
  fixChangeText,
  mendedBeforeText,
  shortHash,
  sinceLikely,
  verdictText,
} from './evidence-text.ts';
import { decidedHere, originText } from './origin-text.ts';
import { formatCause, formatKind, formatWhere } from './run-text.ts';

/** Maximum numbers of fixes and suspects. The JSON has all of them. */
const SHOWN_FIXES = 5;
const SHOWN_SUSPECTS = 4;
/** Maximum number of files of a commit. */
const SHOWN_FILES = 3;
/** The probability from which a single suspect is named. */
const CLEARLY_AHEAD = 0.5;

export function formatDiagnosis(diagnosis: DiagnosticResult): string {
  const { category, failureKind, rule, evidence, suggestedFix, standing, fixHistory } = diagnosis;
  return lines([
    `${formatKind({ category, failureKind })}  ${paint.dim(`rule ${rule}`)}`,
    indented(diagnosis.message),
    ...formatWhere(diagnosis),
    diagnosis.cause.count > 1 && formatCause(diagnosis.cause),
    ...formatVerdict(diagnosis),
    evidence && `evidence   ${evidence}`,
    `signature  ${diagnosis.signature}`,
    indented(diagnosis.signaturePattern),
    `pattern    ${formatPattern(diagnosis)}`,
    ...formatMatch(diagnosis),
    suggestedFix && `fix        ${paint.green(suggestedFix)}`,
    suggestedFix && standing && `           ${standing}`,
    suggestedFix && diagnosis.trust?.change && `changed    ${fixChangeText(diagnosis.trust.change)}`,
    ...formatOrigin(diagnosis),
    ...formatMendedBefore(diagnosis),
    ...formatChangedBefore(diagnosis),
    ...fixHistory.slice(0, SHOWN_FIXES).map(formatPastFix),
    ...diagnosis.related.map(formatRelated),
    ...formatWarnings(diagnosis.warnings),
  ]);
}

/** Formats the verdict with its reasons and the run that would settle it. */
function formatVerdict({ verdict, suspects }: DiagnosticResult): string[] {
  if (verdict === undefined) return [];
  const { kind, probability, because, against, settle } = verdict;
  const isOfCode = kind === 'regression' || kind === 'broken';
  const since = isOfCode ? sinceText(suspects ?? []) : '';
  return [
    `verdict    ${verdictText({ kind, probability })}${since}`,
    ...(isOfCode ? (suspects ?? []).slice(0, SHOWN_SUSPECTS).flatMap(suspectText) : []),
    ...because.map((sentence) => indented(sentence, 11)),
    ...against.map((sentence) => indented(paint.dim(`but: ${sentence}`), 11)),
    ...(settle === undefined ? [] : [indented(paint.dim(`to settle it: ${settle}`), 11)]),
  ];
}

/** `1a2b3c4d5e6f Round prices, Ada, 2026-11-28: src/cart.ts` */
function suspectText({ commit, title, author, date = '', files = [] }: SuspectCommit): string[] {
  if (title === undefined) return [];
  const more = files.length > SHOWN_FILES ? ` and ${files.length - SHOWN_FILES} more` : '';
  const touched = files.length === 0 ? '' : `: ${files.slice(0, SHOWN_FILES).join(', ')}${more}`;
  return [indented(visible(`${shortHash(commit)} ${title}, ${author}, ${date.slice(0, 10)}${touched}`), 11)];
}

/** `, perhaps since 1a2b3c4d5e6f (48 %) or 6f5e4d3c2b1a (40 %)`. Names a single commit if its probability is high. */
function sinceText(suspects: readonly SuspectCommit[]): string {
  const [first] = suspects;
  if (first === undefined) return '';
  if (first.probability >= CLEARLY_AHEAD) return sinceLikely(first.commit);
  const named = suspects
    .slice(0, SHOWN_SUSPECTS)
    .map(({ commit, probability }) => `${shortHash(commit)} (${percent(probability)})`);
  if (suspects.length > named.length) named.push(`one of ${suspects.length - named.length} more`);
  const before = named.slice(0, -1).join(', ');
  return `, perhaps since ${before === '' ? '' : `${before} or `}${named.at(-1)}`;
}

function formatPattern({ pattern, sameCauseAs }: DiagnosticResult): string {
  const same = sameCauseAs && `the same error as ${sameCauseAs.caseName} (${sameCauseAs.patternId}), known from there`;
  if (pattern === null) return same ? `new for this case; ${same}` : 'new: seen for the first time';
  const counted = `${pattern.id}  diagnosed ${count(pattern.occurrences, 'time')}, ${count(pattern.resolutions, 'fix', 'fixes')} reported`;
  return same ? `${counted}; ${same}` : counted;
}

/** Formats the failure that the fix was learned for, if it is another failure. */
function formatOrigin({ suggestedFrom: from, match }: DiagnosticResult): string[] {
  if (from === undefined) return [];
  const learned = paint.dim(`           learned for ${from.caseName} (${from.patternId})`);
  // For the same case, the match already has the differences.
  return [learned, ...(match.differences === undefined ? formatDifferences(from.differences) : [])];
}

/** Formats similarity and differences of a failure that is not identical. */
function formatMatch({ match }: DiagnosticResult): string[] {
  if (match.how !== 'alike' && match.differences === undefined) return [];
  return [`alike      ${match.patternId} (${percent(match.similarity ?? 0)})`, ...formatDifferences(match.differences)];
}

function formatDifferences(differences: Difference[] = []): string[] {
  return differences.flatMap(({ before, now }) => [
    indented(paint.dim(`- ${before}`)),
    indented(paint.dim(`+ ${now}`)),
  ]);
}

function formatMendedBefore({ mendedBefore }: DiagnosticResult): string[] {
  return mendedBefore === undefined ? [] : [`before     ${mendedBeforeText(mendedBefore)}`];
}

function formatChangedBefore({ changedBefore = [] }: DiagnosticResult): string[] {
  return changedBefore.map((one) => paint.dim(`hint       ${changedBeforeText(one)}`));
}

function formatPastFix(fix: FixRecord): string {
  const { success, createdAt, fixDescription, recordedBy, recordedFrom } = fix;
  const who = recordedBy === null ? '' : paint.dim(` (${recordedBy} on ${recordedFrom ?? 'an unknown machine'})`);
  const said = `${createdAt.slice(0, 10)} ${fixDescription}${paint.dim(standing(fix))}${who}`;
  // This fix counts on the built-in pattern, but is not evidence for the diagnosed failure.
  if (fix.ofOtherFailure) return indented(paint.dim(`· for ${fix.caseName}: ${said}`));
  const mark = success && fix.state !== 'refuted' ? paint.green('✓') : paint.red('✗');
  return indented(`${mark} ${said}`);
}

/** Formats the state of a success that is not proved. */
function standing(fix: FixRecord): string {
  const { state, refutedBy, passes = 0 } = fix;
  if (state === 'claimed' || state === 'superseded') return ` (${state}${seen(fix)})`;
  if (state !== 'refuted') return '';
  const after = passes > 0 ? `came back after ${count(passes, 'run')}` : 'claimed';
  return ` (${after}, refuted by ${refutedBy})`;
}

function seen({ passes = 0, passesNeeded }: FixRecord): string {
  return passesNeeded === undefined ? '' : `, ${passes} of ${passesNeeded} passes seen`;
}

function formatRelated(related: Related): string {
  const { id, similarity, description, suggestedFix, memory, claimed, differences, origin } = related;
  const kind = memory === 'foreign' ? 'foreign   ' : 'similar   ';
  const state = decidedHere(origin);
  const mark = state !== undefined ? ` (${state})` : claimed === true ? ' (only claimed)' : '';
  return lines([
    `${kind} ${id} (${percent(similarity)} alike) ${suggestedFix ?? description}${paint.dim(mark)}`,
    origin && indented(paint.dim(originText(origin)), 11),
    ...formatDifferences(differences),
  ]);
}

/** `runId` is the run of the failure. */
export function formatFix(fix: ReportFixResult, runId: string): string {
  const learned = fix.learnedBy === undefined ? '' : `; counts on ${fix.patternId} too`;
  // The reporter already knows that the test failed in the run of the failure.
  const isNews = (warning: string) => fix.toProve === null || !warning.includes(`still fails in ${runId}, `);
  return lines([
    `${paint.bold(fix.fixRecordId)} recorded on ${fix.learnedBy ?? fix.patternId} (${fix.category})${fix.isNewPattern || fix.learnedBy !== undefined ? ', a new pattern' : ''}${learned}`,
    `diagnosed ${count(fix.occurrences, 'time')}, ${count(fix.resolutions, 'fix', 'fixes')} reported`,
    fix.provedBy !== null && `proved by ${fix.provedBy}`,
    fix.toProve !== null && `claimed, to be proved by: ${withCommands(fix.toProve)}`,
    ...formatWarnings(fix.warnings?.filter(isNews)),
  ]);
}
