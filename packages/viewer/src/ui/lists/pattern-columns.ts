/** The fields that every table of patterns needs, and the sort order of its columns. */

import type { FailurePattern, ViewPatternSort } from 'argus-engine/browser';

export type PatternRow = Pick<
  FailurePattern,
  | 'id'
  | 'category'
  | 'description'
  | 'suggestedFix'
  | 'confidence'
  | 'occurrences'
  | 'resolutions'
  | 'source'
  | 'lastSeenAt'
>;

export const PATTERN_COLUMNS = [
  'category',
  'description',
  'confidence',
  'occurrences',
  'resolutions',
  'source',
  'lastSeen',
] as const satisfies readonly ViewPatternSort[];

/** Returns true for columns with numbers and times, which start with the greatest value. Texts start with A. */
export function isDescendingByDefault(column: ViewPatternSort): boolean {
  return column !== 'category' && column !== 'description' && column !== 'source';
}
