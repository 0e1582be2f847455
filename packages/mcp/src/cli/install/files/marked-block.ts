/**
 * A block of lines between two marks in somebody else's text: put at its end, brought up to date in its place, and taken
 * out again. One line break before it comes and goes with it, so that what is left is the text as it was.
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

/** The same text where the block is there as it should be. */
export function withBlock(text: string | undefined, marks: BlockMarks, content: string): string {
  const eol = text?.includes('\r\n') ? '\r\n' : '\n';
  const block = `${[marks.begin, ...content.trimEnd().split('\n'), marks.end].join(eol)}${eol}`;
  if (text === undefined) return block;
  const found = foundBlock(text, marks);
  if (found === undefined) return text + eol + block;
  return text.slice(0, found.start) + block + text.slice(found.end);
}

/** The same text where there is no block; undefined where the file was made for it. */
export function withoutBlock(text: string, marks: BlockMarks): string | undefined {
  const found = foundBlock(text, marks);
  if (found === undefined) return text;
  if (found.start === 0 && found.end === text.length) return undefined;
  return text.slice(0, found.start).replace(/\r?\n$/u, '') + text.slice(found.end);
}

/** From the mark that begins it to the line after the one that ends it. */
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
