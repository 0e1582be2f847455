/** Helpers to format text for the terminal: colors, tables, units, short ids, and commands instead of tool names. */

import { stripVTControlCharacters } from 'node:util';
import colors from 'picocolors';

export const paint = colors;

const COLUMN_GAP = '  ';
const INDENT_COLUMNS = 4;
/** If the last column is narrower than this share of the line, it moves to a line of its own. */
const MIN_LAST_COLUMN_SHARE = 1 / 3;
const WIDE_CHARACTER =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]|\p{Emoji_Presentation}/u;

export function formatPercent(confidence: number): string {
  return `${Math.round(confidence * 100)} %`;
}

/** Formats a duration: `6 ms`, `0.8 s`, `2 m 5 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 50) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
}

/** Formats a size: `12 kB`, `3.4 MB`. */
export function formatFileSize(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/**
 * Formats rows as a table whose columns are as wide as their widest cell. The last column is cut to the rest of a line
 * of `columns` characters. If little space is left, the last cell of each row moves to a line of its own. Without
 * `columns`, nothing is cut.
 */
export function formatTable(rows: readonly (readonly string[])[], columns = Number.POSITIVE_INFINITY): string {
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, index) => Math.max(known[index] ?? 0, measureWidth(cell))),
    [],
  );
  const firstColumnsWidth = widths.slice(0, -1).reduce((sum, cells) => sum + cells + COLUMN_GAP.length, 0);
  const isBelow = columns - firstColumnsWidth < columns * MIN_LAST_COLUMN_SHARE;
  const line = (row: readonly string[]) => {
    const short = row.slice(0, -1).map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - measureWidth(cell)));
    const last = row.at(-1) ?? '';
    if (!isBelow) return [...short, cutToWidth(last, columns - firstColumnsWidth)].join(COLUMN_GAP);
    return `${short.join(COLUMN_GAP).trimEnd()}\n${indentLines(cutToWidth(last, columns - INDENT_COLUMNS))}`;
  };
  return rows.map(line).join('\n');
}

/** Returns the width in terminal columns. East Asian characters and emoji take two columns. */
function measureWidth(text: string): number {
  return [...text].reduce((sum, character) => sum + (WIDE_CHARACTER.test(character) ? 2 : 1), 0);
}

/** Cuts a text to a width. A text that was cut ends with `…`. */
function cutToWidth(text: string, columns: number): string {
  if (measureWidth(text) <= columns) return text;
  let [kept, left] = ['', columns - 1];
  for (const character of text) {
    left -= measureWidth(character);
    if (left < 0) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** Breaks a text between words, so that no line is longer than `columns`, unless a single word is longer. */
export function wrapText(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/u).filter((part) => part !== '')) {
    if (line === '') line = word;
    else if (measureWidth(line) + 1 + measureWidth(word) <= columns) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  return line === '' ? lines : [...lines, line];
}

/** Puts `right` at the end of the line, or on a line of its own if there is not enough space. */
export function alignRight(left: string, right: string, columns: number, paintRight = paint.dim): string {
  if (right === '') return left;
  const gap = columns - measureVisibleWidth(left) - measureWidth(right);
  const between =
    gap >= COLUMN_GAP.length ? ' '.repeat(gap) : `\n${' '.repeat(Math.max(0, columns - measureWidth(right)))}`;
  return `${left}${between}${paintRight(right)}`;
}

/** Returns the width without color codes. */
function measureVisibleWidth(text: string): number {
  return measureWidth(stripVTControlCharacters(text));
}

/** Indents every line. */
export function indentLines(text: string, by = INDENT_COLUMNS): string {
  return text.replaceAll(/^/gmu, ' '.repeat(by));
}

export function joinLines(parts: readonly (string | false | undefined | null)[]): string {
  return parts.filter((part) => typeof part === 'string').join('\n');
}

/* Replaces tool names in advice by command names, because the engine writes its advice for agents, which call tools. */

/** Commands whose name differs from the name of their tool. */
const COMMAND_BY_TOOL: Record<string, string> = { ranked_solutions: 'solutions', record_outcome: 'outcome' };

const TOOL_NAME =
  /\b(?:argus_(run|import|history|diagnose|report_fix|patterns|tests)|(ranked_solutions|record_outcome|add_solution|add_incident|fix_problem))\b/gu;

/** Arguments of tools, and the matching options of the command line. */
const OPTION_BY_ARGUMENT: [string, string][] = [
  ['call argus_init again', 'run this again'],
  ['with success: false', 'with --failed'],
  ['with worked=true or false', 'with worked or failed'],
  ['with solution_id, worked, and env', 'with its id and worked or failed'],
  ['with this incident_id', 'with its id'],
  ['notSameAs', '--not-same-as'],
];

/** Rewrites a message for agents to a message for people at a terminal. */
export function toCommandLineText(message: string): string {
  const withOptions = OPTION_BY_ARGUMENT.reduce(
    (text, [argument, option]) => text.replaceAll(argument, option),
    message,
  );
  return withOptions
    .replaceAll(/\bargus-mcp (?=[a-z])/gu, 'argus ')
    .replaceAll(/: call (?=argus_)/gu, ': ')
    .replaceAll(/\b([Cc])all (?=argus_|record_outcome|add_solution|add_incident)/gu, (_, first: string) =>
      first === 'C' ? 'Run ' : 'run ',
    )
    .replaceAll(TOOL_NAME, (_, failureTool: string | undefined, other: string) => {
      const name = failureTool ?? other;
      return `argus ${COMMAND_BY_TOOL[name] ?? name.replace('_', '-')}`;
    });
}

/** Formats the warnings below an answer. */
export function formatWarnings(warnings: readonly string[] = []): string[] {
  return warnings.map((warning) => paint.yellow(`warning: ${toCommandLineText(warning)}`));
}

/**
 * Matches an id with a time. Such an id is shortened for people, and every command accepts the short form, because it
 * is a unique prefix: the first 48 bits of a `UUIDv7` are its time in milliseconds. Other ids, such as those of
 * imported runs, stay complete.
 */
const TIMED_ID = /^([a-z]+-[0-9a-f]{8}-[0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/u;

export function shortenId(id: string): string {
  return TIMED_ID.exec(id)?.[1] ?? id;
}

/** Returns a function that shortens the ids of a list. Ids whose short forms are equal stay complete. */
export function createIdShortener(ids: readonly string[]): (id: string) => string {
  const countByShortId = new Map<string, number>();
  for (const id of new Set(ids)) countByShortId.set(shortenId(id), (countByShortId.get(shortenId(id)) ?? 0) + 1);
  return (id) => (countByShortId.get(shortenId(id)) === 1 ? shortenId(id) : id);
}
