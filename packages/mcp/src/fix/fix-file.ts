/**
 * The file beside an attempt's log that says what was changed: `attempt_N_fix.md`.
 * Does not: write it.
 */

import type { FileChange } from 'argus-engine';
import { code, fenced, oneLine } from './markdown.ts';

/** Begins the description of a fix that nobody described. */
export const UNDESCRIBED = 'Changed';

const MAX_DIFF = 64 * 1024;

export interface FixFile {
  number: number;
  description: string;
  outside: string | null;
  files: readonly FileChange[];
  diff: string;
  /** What a fixer printed. */
  output: string | undefined;
}

export function fixFile({ number, description, outside, files, diff, output }: FixFile): string {
  const cut =
    diff.length > MAX_DIFF ? `${diff.slice(0, MAX_DIFF)}\n… (${diff.length - MAX_DIFF} more characters)` : diff;
  return `${[
    `# Fix of attempt ${number}`,
    oneLine(description, 2_000),
    `## Files\n\n${files.map(({ path, change }) => `- ${code(path)}: ${oneLine(change)}`).join('\n') || 'None.'}`,
    ...(outside === null ? [] : [`## Outside the work tree\n\n${oneLine(outside, 2_000)}`]),
    ...(diff === '' ? [] : [`## Diff\n\n${fenced(cut, 'diff')}`]),
    ...(output === undefined ? [] : [`## Output of the fixer\n\n${fenced(output)}`]),
  ].join('\n\n')}\n`;
}
