/** Reads the tool's answer field by field, because data from a chat may have any shape. */

import { FAILURE_CATEGORIES, type FailureCategory, type FailurePattern } from 'argus-engine/browser';
import type { PatternRow } from '../ui/lists/pattern-columns.ts';
import { isObject } from './host.ts';

export type Row = PatternRow & Pick<FailurePattern, 'signaturePattern'>;

export interface Answer {
  readonly rows: readonly Row[];
  /** The number of patterns that match the tool's filter. */
  readonly total: number;
  readonly warnings: readonly string[];
  /** The tool's error message. */
  readonly error?: string;
}

/** Undefined if this is not an answer of the tool. */
export function readAnswer(content: unknown): Answer | undefined {
  if (!isObject(content)) return undefined;
  if (isObject(content.error)) return { rows: [], total: 0, warnings: [], error: text(content.error.message) };
  const data = content.data;
  if (!isObject(data) || !Array.isArray(data.patterns)) return undefined;
  const rows = data.patterns.filter(isObject).map(readRow);
  const warnings = Array.isArray(data.warnings) ? data.warnings.map(text) : [];
  return { rows, total: Math.max(rows.length, number(data.total)), warnings };
}

function readRow(row: Readonly<Record<string, unknown>>): Row {
  return {
    id: text(row.id),
    category: categoryOf(row.category),
    description: text(row.description),
    suggestedFix: typeof row.suggestedFix === 'string' ? row.suggestedFix : null,
    confidence: Math.min(1, Math.max(0, number(row.confidence))),
    occurrences: number(row.occurrences),
    resolutions: number(row.resolutions),
    source: row.source === 'built-in' ? 'built-in' : 'learned',
    lastSeenAt: text(row.lastSeenAt),
    signaturePattern: text(row.signaturePattern),
  };
}

function categoryOf(value: unknown): FailureCategory {
  return FAILURE_CATEGORIES.find((name) => name === value) ?? 'UNKNOWN';
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
