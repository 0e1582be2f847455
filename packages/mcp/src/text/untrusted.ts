/**
 * Recorded texts come from programs under test: data, never instructions, and never shown raw. Secrets are gone by
 * then: the engine redacts before storing.
 */

/** Escape sequences of terminals: CSI, OSC and other strings, character sets, two-byte ones, and a lone ESC. */
const TERMINAL_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
  /\u001b(?:\[[ -?]{0,253}[@-~]?|[\]PX^_](?:(?:[^\u0007\n\u001b]|\u001b(?!\\)){0,252}(?:\u0007|\u001b\\))?|[()*+#% ][!-~]|[0-~])?/gu;

/**
 * What no reader can see but a model reads: controls (but tab and newline), fillers, bidirectional overrides, zero-width
 * characters, variation selectors, private use, and the tag block that can spell hidden words.
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
  /\u034f|[\u17b4-\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0e]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ue000-\uf8ff\ufeff\uffa0\ufff0-\ufffb]|[\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}]/gu;

/** Makes one of two emoji: a technician of a woman and a laptop. */
const JOINER = '\u200d';
/** Shows the character before it as an emoji. */
const SELECTOR = '\ufe0f';
/** Encloses the digit before it. */
const KEYCAP = '\u20e3';

/** The blocks of Unicode that hold emoji, and the few that stand elsewhere. */
const EMOJI =
  /^[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299\u{1f000}-\u{1faff}]/u;

/** The text as a person would see it, by the engine's own rule; both are held to `tests/vectors/visible.jsonl`. */
export function visible(text: string): string {
  const lines = text.replaceAll(TERMINAL_SEQUENCES, '').replaceAll(/\r\n?/gu, '\n');
  const seen = lines.replaceAll(INVISIBLE, '');
  return (seen.includes(JOINER) || seen.includes(SELECTOR) ? joined(seen) : seen).toWellFormed();
}

/**
 * Joiners stay between two emoji and selectors behind one, where a reader sees what they do; anywhere else they show
 * nothing and may spell hidden bits.
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

/** The same for every string in a value made of plain data, names too. */
export function visibleDeep<T>(value: T): T {
  return mapTexts(value, visible);
}

/** Every string in a value made of plain data, names too, made anew. */
export function mapTexts<T>(value: T, text: (text: string) => string): T;
export function mapTexts(value: unknown, text: (text: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, text));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), mapTexts(item, text)]));
}

/** Long enough for any path that people have. */
const MAX_SHORT_LINE_CHARACTERS = 500;

/** What somebody sent, in a message: one short line. */
export function shortLine(text: string): string {
  return clipped(visible(text).replaceAll(/\s+/gu, ' ').trim(), MAX_SHORT_LINE_CHARACTERS);
}

const MAX_QUOTED_CHARACTERS = 300;

/** Quotes a text of another program inside a sentence: one short line in quotation marks that the text cannot close. */
export function quotedLine(text: string): string {
  return `“${clipped(shortLine(text).replaceAll(/[“”]/gu, '"'), MAX_QUOTED_CHARACTERS)}”`;
}

/** The beginning of a long text, with what is missing said, and where it is. */
export function clipped(text: string, limit: number, where = ''): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).toWellFormed()}… (${text.length - limit} more characters${where})`;
}
