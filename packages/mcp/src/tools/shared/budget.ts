/**
 * Limits the size of an answer over MCP, because an agent reads every word of it. Whole entries are left out, and the
 * answer has their number. Resources and the command line have no limit, because they are read on purpose.
 */

import { clipped, mapTexts } from '../../text/untrusted.ts';

/** 6,000 tokens at four characters each, less the envelope. */
const MAX_CHARACTERS = 23_800;

/** The limits of remarks in an answer. */
const MAX_REMARKS = 20;
const MAX_REMARK_CHARACTERS = 400;

/** The first and the last limit that texts are cut to, in steps of a half. */
const MAX_TEXT_CHARACTERS = 8_192;
const MIN_TEXT_CHARACTERS = 64;

/**
 * For any answer: texts are cut down to this limit, which keeps a path whole, before lists are cut to these lengths.
 */
const MIN_ANY_TEXT_CHARACTERS = 512;
const LIST_ENTRIES = [40, 20, 10, 5];

/** Fields with the next step for an agent. They are never cut. */
interface Guidance {
  next_action?: unknown;
  warnings?: string[];
}

const CUT = 'This answer was too long: its longest texts and lists are cut.';

function size(answer: object): number {
  return JSON.stringify(answer).length;
}

/** Keeps the entries of a page that fit, at least one. */
export function fitPage<Entry, Answer extends { hasMore: boolean }>(
  answer: Answer,
  entries: readonly Entry[],
  withEntries: (entries: Entry[], hasMore: boolean) => Answer,
): Answer {
  const shown = fitList(entries, (some) => withEntries([...some], true));
  return withEntries(shown, answer.hasMore || shown.length < entries.length);
}

/** The first entries that fit. `around` builds the answer with them. */
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

/** Cuts long texts to a limit that is halved until the answer fits. */
export function fitTexts<Answer extends object>(answer: Answer, cutTo: (limit: number) => Answer): Answer {
  let fitting = answer;
  for (let limit = MAX_TEXT_CHARACTERS; size(fitting) > MAX_CHARACTERS && limit >= MIN_TEXT_CHARACTERS; limit /= 2) {
    fitting = cutTo(limit);
  }
  return fitting;
}

/** Shortens any answer to a size that an agent can read. Returns a short answer unchanged. */
export function fitAnswer<Given extends object>(given: Given): Given {
  if (size(given) <= MAX_CHARACTERS) return given;
  const { next_action, warnings }: Guidance = given;
  const whole = (answer: Given): Given => ({
    ...answer,
    ...(next_action === undefined ? {} : { next_action }),
    // The schema of an answer may have no `warnings`. Each cut text has a mark in that case.
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

/** Keeps the first entries of each list. */
function firstOfLists<T>(value: T, entries: number): T;
function firstOfLists(value: unknown, entries: number): unknown {
  if (Array.isArray(value)) return value.slice(0, entries).map((item: unknown) => firstOfLists(item, entries));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, firstOfLists(item, entries)]));
}

/** Limits the number and the length of remarks. The last remark tells how many are left out. */
export function fitRemarks(remarks: readonly string[]): string[] {
  const shown = remarks.slice(0, MAX_REMARKS).map((remark) => clipped(remark, MAX_REMARK_CHARACTERS));
  return remarks.length > MAX_REMARKS ? [...shown, `and ${remarks.length - MAX_REMARKS} more remarks`] : shown;
}
