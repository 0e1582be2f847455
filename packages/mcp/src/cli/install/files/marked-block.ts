/**
 * A block of lines between two marks in another owner's text: added at the end, updated in place, and removed again. A
 * line break before it is added and removed with it, so that removing the block restores the text.
 */

import { Refused } from './refused.ts';

export interface BlockMarks {
  begin: string;
  end: string;
}

interface Found {
  start: number;
  end: number;
}

/** Returns the text unchanged if its block is current. */
export function withBlock(text: string | undefined, marks: BlockMarks, content: string): string {
  const eol = text?.includes('\r\n') ? '\r\n' : '\n';
  const block = `${[marks.begin, ...content.trimEnd().split('\n'), marks.end].join(eol)}${eol}`;
  if (text === undefined) return block;
  const found = foundBlock(text, marks);
  if (found === undefined) return text + eol + block;
  return text.slice(0, found.start) + block + text.slice(found.end);
}

/** Returns the text unchanged if it has no block, or undefined if the file contains nothing else. */
export function withoutBlock(text: string, marks: BlockMarks): string | undefined {
  const found = foundBlock(text, marks);
  if (found === undefined) return text;
  if (found.start === 0 && found.end === text.length) return undefined;
  return text.slice(0, found.start).replace(/\r?\n$/u, '') + text.slice(found.end);
}

/** Finds the block from its begin mark to the end of the line of its end mark. */
export function foundBlock(text: string, { begin, end }: BlockMarks): Found | undefined {
  const [begins, ends] = [linesThatAre(text, begin), linesThatAre(text, end)];
  const [first, last] = [begins[0], ends[0]];
  if (first === undefined && last === undefined) return undefined;
  const isWhole = begins.length === 1 && ends.length === 1 && first !== undefined && last !== undefined;
  if (!isWhole || last < first) {
    const at = text.slice(0, first ?? last).split('\n').length;
    throw new Refused(`${at}:1: a block of Argus begins or ends there, and is not whole; put it right, or take it out`);
  }
  const after = text.indexOf('\n', last);
  return { start: first, end: after < 0 ? text.length : after + 1 };
}

function linesThatAre(text: string, line: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(line); at >= 0; at = text.indexOf(line, at + 1)) {
    const before = at === 0 || text[at - 1] === '\n';
    if (before && /^[ \t]*(?:\r?\n|$)/u.test(text.slice(at + line.length))) found.push(at);
  }
  return found;
}
