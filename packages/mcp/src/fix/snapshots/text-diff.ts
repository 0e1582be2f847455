/**
 * A unified diff of two texts, for where there is no git to make one. Of very different texts the diff is not the
 * shortest: those are replaced as a whole.
 */

/** Of one file, so that a generated one does not hide those behind it; and of all. */
export const MAX_FILE_DIFF = 512 * 1024;
export const MAX_DIFF = 8 * 1024 * 1024;

const CONTEXT = 3;

/** Cells of the comparison; a thousand changed lines against a thousand. */
const MAX_CELLS = 4_000_000;

/** Of one file; undefined where it is missing. Empty when there is no difference. */
export function textDiff(file: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return '';
  if (isBinary(before) || isBinary(after)) return `Binary files a/${file} and b/${file} differ\n`;
  const [old, young] = [linesOf(before), linesOf(after)];
  const head = [
    `diff --git a/${file} b/${file}`,
    ...(before === undefined ? ['new file mode 100644'] : []),
    ...(after === undefined ? ['deleted file mode 100644'] : []),
    `--- ${before === undefined ? '/dev/null' : `a/${file}`}`,
    `+++ ${after === undefined ? '/dev/null' : `b/${file}`}`,
  ];
  return `${[...head, ...hunks(old, young)].join('\n')}\n`;
}

interface Line {
  mark: ' ' | '-' | '+';
  text: string;
  /** Of the line before it, in each text. */
  old: number;
  young: number;
}

function hunks(old: readonly string[], young: readonly string[]): string[] {
  const lines = compared(old, young);
  const near = new Set<number>();
  lines.forEach(({ mark }, index) => {
    if (mark === ' ') return;
    for (let at = index - CONTEXT; at <= index + CONTEXT; at++) near.add(at);
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
  const start = (before: number | undefined, length: number) => (before ?? 0) + (length > 0 ? 1 : 0);
  const [olds, youngs] = [count('+'), count('-')];
  return `@@ -${start(first?.old, olds)},${olds} +${start(first?.young, youngs)},${youngs} @@`;
}

/** All lines of both, in order. */
function compared(old: readonly string[], young: readonly string[]): Line[] {
  let start = 0;
  while (start < old.length && start < young.length && old[start] === young[start]) start++;
  let end = 0;
  while (end < old.length - start && end < young.length - start && old.at(-1 - end) === young.at(-1 - end)) end++;
  const marks = [
    ...old.slice(0, start).map((text) => ({ mark: ' ' as const, text })),
    ...middle(old.slice(start, old.length - end), young.slice(start, young.length - end)),
    ...old.slice(old.length - end).map((text) => ({ mark: ' ' as const, text })),
  ];
  const at = { old: 0, young: 0 };
  return marks.map(({ mark, text }) => {
    const line = { mark, text, old: at.old, young: at.young };
    if (mark !== '+') at.old += 1;
    if (mark !== '-') at.young += 1;
    return line;
  });
}

/** The longest common lines stay; small enough for the plain method, or replaced as a whole. */
function middle(old: readonly string[], young: readonly string[]): Pick<Line, 'mark' | 'text'>[] {
  const removed = old.map((text) => ({ mark: '-' as const, text }));
  const added = young.map((text) => ({ mark: '+' as const, text }));
  if (old.length === 0 || young.length === 0 || old.length * young.length > MAX_CELLS) return [...removed, ...added];
  const width = young.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const cell = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = young.length - 1; j >= 0; j--) {
      common[i * width + j] = old[i] === young[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
    }
  }
  const out: Pick<Line, 'mark' | 'text'>[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < young.length) {
    if (i < old.length && j < young.length && old[i] === young[j]) {
      out.push({ mark: ' ', text: old[i++] ?? '' });
      j++;
    } else if (i < old.length && (j === young.length || cell(i + 1, j) >= cell(i, j + 1))) {
      out.push({ mark: '-', text: old[i++] ?? '' });
    } else {
      out.push({ mark: '+', text: young[j++] ?? '' });
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
