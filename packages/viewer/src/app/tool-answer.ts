/** Reads the tool's answer field by field, because data from a chat may have any shape. */

import { FAILURE_CATEGORIES, type FailureCategory, type FailurePattern } from 'argus-engine/browser';
import type { PatternRow } from '../ui/lists/pattern-columns.ts';
import { isObject } from './host.ts';

export type AppPatternRow = PatternRow & Pick<FailurePattern, 'signaturePattern'>;

export interface ToolAnswer {
  readonly rows: readonly AppPatternRow[];
  /** Number of patterns that match the tool's filter. */
  readonly total: number;
  readonly warnings: readonly string[];
  /** The tool's error message. */
  readonly error?: string;
}

/** Parses the tool's answer. Returns undefined if `content` is not an answer of the tool. */
export function readAnswer(content: unknown): ToolAnswer | undefined {
  if (!isObject(content)) return undefined;
  if (isObject(content.error)) return { rows: [], total: 0, warnings: [], error: toText(content.error.message) };
  const data = content.data;
  if (!isObject(data) || !Array.isArray(data.patterns)) return undefined;
  const rows = data.patterns.filter(isObject).map(readRow);
  const warnings = Array.isArray(data.warnings) ? data.warnings.map(toText) : [];
  return { rows, total: Math.max(rows.length, toNumber(data.total)), warnings };
}

function readRow(row: Readonly<Record<string, unknown>>): AppPatternRow {
  return {
    id: toText(row.id),
    category: toCategory(row.category),
    description: toText(row.description),
    suggestedFix: typeof row.suggestedFix === 'string' ? row.suggestedFix : null,
    confidence: Math.min(1, Math.max(0, toNumber(row.confidence))),
    occurrences: toNumber(row.occurrences),
    resolutions: toNumber(row.resolutions),
    source: row.source === 'built-in' ? 'built-in' : 'learned',
    lastSeenAt: toText(row.lastSeenAt),
    signaturePattern: toText(row.signaturePattern),
  };
}

function toCategory(value: unknown): FailureCategory {
  return FAILURE_CATEGORIES.find((name) => name === value) ?? 'UNKNOWN';
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function toNumber(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
