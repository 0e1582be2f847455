/**
 * Makes a unified diff of two texts without git. For very different texts the diff is not the shortest: it replaces all
 * lines.
 */

import { type StructuredPatchHunk, structuredPatch } from 'diff';

/** Limits for each file, so that a generated file does not hide the files after it, and for all files. */
export const MAX_FILE_DIFF_CHARACTERS = 512 * 1024;
export const MAX_DIFF_CHARACTERS = 8 * 1024 * 1024;

const CONTEXT_LINES = 3;

/** Number of removed and added lines after which the search for the shortest diff stops. */
const MAX_CHANGED_LINES = 2_000;

type Hunk = Pick<StructuredPatchHunk, 'oldStart' | 'oldLines' | 'newStart' | 'newLines' | 'lines'>;

/**
 * Returns the diff of a file, or an empty text without a difference. A text is undefined if the file does not exist.
 * `whole` includes all lines.
 */
export function textDiff(
  file: string,
  before: string | undefined,
  after: string | undefined,
  context?: 'whole',
): string {
  if (before === after) return '';
  if (isBinary(before) || isBinary(after)) return `Binary files a/${file} and b/${file} differ\n`;
  const head = [
    `diff --git a/${file} b/${file}`,
    ...(before === undefined ? ['new file mode 100644'] : []),
    ...(after === undefined ? ['deleted file mode 100644'] : []),
    `--- ${before === undefined ? '/dev/null' : `a/${file}`}`,
    `+++ ${after === undefined ? '/dev/null' : `b/${file}`}`,
  ];
  const hunks = hunksOf(before ?? '', after ?? '', context).flatMap((hunk) => [headOf(hunk), ...hunk.lines]);
  return `${[...head, ...hunks].join('\n')}\n`;
}

function hunksOf(before: string, after: string, context: 'whole' | undefined): Hunk[] {
  const lines = context === undefined ? CONTEXT_LINES : Number.MAX_SAFE_INTEGER;
  const options = { context: lines, maxEditLength: MAX_CHANGED_LINES };
  return structuredPatch('', '', before, after, '', '', options)?.hunks ?? [replaced(linesOf(before), linesOf(after))];
}

function replaced(before: readonly string[], after: readonly string[]): Hunk {
  const lines = [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
  return { oldStart: 1, oldLines: before.length, newStart: 1, newLines: after.length, lines };
}

/** If a side has no lines, a unified diff names the line before. */
function headOf({ oldStart, oldLines, newStart, newLines }: Hunk): string {
  const start = (first: number, lines: number) => (lines === 0 ? first - 1 : first);
  return `@@ -${start(oldStart, oldLines)},${oldLines} +${start(newStart, newLines)},${newLines} @@`;
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function isBinary(text: string | undefined): boolean {
  return text?.includes('\0') ?? false;
}
