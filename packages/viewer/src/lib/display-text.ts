/**
 * Prepares stored texts for display: shows invisible and control characters as names and shortens long texts. It
 * creates no HTML, because the page inserts only text.
 */

/** Control characters except line feed and tab. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Names of well-known control characters. */
const CONTROL_CHARACTER_NAMES: Readonly<Record<string, string>> = {
  '\u0000': 'NUL',
  '\u0007': 'BEL',
  '\b': 'BS',
  '\v': 'VT',
  '\f': 'FF',
  '\u001b': 'ESC',
  '\u007f': 'DEL',
};
/**
 * Characters that reorder, hide or join visible text, or that spell hidden words: fillers, bidirectional marks,
 * zero-width characters, selectors, the tag block. Joiners and selectors that form an emoji are allowed.
 */
const HIDDEN_CHARACTERS = new RegExp(
  [
    '[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200c\\u200e\\u200f\\u2028-\\u202e]',
    '[\\u2060-\\u206f\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0\\ufff0-\\ufffb]',
    '[\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]',
    '(?<![\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d',
    '(?<![\\p{Extended_Pictographic}\\d#*])\\ufe0f',
  ].join('|'),
  'gu',
);

/** Shows control characters by name (`⟨ESC⟩`) and hidden characters by code point. This shifts offsets in the text. */
export function showInvisible(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(CONTROL_CHARACTERS, nameCharacter)
    .replace(HIDDEN_CHARACTERS, nameCharacter)
    .toWellFormed();
}

function nameCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `\u27e8${CONTROL_CHARACTER_NAMES[character] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`}\u27e9`;
}

/** Number of characters that a browser lays out without a noticeable pause. */
export const MAX_SHOWN_CHARACTERS = 20_000;

/** Returns the beginning of a text and the number of omitted characters. Never splits a surrogate pair. */
export function clipText(text: string, most: number = MAX_SHOWN_CHARACTERS): { text: string; more: number } {
  if (text.length <= most) return { text, more: 0 };
  const last = text.charCodeAt(most - 1);
  const end = last >= 0xd800 && last < 0xdc00 ? most - 1 : most;
  return { text: text.slice(0, end), more: text.length - end };
}

/** Shortens any text to one line for a table. */
export function toOneLine(text: string, most = 240): string {
  const line = clipText(text, most);
  return showInvisible(line.text).replace(/\s+/g, ' ').trim() + (line.more > 0 ? '…' : '');
}

/** A range of a text in UTF-16 code units. `kind` determines its color. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

export interface TextPiece {
  readonly text: string;
  /** Undefined for plain text. */
  readonly kind?: string;
}

/**
 * Splits a text at its spans and shows invisible characters in each piece. Ignores spans that overlap or that exceed
 * the text.
 */
export function splitAtSpans(text: string, spans: readonly Span[]): TextPiece[] {
  const made: TextPiece[] = [];
  let at = 0;
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    if (span.start < at || span.end <= span.start || span.end > text.length) continue;
    if (span.start > at) made.push({ text: showInvisible(text.slice(at, span.start)) });
    made.push({ text: showInvisible(text.slice(span.start, span.end)), kind: span.kind });
    at = span.end;
  }
  if (at < text.length) made.push({ text: showInvisible(text.slice(at)) });
  return made;
}
