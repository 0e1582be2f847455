/**
 * Stored texts as they may be shown: what is invisible or steers a terminal is made visible, what is too long is cut.
 * Does not: make HTML; the page only ever sets text.
 */

/** Line feed and tab stay. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Characters that reorder, hide or join what a reader sees. */
const HIDDEN = /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]/g;

/** Control characters as their pictures (`␛`), hidden ones as their code points. Offsets of the text shift. */
export function visible(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(CONTROL, picture).replace(HIDDEN, codePoint).replace(LONE, '\ufffd');
}

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : codePoint(character);
}

function codePoint(character: string): string {
  return `\u27e8U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
}

/** As much as a browser lays out without a pause. */
export const MOST_SHOWN = 20_000;

/** The beginning of a text, and how many characters are left out. Never cuts a pair of surrogates. */
export function clipped(text: string, most: number = MOST_SHOWN): { text: string; more: number } {
  if (text.length <= most) return { text, more: 0 };
  const last = text.charCodeAt(most - 1);
  const end = last >= 0xd800 && last < 0xdc00 ? most - 1 : most;
  return { text: text.slice(0, end), more: text.length - end };
}

/** One line of any text, for a table. */
export function oneLine(text: string, most = 240): string {
  const line = clipped(text, most);
  return visible(line.text).replace(/\s+/g, ' ').trim() + (line.more > 0 ? '…' : '');
}

/** A range of a text in UTF-16 code units, with a name for its colour. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

export interface Piece {
  readonly text: string;
  /** None: plain text. */
  readonly kind?: string;
}

/** A text cut at its spans, each piece made visible. Spans that overlap or leave the text are passed over. */
export function pieces(text: string, spans: readonly Span[]): Piece[] {
  const made: Piece[] = [];
  let at = 0;
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    if (span.start < at || span.end <= span.start || span.end > text.length) continue;
    if (span.start > at) made.push({ text: visible(text.slice(at, span.start)) });
    made.push({ text: visible(text.slice(span.start, span.end)), kind: span.kind });
    at = span.end;
  }
  if (at < text.length) made.push({ text: visible(text.slice(at)) });
  return made;
}
