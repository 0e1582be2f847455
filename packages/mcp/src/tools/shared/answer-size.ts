/**
 * Limits the size of an answer over MCP, because an agent reads all of it. Whole entries are omitted, and the answer
 * has their number. Resources and the command line have no limit, because their readers request the whole content.
 */

import { clip, mapStringsDeep } from '../../text/untrusted-text.ts';

/** 6,000 tokens of four characters each, minus the envelope. */
const MAX_ANSWER_CHARACTERS = 23_800;

/** Limits of the remarks in an answer. */
const MAX_REMARKS = 20;
const MAX_REMARK_CHARACTERS = 400;

/** The first and the last limit for the length of texts. Each limit that is tried is half of the previous limit. */
const MAX_TEXT_CHARACTERS = 8_192;
const MIN_TEXT_CHARACTERS = 64;

/**
 * Limits of `fitAnswer`, which shortens the answer of any tool. It first shortens texts, but not below this length,
 * which keeps a path complete. If the answer is still too long, it shortens lists to these lengths.
 */
const MIN_ANY_TEXT_CHARACTERS = 512;
const LIST_LIMITS = [40, 20, 10, 5];

/** Fields with the next step for an agent. They are never shortened. */
interface Guidance {
  next_action?: unknown;
  warnings?: string[];
}

const SHORTENED_WARNING = 'This answer was too long, so its longest texts and lists were cut.';

function countCharacters(answer: object): number {
  return JSON.stringify(answer).length;
}

/** Keeps the entries of a page that fit into the answer, at least one. */
export function fitPage<Entry, Answer extends { hasMore: boolean }>(
  answer: Answer,
  entries: readonly Entry[],
  withEntries: (entries: Entry[], hasMore: boolean) => Answer,
): Answer {
  const shown = fitList(entries, (some) => withEntries([...some], true));
  return withEntries(shown, answer.hasMore || shown.length < entries.length);
}

/** Returns the first entries that fit into the answer. `createAnswer` creates the answer for some entries. */
export function fitList<Entry>(
  entries: readonly Entry[],
  createAnswer: (entries: readonly Entry[]) => object,
): Entry[] {
  let remaining = MAX_ANSWER_CHARACTERS - countCharacters(createAnswer([]));
  const shown: Entry[] = [];
  for (const entry of entries) {
    remaining -= JSON.stringify(entry).length + 1;
    if (remaining < 0 && shown.length > 0) break;
    shown.push(entry);
  }
  return shown;
}

/** Shortens long texts. Halves the limit until the answer fits. */
export function fitTexts<Answer extends object>(answer: Answer, shortenTo: (limit: number) => Answer): Answer {
  let shortened = answer;
  for (
    let limit = MAX_TEXT_CHARACTERS;
    countCharacters(shortened) > MAX_ANSWER_CHARACTERS && limit >= MIN_TEXT_CHARACTERS;
    limit /= 2
  ) {
    shortened = shortenTo(limit);
  }
  return shortened;
}

/** Shortens any answer to a size that an agent can read. Returns a short answer unchanged. */
export function fitAnswer<Given extends object>(given: Given): Given {
  if (countCharacters(given) <= MAX_ANSWER_CHARACTERS) return given;
  const { next_action, warnings }: Guidance = given;
  const restoreGuidance = (answer: Given): Given => ({
    ...answer,
    ...(next_action === undefined ? {} : { next_action }),
    // The schema of an answer may have no `warnings`. In that case only the shortened texts show that something is
    // missing.
    ...(warnings === undefined ? {} : { warnings: [SHORTENED_WARNING, ...fitRemarks(warnings)] }),
  });
  const shortenTexts = (limit: number) => restoreGuidance(mapStringsDeep(given, (text) => clip(text, limit)));
  let shortened = given;
  for (
    let limit = MAX_TEXT_CHARACTERS;
    countCharacters(shortened) > MAX_ANSWER_CHARACTERS && limit >= MIN_ANY_TEXT_CHARACTERS;
    limit /= 2
  ) {
    shortened = shortenTexts(limit);
  }
  for (const entries of LIST_LIMITS) {
    if (countCharacters(shortened) <= MAX_ANSWER_CHARACTERS) break;
    shortened = restoreGuidance(limitLists(shortened, entries));
  }
  return shortened;
}

/** Keeps the first entries of each list. */
function limitLists<T>(value: T, entries: number): T;
function limitLists(value: unknown, entries: number): unknown {
  if (Array.isArray(value)) return value.slice(0, entries).map((item: unknown) => limitLists(item, entries));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, limitLists(item, entries)]));
}

/** Limits the number and the length of remarks. The last remark names the number of omitted remarks. */
export function fitRemarks(remarks: readonly string[]): string[] {
  const shown = remarks.slice(0, MAX_REMARKS).map((remark) => clip(remark, MAX_REMARK_CHARACTERS));
  return remarks.length > MAX_REMARKS ? [...shown, `and ${remarks.length - MAX_REMARKS} more notes`] : shown;
}
