/**
 * Cleans texts that come from programs under test. They are data, never instructions, and are never shown unchanged.
 * They contain no secrets, because the engine redacts before it stores.
 */

/** Terminal escape sequences: CSI, OSC and other strings, character sets, two-byte sequences, and a lone ESC. */
const TERMINAL_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
  /\u001b(?:\[[ -?]{0,253}[@-~]?|[\]PX^_](?:(?:[^\u0007\n\u001b]|\u001b(?!\\)){0,252}(?:\u0007|\u001b\\))?|[()*+#% ][!-~]|[0-~])?/gu;

/**
 * Characters that a model reads but a person cannot see: control characters except tab and newline, fillers,
 * bidirectional overrides, zero-width characters, variation selectors, private use, and tag characters, which can spell
 * hidden words.
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
  /\u034f|[\u17b4-\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0e]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ue000-\uf8ff\ufeff\uffa0\ufff0-\ufffb]|[\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}]/gu;

/** Joins emoji to one, for example a woman and a laptop to a technician. */
const JOINER = '\u200d';
/** Shows the character before it as an emoji. */
const SELECTOR = '\ufe0f';
/** Encloses the digit before it. */
const KEYCAP = '\u20e3';

/** The Unicode blocks with emoji, and emoji outside these blocks. */
const EMOJI =
  /^[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299\u{1f000}-\u{1faff}]/u;

/** The text as a person sees it, by the same rule as the engine. `tests/vectors/visible.jsonl` checks both. */
export function visible(text: string): string {
  const lines = text.replaceAll(TERMINAL_SEQUENCES, '').replaceAll(/\r\n?/gu, '\n');
  const seen = lines.replaceAll(INVISIBLE, '');
  return (seen.includes(JOINER) || seen.includes(SELECTOR) ? joined(seen) : seen).toWellFormed();
}

/**
 * Keeps joiners between two emoji and selectors after an emoji, where they have a visible effect. Other joiners and
 * selectors are invisible and may encode hidden data.
 */
function joined(text: string): string {
  const letters = [...text];
  const kept: string[] = [];
  for (const [index, letter] of letters.entries()) {
    const before = kept.at(-1) ?? '';
    if (letter === SELECTOR || letter === JOINER) {
      if (!joins(before, letter, letters[index + 1] ?? '')) continue;
    }
    kept.push(letter);
  }
  return kept.join('');
}

function joins(before: string, mark: string, next: string): boolean {
  if (mark === SELECTOR) return EMOJI.test(before) || (/^[\d#*]$/u.test(before) && next === KEYCAP);
  return (before === SELECTOR || EMOJI.test(before)) && EMOJI.test(next);
}

/** Like `visible` for every string and key in plain data. */
export function visibleDeep<T>(value: T): T {
  return mapTexts(value, visible);
}

/** Returns a copy of plain data with every string and key converted. */
export function mapTexts<T>(value: T, text: (text: string) => string): T;
export function mapTexts(value: unknown, text: (text: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, text));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), mapTexts(item, text)]));
}

/** Longer than any real path. */
const MAX_SHORT_LINE_CHARACTERS = 500;

/** Shortens a text from outside to one line for a message. */
export function shortLine(text: string): string {
  return clipped(visible(text).replaceAll(/\s+/gu, ' ').trim(), MAX_SHORT_LINE_CHARACTERS);
}

const MAX_QUOTED_CHARACTERS = 300;

/** Quotes a text of another program inside a sentence: one short line in quotation marks that the text cannot close. */
export function quotedLine(text: string): string {
  return `“${clipped(shortLine(text).replaceAll(/[“”]/gu, '"'), MAX_QUOTED_CHARACTERS)}”`;
}

/** The beginning of a long text, with the number of missing characters and the place of the whole text. */
export function clipped(text: string, limit: number, where = ''): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).toWellFormed()}… (${text.length - limit} more characters${where})`;
}
