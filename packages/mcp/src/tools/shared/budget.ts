/**
 * How much an answer over MCP may say: an agent reads every word of it. Whole entries are left out, and that they are
 * is said. Resources, which are read on purpose, and the command line have no such limit.
 */

import { clipped, mapTexts } from '../../text/untrusted.ts';

/** 6,000 tokens at four characters each, less the envelope. */
const MAX_CHARACTERS = 23_800;

/** What an answer remarks, and how long each remark may be. */
const MAX_REMARKS = 20;
const MAX_REMARK_CHARACTERS = 400;

/** Where texts are cut: from so many characters down to so many. */
const MAX_TEXT_CHARACTERS = 8_192;
const MIN_TEXT_CHARACTERS = 64;

/** Any answer: what its texts are cut down to, a path still whole, before its lists are cut; and to how many entries. */
const MIN_ANY_TEXT_CHARACTERS = 512;
const LIST_ENTRIES = [40, 20, 10, 5];

/** What may tell an agent what to do next, which is said whole. */
interface Guidance {
  next_action?: unknown;
  warnings?: string[];
}

const CUT = 'This answer was too long: its longest texts and lists are cut.';

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

/** Any answer in what an agent can read; one that is short enough stays as it is. */
export function fitAnswer<Given extends object>(given: Given): Given {
  if (size(given) <= MAX_CHARACTERS) return given;
  const { next_action, warnings }: Guidance = given;
  const whole = (answer: Given): Given => ({
    ...answer,
    ...(next_action === undefined ? {} : { next_action }),
    // An answer that has none may have no room for them in its schema; each text says that it was cut.
    ...(warnings === undefined ? {} : { warnings: [CUT, ...fitRemarks(warnings)] }),
  });
  const withTexts = (limit: number) => whole(mapTexts(given, (text) => clipped(text, limit)));
  let fitting = given;
  for (
    let limit = MAX_TEXT_CHARACTERS;
    size(fitting) > MAX_CHARACTERS && limit >= MIN_ANY_TEXT_CHARACTERS;
    limit /= 2
  ) {
    fitting = withTexts(limit);
  }
  for (const entries of LIST_ENTRIES) {
    if (size(fitting) <= MAX_CHARACTERS) break;
    fitting = whole(firstOfLists(fitting, entries));
  }
  return fitting;
}

/** The first entries of each list. */
function firstOfLists<T>(value: T, entries: number): T;
function firstOfLists(value: unknown, entries: number): unknown {
  if (Array.isArray(value)) return value.slice(0, entries).map((item: unknown) => firstOfLists(item, entries));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, firstOfLists(item, entries)]));
}

/** Remarks, each bounded; how many are left out is the last one. */
export function fitRemarks(remarks: readonly string[]): string[] {
  const shown = remarks.slice(0, MAX_REMARKS).map((remark) => clipped(remark, MAX_REMARK_CHARACTERS));
  return remarks.length > MAX_REMARKS ? [...shown, `and ${remarks.length - MAX_REMARKS} more remarks`] : shown;
}
