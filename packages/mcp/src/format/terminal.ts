/**
 * Small pieces of text for people: colours, plurals, tables.
 */

import colors from 'picocolors';

export const paint = colors;

export function percent(confidence: number): string {
  return `${Math.round(confidence * 100)} %`;
}

/** `0.8 s`, `2 m 5 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
}

/** Columns as wide as their widest cell; the last one is left alone. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, index) => Math.max(known[index] ?? 0, cell.length)),
    [],
  );
  const line = (row: readonly string[]) =>
    row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0))).join('  ');
  return rows.map(line).join('\n');
}

/** Every line moved to the right. */
export function indented(text: string, by = 4): string {
  return text.replaceAll(/^/gmu, ' '.repeat(by));
}

export function lines(parts: readonly (string | false | undefined | null)[]): string {
  return parts.filter((part) => typeof part === 'string').join('\n');
}
