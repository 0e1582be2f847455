/** Formats untrusted texts as parts of Markdown. */

import { clip, removeInvisibleCharacters, toSingleLine } from './untrusted-text.ts';

const MAX_LINE_CHARACTERS = 400;

/** Returns a single line without control characters. The text then cannot start a heading or a new row of a table. */
export function formatMarkdownLine(text: string, limit = MAX_LINE_CHARACTERS): string {
  return clip(toSingleLine(removeInvisibleCharacters(text)), limit);
}

export function formatCell(text: string | null | undefined): string {
  return text ? formatMarkdownLine(text, 160).replaceAll('|', '\\|') : '-';
}

/** Formats a command or a name as code. */
export function formatCode(text: string): string {
  return addBackticks(formatMarkdownLine(text));
}

/** Formats a line as code, where Markdown has no effect. The fence is longer than any run of backticks in the line. */
export function addBackticks(line: string): string {
  const ticks = '`'.repeat(longestBacktickRun(line) + 1);
  return ticks.length === 1 ? `\`${line}\`` : `${ticks} ${line} ${ticks}`;
}

/**
 * Formats a block of code. The fence is longer than any run of backticks in the text, so the text cannot end the block.
 */
export function formatCodeBlock(text: string, language = ''): string {
  const clean = removeInvisibleCharacters(text).trimEnd();
  const fence = '`'.repeat(Math.max(3, longestBacktickRun(clean) + 1));
  return `${fence}${language}\n${clean}\n${fence}`;
}

/** Formats a duration: `45s`, `0.4s`. */
export function formatSeconds(value: number): string {
  return value >= 10 ? `${Math.round(value)}s` : `${Math.round(value * 10) / 10}s`;
}

/** Returns the end of a long text, starting with a complete line. */
export function truncateStart(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const part = text.slice(-limit);
  return `… (${text.length - limit} characters before)\n${part.slice(part.indexOf('\n') + 1)}`.toWellFormed();
}

function longestBacktickRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/gu) ?? []).map((run) => run.length));
}
