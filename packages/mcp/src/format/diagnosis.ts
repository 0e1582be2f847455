/**
 * A diagnosis and a recorded fix, for people at the terminal.
 * Does not: print.
 */

import type { DiagnosticResult, Difference, FixRecord, Related } from 'argus-engine';
import type { ReportFixResult } from '../tools/report-fix.ts';
import { formatCause, formatWhere } from './run.ts';
import { count, indented, lines, paint, percent } from './text.ts';

/** The whole list is in the JSON. */
const SHOWN_FIXES = 5;

export function formatDiagnosis(diagnosis: DiagnosticResult): string {
  const { category, failureKind, rule, evidence, pattern, suggestedFix, suggestedFrom, confidence, fixHistory } =
    diagnosis;
  return lines([
    `${paint.bold(paint.yellow(category))}  ${failureKind}  ${paint.dim(`rule ${rule}`)}`,
    indented(diagnosis.message),
    ...formatWhere(diagnosis),
    diagnosis.cause.count > 1 && formatCause(diagnosis.cause),
    evidence && `evidence   ${evidence}`,
    `signature  ${diagnosis.signature}`,
    indented(diagnosis.signaturePattern),
    pattern
      ? `pattern    ${pattern.id}  seen ${count(pattern.occurrences, 'time')}, fixed ${count(pattern.resolutions, 'time')}`
      : 'pattern    new: seen for the first time',
    ...formatMatch(diagnosis),
    suggestedFix && `fix        ${paint.green(suggestedFix)}`,
    suggestedFrom && paint.dim(`           learned for ${suggestedFrom.caseName} (${suggestedFrom.patternId})`),
    confidence !== null && `confidence ${percent(confidence)}`,
    ...fixHistory.slice(0, SHOWN_FIXES).map(formatPastFix),
    ...diagnosis.related.map(formatRelated),
    ...diagnosis.warnings.map((warning) => paint.yellow(`warning: ${warning}`)),
  ]);
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

function formatPastFix(fix: FixRecord): string {
  const { success, createdAt, fixDescription, recordedBy, recordedFrom } = fix;
  const mark = success ? paint.green('✓') : paint.red('✗');
  const who = recordedBy === null ? '' : paint.dim(` (${recordedBy} on ${recordedFrom ?? 'an unknown machine'})`);
  return indented(`${mark} ${createdAt.slice(0, 10)} ${fixDescription}${paint.dim(standing(fix))}${who}`);
}

/** How sure a reported success is, where it is not proved. */
function standing({ state, refutedBy }: FixRecord): string {
  if (state === 'claimed') return ' (claimed)';
  return state === 'refuted' ? ` (claimed, refuted by ${refutedBy})` : '';
}

function formatRelated({ id, similarity, description, suggestedFix, memory, differences }: Related): string {
  const kind = memory === 'foreign' ? 'foreign   ' : 'similar   ';
  return lines([
    `${kind} ${id} (${percent(similarity)}) ${suggestedFix ?? description}`,
    ...formatDifferences(differences),
  ]);
}

export function formatFix(fix: ReportFixResult): string {
  const before = fix.previousConfidence === null ? 'none' : percent(fix.previousConfidence);
  return lines([
    `${paint.bold(fix.fixRecordId)} recorded on ${fix.patternId} (${fix.category})${fix.isNewPattern ? ', a new pattern' : ''}`,
    `confidence ${before} → ${percent(fix.updatedConfidence)}  seen ${count(fix.occurrences, 'time')}, fixed ${count(fix.resolutions, 'time')}`,
    fix.provedBy !== null && `proved by ${fix.provedBy}`,
    fix.toProve !== null && `claimed, to be proved by: ${fix.toProve}`,
    ...(fix.warnings ?? []).map((warning) => paint.yellow(`warning: ${warning}`)),
  ]);
}
