/**
 * What the failing code does and what it takes and gives: the lines around the error, its comment, its signature.
 */

import type { Finding } from '../context-model.ts';
import type { ContextScope } from '../scope.ts';
import type { EnclosingFunction } from './functions.ts';

/** Lines shown on either side of the failing one. */
const LINES_AROUND = 10;

/** Longer lines are generated. */
const MAX_LINE_CHARACTERS = 200;

const NOWHERE = 'The place of the error is not known.';

export function behaviour({ place, tested }: ContextScope): Finding {
  if (place === null) return { why_not: NOWHERE };
  if (tested !== null) {
    const { name, file, start, lines } = tested;
    const calls = `${place.file}:${place.line} calls ${name}, at ${file}:${start}`;
    return { answer: `${calls}\n${codeAround(lines, start)}`, source: file };
  }
  const doc = place.enclosing?.doc;
  return {
    answer: `${doc ? `Its comment: ${doc}\n\n` : ''}${codeAround(place.lines, place.line)}`,
    source: place.file,
  };
}

export function interfaceOf({ place, tested }: ContextScope): Finding {
  if (place === null) return { why_not: NOWHERE };
  const enclosing = tested ?? place.enclosing;
  const { file, lines } = tested ?? place;
  if (enclosing === null) return { why_not: `${file}:${place.line} is in no function.` };
  const untyped = isUntyped(enclosing, file) ? '\nIt names no types; its callers and tests show what goes in.' : '';
  const returns = returnsOf(lines, enclosing);
  const shown = returns.length > 0 ? `\nReturns:\n${returns.join('\n')}` : '';
  return { answer: `${enclosing.signature}${shown}${untyped}`, source: `${file}:${enclosing.start}` };
}

/** Numbered lines around one, which is marked. */
export function codeAround(lines: readonly string[], line: number, around = LINES_AROUND): string {
  const from = Math.max(1, line - around);
  const to = Math.min(lines.length, line + around);
  const width = String(to).length;
  return lines
    .slice(from - 1, to)
    .map((text, index) => {
      const number = from + index;
      return `${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${text.slice(0, MAX_LINE_CHARACTERS)}`.trimEnd();
    })
    .join('\n');
}

/** Languages in which a signature may leave types out. */
function isUntyped({ signature }: EnclosingFunction, file: string): boolean {
  if (/\.(?:m?[jt]sx?|cjs|vue|svelte)$/u.test(file)) return !/\([^)]*:\s*\w|\)\s*:\s*\w/u.test(signature);
  if (file.endsWith('.py')) return !/:\s*\w[^:]*[,)=]|->/u.test(signature);
  return /\.(?:rb|php|sh|bash)$/u.test(file) && !/\)\s*:/u.test(signature);
}

/** What it gives back, in its own words, within one screen of its header. */
function returnsOf(lines: readonly string[], { start }: EnclosingFunction): string[] {
  const header = lines[start - 1] ?? '';
  const indent = header.search(/\S/u);
  const found: string[] = [];
  for (const [offset, text] of lines.slice(start, start + 60).entries()) {
    if (text.trim() !== '' && text.search(/\S/u) <= indent && !/^\s*[)\]}:]/u.test(text)) break;
    if (/^\s*(?:return|yield)\b\s*\S/u.test(text))
      found.push(`  ${start + offset + 1} | ${text.trim().slice(0, MAX_LINE_CHARACTERS)}`);
    if (/^[)}]/u.test(text.slice(indent)) && offset > 0) break;
  }
  return found.slice(0, 6);
}
