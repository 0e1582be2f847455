/** Text helpers for the terminal: colors, tables, units. */

import colors from 'picocolors';

export const paint = colors;

const COLUMN_GAP = '  ';
const INDENT = 4;
/** If the last column is narrower than this share of the line, it moves to a line of its own. */
const LEAST_SHARE_OF_LAST = 1 / 3;
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]|\p{Emoji_Presentation}/u;

export function percent(confidence: number): string {
  return `${Math.round(confidence * 100)} %`;
}

/** For example `0.8 s`, `2 m 5 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
}

/**
 * Formats rows with columns as wide as their widest cell. The last column is cut to the rest of a line of `columns`
 * characters. If little space is left, the last cell of every row moves to a separate line. Without `columns` nothing
 * is cut.
 */
export function table(rows: readonly (readonly string[])[], columns = Number.POSITIVE_INFINITY): string {
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, index) => Math.max(known[index] ?? 0, width(cell))),
    [],
  );
  const before = widths.slice(0, -1).reduce((sum, cells) => sum + cells + COLUMN_GAP.length, 0);
  const isBelow = columns - before < columns * LEAST_SHARE_OF_LAST;
  const line = (row: readonly string[]) => {
    const short = row.slice(0, -1).map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - width(cell)));
    const last = row.at(-1) ?? '';
    if (!isBelow) return [...short, cut(last, columns - before)].join(COLUMN_GAP);
    return `${short.join(COLUMN_GAP).trimEnd()}\n${indented(cut(last, columns - INDENT))}`;
  };
  return rows.map(line).join('\n');
}

/** The width in terminal columns. East Asian characters and emoji take two columns. */
function width(text: string): number {
  return [...text].reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0);
}

/** Cuts a text and marks the cut. */
function cut(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let [kept, left] = ['', columns - 1];
  for (const character of text) {
    left -= width(character);
    if (left < 0) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** Indents every line. */
export function indented(text: string, by = INDENT): string {
  return text.replaceAll(/^/gmu, ' '.repeat(by));
}

export function lines(parts: readonly (string | false | undefined | null)[]): string {
  return parts.filter((part) => typeof part === 'string').join('\n');
}
