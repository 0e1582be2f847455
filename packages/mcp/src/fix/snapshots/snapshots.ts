/**
 * The interface of snapshots of the work tree, which are taken before each attempt and compared with each other.
 * Snapshots never change the work tree, the index or HEAD, because only a person may decide to restore files. Also
 * creates diffs without git.
 */

import { type StructuredPatchHunk, structuredPatch } from 'diff';

export interface ChangedFile {
  /** Path in the project, with `/`. */
  path: string;
  /** The kind of the change and the number of lines, such as `modified (+2 -1)`. */
  change: string;
}

/** The difference between two snapshots. */
export interface Difference {
  /** A hash of the changed lines that does not depend on their position in a file. Null if nothing changed. */
  digest: string | null;
  files: ChangedFile[];
}

export interface Snapshots {
  /** `copies` if git cannot be used. */
  readonly kind: 'git' | 'copies';
  /** Stores the current work tree under a name. The returned id identifies the content. */
  take(name: string): Promise<string>;
  /** Stores the current work tree only as long as the next calls need it. */
  saveTemporarily(): Promise<string>;
  difference(from: string, to: string): Promise<Difference>;
  /** Returns a unified diff, cut to a limit. `whole` includes all lines of the files. */
  diff(from: string, to: string, context?: 'whole'): Promise<string>;
  /** True if both snapshots have the same content. */
  areEqual(from: string, to: string): Promise<boolean>;
  /** Renames the snapshots of a finished loop, so that a new loop can use the names. */
  archive(label: string): Promise<void>;
  /** Removes old snapshots of other loops. */
  removeExpired(now: number): Promise<void>;
  /** Returns the command that restores a snapshot. */
  createRestoreCommand(id: string): string;
  /** Messages about files that are not stored, with the reason. */
  readonly warnings: readonly string[];
}

/** People do not read longer lists. */
const MAX_NAMED_FILES = 20;

export function formatSecretsWarning(names: readonly string[]): string {
  return `${formatNotSavedWarning('they look like secrets', names)} Restoring does not bring them back.`;
}

export function formatNotSavedWarning(why: string, names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED_FILES);
  const others = names.length > named.length ? ` and ${names.length - named.length} more` : '';
  return `Not saved in snapshots, because ${why}: ${named.join(', ')}${others}.`;
}

/*
 * Creates a unified diff of two texts without git. For very different texts, the diff is not the shortest: it replaces
 * all lines.
 */

/** Limit for the diff of a file, so that a generated file does not hide the files after it. */
export const MAX_FILE_DIFF_CHARACTERS = 512 * 1024;
export const MAX_DIFF_CHARACTERS = 8 * 1024 * 1024;

const CONTEXT_LINES = 3;

/** Number of changed lines after which the search for the shortest diff stops. */
const MAX_CHANGED_LINES = 2_000;

type Hunk = Pick<StructuredPatchHunk, 'oldStart' | 'oldLines' | 'newStart' | 'newLines' | 'lines'>;

/**
 * Returns the diff of a file, or an empty text if the texts are equal. A text is undefined if the file does not exist.
 * `whole` includes all lines.
 */
export function createTextDiff(
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
  const hunks = createHunks(before ?? '', after ?? '', context).flatMap((hunk) => [
    formatHunkHeader(hunk),
    ...hunk.lines,
  ]);
  return `${[...head, ...hunks].join('\n')}\n`;
}

function createHunks(before: string, after: string, context: 'whole' | undefined): Hunk[] {
  const lines = context === undefined ? CONTEXT_LINES : Number.MAX_SAFE_INTEGER;
  const options = { context: lines, maxEditLength: MAX_CHANGED_LINES };
  return (
    structuredPatch('', '', before, after, '', '', options)?.hunks ?? [
      createReplacement(splitLines(before), splitLines(after)),
    ]
  );
}

function createReplacement(before: readonly string[], after: readonly string[]): Hunk {
  const lines = [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
  return { oldStart: 1, oldLines: before.length, newStart: 1, newLines: after.length, lines };
}

/** Returns the header of a hunk. If a side has no lines, a unified diff names the line before the hunk. */
function formatHunkHeader({ oldStart, oldLines, newStart, newLines }: Hunk): string {
  const start = (first: number, lines: number) => (lines === 0 ? first - 1 : first);
  return `@@ -${start(oldStart, oldLines)},${oldLines} +${start(newStart, newLines)},${newLines} @@`;
}

function splitLines(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function isBinary(text: string | undefined): boolean {
  return text?.includes('\0') ?? false;
}
