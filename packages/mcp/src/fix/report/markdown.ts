/**
 * Pieces of Markdown out of texts that nobody may trust.
 */

import { clipped, visible } from '../../text/untrusted.ts';

const MAX_LINE_CHARACTERS = 400;

/** One line, without what would end a table's cell or begin a heading. */
export function oneLine(text: string, limit = MAX_LINE_CHARACTERS): string {
  return clipped(visible(text).replaceAll(/\s+/gu, ' ').trim(), limit);
}

export function cell(text: string | null | undefined): string {
  return text ? oneLine(text, 160).replaceAll('|', '\\|') : '-';
}

/** A command or a name, as code. */
export function code(text: string): string {
  const line = oneLine(text);
  const ticks = '`'.repeat(longestRun(line) + 1);
  return ticks.length === 1 ? `\`${line}\`` : `${ticks} ${line} ${ticks}`;
}

/** A block that nothing inside can end. */
export function fenced(text: string, language = ''): string {
  const clean = visible(text).trimEnd();
  const fence = '`'.repeat(Math.max(3, longestRun(clean) + 1));
  return `${fence}${language}\n${clean}\n${fence}`;
}

/** `45s`, `0.4s`. */
export function seconds(value: number): string {
  return value >= 10 ? `${Math.round(value)}s` : `${Math.round(value * 10) / 10}s`;
}

/** The end of a long text, from a whole line on. */
export function lastPart(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const part = text.slice(-limit);
  return `… (${text.length - limit} characters before)\n${part.slice(part.indexOf('\n') + 1)}`.toWellFormed();
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/gu) ?? []).map((run) => run.length));
}
