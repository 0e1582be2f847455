/**
 * Cleans texts from programs under test. They are data, never instructions, and are never shown unchanged. They contain
 * no secrets, because the engine redacts texts before it stores them.
 */

/** Terminal escape sequences: CSI, OSC and other strings, character sets, two-byte sequences, and a single ESC. */
const TERMINAL_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
  /\u001b(?:\[[ -?]{0,253}[@-~]?|[\]PX^_](?:(?:[^\u0007\n\u001b]|\u001b(?!\\)){0,252}(?:\u0007|\u001b\\))?|[()*+#% ][!-~]|[0-~])?/gu;

/**
 * Characters that a model reads but a person cannot see: control characters except tab and newline, fillers,
 * bidirectional overrides, zero-width characters, variation selectors, private use, and tag characters, which can
 * contain hidden words.
 */
const INVISIBLE_CHARACTERS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
  /\u034f|[\u17b4-\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0e]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ue000-\uf8ff\ufeff\uffa0\ufff0-\ufffb]|[\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}]/gu;

/** Joins several emoji to one: a woman and a laptop become a technician. */
const ZERO_WIDTH_JOINER = '\u200d';
/** Shows the character before it as an emoji. */
const EMOJI_SELECTOR = '\ufe0f';
/** Encloses the digit before it. */
const KEYCAP = '\u20e3';

/** The Unicode blocks with emoji, and emoji outside these blocks. */
const EMOJI =
  /^[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299\u{1f000}-\u{1faff}]/u;

/** Returns the text that a person sees. The engine uses the same rule. `tests/vectors/visible.jsonl` checks both. */
export function removeInvisibleCharacters(text: string): string {
  const lines = text.replaceAll(TERMINAL_SEQUENCES, '').replaceAll(/\r\n?/gu, '\n');
  const cleaned = lines.replaceAll(INVISIBLE_CHARACTERS, '');
  return (
    cleaned.includes(ZERO_WIDTH_JOINER) || cleaned.includes(EMOJI_SELECTOR) ? removeInvisibleJoiners(cleaned) : cleaned
  ).toWellFormed();
}

/**
 * Keeps joiners between two emoji and selectors after an emoji, because they have a visible effect. Other joiners and
 * selectors are invisible and may encode hidden data.
 */
function removeInvisibleJoiners(text: string): string {
  const characters = [...text];
  const kept: string[] = [];
  for (const [index, character] of characters.entries()) {
    const before = kept.at(-1) ?? '';
    if (character === EMOJI_SELECTOR || character === ZERO_WIDTH_JOINER) {
      if (!hasVisibleEffect(before, character, characters[index + 1] ?? '')) continue;
    }
    kept.push(character);
  }
  return kept.join('');
}

function hasVisibleEffect(before: string, mark: string, next: string): boolean {
  if (mark === EMOJI_SELECTOR) return EMOJI.test(before) || (/^[\d#*]$/u.test(before) && next === KEYCAP);
  return (before === EMOJI_SELECTOR || EMOJI.test(before)) && EMOJI.test(next);
}

/** Like `removeInvisible`, for every string and key in plain data. */
export function removeInvisibleDeep<T>(value: T): T {
  return mapStringsDeep(value, removeInvisibleCharacters);
}

/**
 * Matches names of fields, which the redaction patterns of a project must not change. Keys with digits do not match,
 * because they may be secrets.
 */
const FIELD_NAME = /^[a-z][A-Za-z_]{0,30}$/u;

/** Returns a copy of plain data. Converts every string and every key except the names of fields. */
export function mapStringsDeep<T>(value: T, convert: (text: string) => string): T;
export function mapStringsDeep(value: unknown, convert: (text: string) => string): unknown {
  if (typeof value === 'string') return convert(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapStringsDeep(item, convert));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, item]) => [
    FIELD_NAME.test(key) ? key : convert(key),
    mapStringsDeep(item, convert),
  ]);
  return Object.fromEntries(entries);
}

/** Longer than any real path. */
const MAX_SHORT_LINE_CHARACTERS = 500;

/** Shortens an untrusted text to one line for a message. */
export function toShortLine(text: string): string {
  return clip(removeInvisibleCharacters(text).replaceAll(/\s+/gu, ' ').trim(), MAX_SHORT_LINE_CHARACTERS);
}

const MAX_QUOTED_CHARACTERS = 300;

/**
 * Quotes a text of another program in a sentence: one short line in quotation marks. The text cannot end the quotation.
 */
export function quoteLine(text: string): string {
  return `“${clip(toShortLine(text).replaceAll(/[“”]/gu, '"'), MAX_QUOTED_CHARACTERS)}”`;
}

/** Keeps the beginning of a long text. Adds the number of missing characters and where the whole text is. */
export function clip(text: string, limit: number, where = ''): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).toWellFormed()}… (${text.length - limit} more characters${where})`;
}

/** Joins the lines of a text. Another function must remove the invisible characters. */
export function toSingleLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}
