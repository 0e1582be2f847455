/** Shows the failing code and its signature: the lines around the error, with the comment above them. */

import type { Finding } from '../context-model.ts';
import type { ContextScope } from '../scope.ts';
import type { EnclosingFunction } from './functions.ts';

/**
 * Number of lines on each side of the failing line. If the function starts above, up to the second limit of lines are
 * shown.
 */
const LINES_AROUND = 10;
const MAX_LINES_ABOVE = 40;

/** Longer lines are generated. */
const MAX_LINE_CHARACTERS = 200;

const NOWHERE: Finding = { why_not: 'The place of the error is not known.' };

export function behaviour({ place, tested }: ContextScope): Finding {
  if (place === null) return NOWHERE;
  if (tested === null) {
    return { answer: codeAround(place.lines, place.line, place.enclosing), source: `${place.file}:${place.line}` };
  }
  const { name, file, start, lines } = tested;
  const calls = `${place.file}:${place.line} calls ${name}, at ${file}:${start}`;
  return { answer: `${calls}\n${codeAround(lines, start, tested)}`, source: `${file}:${start}` };
}

export function interfaceOf({ place, tested }: ContextScope): Finding {
  if (place === null) return NOWHERE;
  const enclosing = tested ?? place.enclosing;
  if (enclosing === null) return { why_not: `${place.file}:${place.line} is in no function.` };
  return { answer: enclosing.signature, source: `${(tested ?? place).file}:${enclosing.start}` };
}

/** Returns numbered lines around a line, which is marked. */
export function codeAround(lines: readonly string[], line: number, enclosing: EnclosingFunction | null = null): string {
  const header = enclosing && enclosing.from >= line - MAX_LINES_ABOVE ? enclosing.from : line;
  const from = Math.max(1, Math.min(header, line - LINES_AROUND));
  const to = Math.min(lines.length, line + LINES_AROUND);
  const numbered = lines.slice(from - 1, to).map((text, index) => {
    const number = String(from + index).padStart(String(to).length);
    return `${from + index === line ? '>' : ' '} ${number} | ${text.slice(0, MAX_LINE_CHARACTERS)}`.trimEnd();
  });
  return numbered.join('\n');
}
