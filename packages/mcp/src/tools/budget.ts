/**
 * How much an answer over MCP may say: an agent reads every word of it. Whole entries are left out, and that they are is
 * said.
 * Does not: hold for resources, which are read on purpose, or for the command line.
 */

import { clipped } from '../untrusted.ts';

/** 6,000 tokens at four characters each, less the envelope. */
const MAX_CHARACTERS = 23_800;

/** What an answer remarks, and how long each remark may be. */
const MAX_REMARKS = 20;
const MAX_REMARK_CHARACTERS = 400;

/** Where texts are cut: from so many characters down to so many. */
const MAX_TEXT_CHARACTERS = 8_192;
const MIN_TEXT_CHARACTERS = 64;

function size(answer: object): number {
  return JSON.stringify(answer).length;
}

/** As many whole entries of a page as there is room for, at least one. */
export function fitPage<Entry, Answer extends { hasMore: boolean }>(
  answer: Answer,
  entries: readonly Entry[],
  withEntries: (entries: Entry[], hasMore: boolean) => Answer,
): Answer {
  const shown = fitList(entries, (some) => withEntries([...some], true));
  return withEntries(shown, answer.hasMore || shown.length < entries.length);
}

/** The first entries, as many as there is room for; `around` makes the answer that has them. */
export function fitList<Entry>(entries: readonly Entry[], around: (entries: readonly Entry[]) => object): Entry[] {
  let left = MAX_CHARACTERS - size(around([]));
  const shown: Entry[] = [];
  for (const entry of entries) {
    left -= JSON.stringify(entry).length + 1;
    if (left < 0 && shown.length > 0) break;
    shown.push(entry);
  }
  return shown;
}

/** The same answer with its long texts cut to fewer and fewer characters, until there is room for it. */
export function fitTexts<Answer extends object>(answer: Answer, cutTo: (limit: number) => Answer): Answer {
  let fitting = answer;
  for (let limit = MAX_TEXT_CHARACTERS; size(fitting) > MAX_CHARACTERS && limit >= MIN_TEXT_CHARACTERS; limit /= 2) {
    fitting = cutTo(limit);
  }
  return fitting;
}

/** Remarks, each bounded; how many are left out is the last one. */
export function fitRemarks(remarks: readonly string[]): string[] {
  const shown = remarks.slice(0, MAX_REMARKS).map((remark) => clipped(remark, MAX_REMARK_CHARACTERS));
  return remarks.length > MAX_REMARKS ? [...shown, `and ${remarks.length - MAX_REMARKS} more remarks`] : shown;
}
