/**
 * A diagnosis and a recorded fix, for people at the terminal.
 */

import type { DiagnosticResult, Difference, FixRecord, Related, SuspectCommit } from 'argus-engine';
import { count } from '../../text/count.ts';
import { visible } from '../../text/untrusted.ts';
import type { ReportFixResult } from '../../tools/failures/report-fix.ts';
import { formatWarnings, withCommands } from '../commands.ts';
import { indented, lines, paint, percent } from '../terminal.ts';
import { changedBeforeText, mendedBeforeText, shortHash, sinceLikely, verdictText } from './evidence-text.ts';
import { decidedHere, originText } from './origin-text.ts';
import { formatCause, formatKind, formatWhere } from './run-text.ts';

/** The whole list is in the JSON. */
const SHOWN_FIXES = 5;
const SHOWN_SUSPECTS = 4;
/** Of a commit. */
const SHOWN_FILES = 3;
/** More likely than all others together, as where an answer names one commit alone. */
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
    ...formatOrigin(diagnosis),
    ...formatMendedBefore(diagnosis),
    ...formatChangedBefore(diagnosis),
    ...fixHistory.slice(0, SHOWN_FIXES).map(formatPastFix),
    ...diagnosis.related.map(formatRelated),
    ...formatWarnings(diagnosis.warnings),
  ]);
}

/** What earlier runs say of it, why, and which run would settle it. */
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

/** `, perhaps since 1a2b3c4d5e6f (48 %) or 6f5e4d3c2b1a (40 %)`; one commit alone where it is clearly ahead. */
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

/** For which failure the fix was learned, where that is another one. */
function formatOrigin({ suggestedFrom: from, match }: DiagnosticResult): string[] {
  if (from === undefined) return [];
  const learned = paint.dim(`           learned for ${from.caseName} (${from.patternId})`);
  // Of the same case, the match has said what differs.
  return [learned, ...(match.differences === undefined ? formatDifferences(from.differences) : [])];
}

/** Where it is not the very same: how alike, and what differs. */
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
  // It counts on the built-in, and what it came to says nothing of the diagnosed failure.
  if (fix.ofOtherFailure) return indented(paint.dim(`· for ${fix.caseName}: ${said}`));
  const mark = success && fix.state !== 'refuted' ? paint.green('✓') : paint.red('✗');
  return indented(`${mark} ${said}`);
}

/** How sure a reported success is, where it is not proved. */
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

/** `runId`: the run of the failure. */
export function formatFix(fix: ReportFixResult, runId: string): string {
  const learned = fix.learnedBy === undefined ? '' : `; counts on ${fix.patternId} too`;
  // That it failed in the run of the failure is known to who reports its fix.
  const isNews = (warning: string) => fix.toProve === null || !warning.includes(`still fails in ${runId}, `);
  return lines([
    `${paint.bold(fix.fixRecordId)} recorded on ${fix.learnedBy ?? fix.patternId} (${fix.category})${fix.isNewPattern || fix.learnedBy !== undefined ? ', a new pattern' : ''}${learned}`,
    `diagnosed ${count(fix.occurrences, 'time')}, ${count(fix.resolutions, 'fix', 'fixes')} reported`,
    fix.provedBy !== null && `proved by ${fix.provedBy}`,
    fix.toProve !== null && `claimed, to be proved by: ${withCommands(fix.toProve)}`,
    ...formatWarnings(fix.warnings?.filter(isNews)),
  ]);
}
