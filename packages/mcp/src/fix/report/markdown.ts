/**
 * Writes parts of Markdown from texts that are not trusted.
 */

import { clipped, visible } from '../../text/untrusted.ts';

const MAX_LINE_CHARACTERS = 400;

/** Returns a single line without control characters, so that a text cannot start a heading or a new row of a table. */
export function oneLine(text: string, limit = MAX_LINE_CHARACTERS): string {
  return clipped(visible(text).replaceAll(/\s+/gu, ' ').trim(), limit);
}

export function cell(text: string | null | undefined): string {
  return text ? oneLine(text, 160).replaceAll('|', '\\|') : '-';
}

/** Formats a command or a name as code. */
export function code(text: string): string {
  const line = oneLine(text);
  const ticks = '`'.repeat(longestRun(line) + 1);
  return ticks.length === 1 ? `\`${line}\`` : `${ticks} ${line} ${ticks}`;
}

/** Formats a block of code. The fence is longer than any run of backticks inside, so the text cannot close it. */
export function fenced(text: string, language = ''): string {
  const clean = visible(text).trimEnd();
  const fence = '`'.repeat(Math.max(3, longestRun(clean) + 1));
  return `${fence}${language}\n${clean}\n${fence}`;
}

/** Formats a duration: `45s`, `0.4s`. */
export function seconds(value: number): string {
  return value >= 10 ? `${Math.round(value)}s` : `${Math.round(value * 10) / 10}s`;
}

/** Returns the end of a long text, starting with a whole line. */
export function lastPart(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const part = text.slice(-limit);
  return `… (${text.length - limit} characters before)\n${part.slice(part.indexOf('\n') + 1)}`.toWellFormed();
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/gu) ?? []).map((run) => run.length));
}
