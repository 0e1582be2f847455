/**
 * Reads JSON from another machine with a limit on its size and nesting, because recursive code overflows the stack on
 * deep values. Used for requests (`responses.ts`) and for answers of a team's server (`team/client/remote.ts`).
 */

/** Room for a pasted line of 10 MB with JSON escapes. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Params and results nest less than 20 levels. */
export const MAX_JSON_DEPTH = 64;

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/** Stops reading and resolves to undefined above `MAX_BODY_BYTES`. Rejects when the stream breaks off. */
export async function readBounded(stream: AsyncIterable<Uint8Array>): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Throws a `SyntaxError` for text that is not JSON or nests deeper than `MAX_JSON_DEPTH`. */
export function parseJson(bytes: Buffer): unknown {
  if (isNestedDeeper(bytes, MAX_JSON_DEPTH)) throw new SyntaxError('it is nested too deep');
  return JSON.parse(bytes.toString('utf8'));
}

/** Checked before parsing, because a parsed tree of millions of levels takes gigabytes. */
function isNestedDeeper(bytes: Buffer, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfText(bytes, at + 1);
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

/** The index of the closing quote, or the length of the bytes when the text does not end. */
function endOfText(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
