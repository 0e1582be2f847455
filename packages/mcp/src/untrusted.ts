/**
 * Recorded texts come from programs under test: data, never instructions, and never shown raw.
 * Does not: redact secrets; the engine did that before storing.
 */

/** Escape sequences of terminals: CSI, OSC and the two-byte ones. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
const TERMINAL_SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/gu;

/**
 * What no reader can see but a model reads: controls (but tab and newline), bidirectional overrides, zero-width
 * characters, and the tag block that can spell hidden words.
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Variation selectors can carry hidden bytes; the last of the first block makes a character an emoji and stays. */
const SELECTORS = /\p{Variation_Selector}/gu;
const EMOJI_SELECTOR = '\ufe0f';

/** The zero-width joiner stays between two emoji, where it is part of one. */
const LOOSE_JOINER = /(?<!\p{Extended_Pictographic}\ufe0f?)\u200d|\u200d(?!\p{Extended_Pictographic})/gu;

/** The text as a person would see it. */
export function visible(text: string): string {
  const lines = text.replaceAll('\r\n', '\n');
  return lines
    .replaceAll(TERMINAL_SEQUENCES, '')
    .replaceAll(INVISIBLE, '')
    .replaceAll(SELECTORS, (selector) => (selector === EMOJI_SELECTOR ? selector : ''))
    .replaceAll(LOOSE_JOINER, '')
    .toWellFormed();
}

/** The same for every string in a value made of plain data, names too. */
export function visibleDeep<T>(value: T): T;
export function visibleDeep(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value)) return value.map((item: unknown) => visibleDeep(item));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [visible(key), visibleDeep(item)]));
}

/** The beginning of a long text, with what is missing said. */
export function clipped(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).toWellFormed()}… (${text.length - limit} more characters)`;
}
