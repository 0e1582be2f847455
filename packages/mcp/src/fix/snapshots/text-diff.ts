/**
 * A unified diff of two texts, for where there is no git to make one. Of very different texts the diff is not the
 * shortest: those are replaced as a whole.
 */

/** Of one file, so that a generated one does not hide those behind it; and of all. */
export const MAX_FILE_DIFF_CHARACTERS = 512 * 1024;
export const MAX_DIFF_CHARACTERS = 8 * 1024 * 1024;

const CONTEXT_LINES = 3;

/** Cells of the comparison; a thousand changed lines against a thousand. */
const MAX_CELLS = 4_000_000;

/** Of one file; undefined where it is missing. Empty when there is no difference. */
export function textDiff(file: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return '';
  if (isBinary(before) || isBinary(after)) return `Binary files a/${file} and b/${file} differ\n`;
  const [beforeLines, afterLines] = [linesOf(before), linesOf(after)];
  const head = [
    `diff --git a/${file} b/${file}`,
    ...(before === undefined ? ['new file mode 100644'] : []),
    ...(after === undefined ? ['deleted file mode 100644'] : []),
    `--- ${before === undefined ? '/dev/null' : `a/${file}`}`,
    `+++ ${after === undefined ? '/dev/null' : `b/${file}`}`,
  ];
  return `${[...head, ...hunks(beforeLines, afterLines)].join('\n')}\n`;
}

interface Line {
  mark: ' ' | '-' | '+';
  text: string;
  /** Of the line before it, in each text. */
  before: number;
  after: number;
}

function hunks(beforeLines: readonly string[], afterLines: readonly string[]): string[] {
  const lines = compared(beforeLines, afterLines);
  const near = new Set<number>();
  lines.forEach(({ mark }, index) => {
    if (mark === ' ') return;
    for (let at = index - CONTEXT_LINES; at <= index + CONTEXT_LINES; at++) near.add(at);
  });
  const out: string[] = [];
  let hunk: Line[] = [];
  lines.forEach((line, index) => {
    if (near.has(index)) hunk.push(line);
    if (hunk.length > 0 && (!near.has(index) || index === lines.length - 1)) {
      out.push(headOf(hunk), ...hunk.map(({ mark, text }) => mark + text));
      hunk = [];
    }
  });
  return out;
}

function headOf(hunk: readonly Line[]): string {
  const count = (without: string) => hunk.filter(({ mark }) => mark !== without).length;
  const [first] = hunk;
  const start = (preceding: number | undefined, length: number) => (preceding ?? 0) + (length > 0 ? 1 : 0);
  const [beforeCount, afterCount] = [count('+'), count('-')];
  return `@@ -${start(first?.before, beforeCount)},${beforeCount} +${start(first?.after, afterCount)},${afterCount} @@`;
}

/** All lines of both, in order. */
function compared(beforeLines: readonly string[], afterLines: readonly string[]): Line[] {
  let start = 0;
  while (start < beforeLines.length && start < afterLines.length && beforeLines[start] === afterLines[start]) start++;
  let end = 0;
  while (
    end < beforeLines.length - start &&
    end < afterLines.length - start &&
    beforeLines.at(-1 - end) === afterLines.at(-1 - end)
  )
    end++;
  const marks = [
    ...beforeLines.slice(0, start).map((text) => ({ mark: ' ' as const, text })),
    ...middle(beforeLines.slice(start, beforeLines.length - end), afterLines.slice(start, afterLines.length - end)),
    ...beforeLines.slice(beforeLines.length - end).map((text) => ({ mark: ' ' as const, text })),
  ];
  const at = { before: 0, after: 0 };
  return marks.map(({ mark, text }) => {
    const line = { mark, text, before: at.before, after: at.after };
    if (mark !== '+') at.before += 1;
    if (mark !== '-') at.after += 1;
    return line;
  });
}

/** The longest common lines stay; small enough for the plain method, or replaced as a whole. */
function middle(beforeLines: readonly string[], afterLines: readonly string[]): Pick<Line, 'mark' | 'text'>[] {
  const removed = beforeLines.map((text) => ({ mark: '-' as const, text }));
  const added = afterLines.map((text) => ({ mark: '+' as const, text }));
  if (beforeLines.length === 0 || afterLines.length === 0 || beforeLines.length * afterLines.length > MAX_CELLS)
    return [...removed, ...added];
  const width = afterLines.length + 1;
  const common = new Uint32Array((beforeLines.length + 1) * width);
  const cell = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = beforeLines.length - 1; i >= 0; i--) {
    for (let j = afterLines.length - 1; j >= 0; j--) {
      common[i * width + j] =
        beforeLines[i] === afterLines[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
    }
  }
  const out: Pick<Line, 'mark' | 'text'>[] = [];
  let [i, j] = [0, 0];
  while (i < beforeLines.length || j < afterLines.length) {
    if (i < beforeLines.length && j < afterLines.length && beforeLines[i] === afterLines[j]) {
      out.push({ mark: ' ', text: beforeLines[i++] ?? '' });
      j++;
    } else if (i < beforeLines.length && (j === afterLines.length || cell(i + 1, j) >= cell(i, j + 1))) {
      out.push({ mark: '-', text: beforeLines[i++] ?? '' });
    } else {
      out.push({ mark: '+', text: afterLines[j++] ?? '' });
    }
  }
  return out;
}

function linesOf(text: string | undefined): string[] {
  if (text === undefined || text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function isBinary(text: string | undefined): boolean {
  return text?.includes('\0') ?? false;
}
