/**
 * Reads requests and writes responses of the viewer's server and the team's server: JSON with limits, common headers,
 * and errors.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { toErrorBody } from '../answer.ts';

const COMMON_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** A request that was rejected before the engine was called. */
export class RejectedRequest extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function sendHead(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { ...COMMON_HEADERS, ...headers });
}

export function sendBytes(response: ServerResponse, type: string, bytes: string | Uint8Array, policy?: string): void {
  sendHead(response, 200, {
    'Content-Type': type,
    'Content-Length': String(Buffer.byteLength(bytes)),
    ...(policy === undefined ? {} : { 'Content-Security-Policy': policy }),
  });
  response.end(bytes);
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    // Close the connection, because the unread rest of the body would otherwise be parsed as the next request.
    ...(status === 413 ? { Connection: 'close' } : {}),
  };
  sendHead(response, status, headers);
  response.end(JSON.stringify(value));
}

/** Sends `{"error": {"code", "message"}}`. `toBody` converts errors other than `RejectedRequest`. */
export async function sendError(response: ServerResponse, thrown: unknown, toBody = toErrorBody): Promise<void> {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (thrown instanceof RejectedRequest) {
    sendJson(response, thrown.status, { error: { code: thrown.code, message: thrown.message } });
    return;
  }
  const error = await toBody(thrown);
  sendJson(response, toHttpStatus(error.code), { error });
}

function toHttpStatus(code: string): number {
  if (code.endsWith('_NOT_FOUND')) return 404;
  if (code === 'DATABASE_LOCKED') return 503;
  return code === 'INTERNAL_ERROR' || code.startsWith('DATABASE_') ? 500 : 400;
}

/** Reads the body of a request as JSON. Throws `RejectedRequest` with status 400, 413 or 415. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\s*(?:;|$)/u.test(type))
    throw new RejectedRequest(415, 'INVALID_INPUT', 'Send application/json.');
  const bytes = await readBody(request);
  if (bytes === undefined) {
    throw new RejectedRequest(
      413,
      'INVALID_INPUT',
      `The body is larger than ${MAX_BODY_BYTES} bytes. Shorten the text.`,
    );
  }
  try {
    return parseJson(bytes);
  } catch {
    throw new RejectedRequest(
      400,
      'INVALID_INPUT',
      `The body is not JSON, or nests deeper than ${MAX_JSON_DEPTH} levels.`,
    );
  }
}

/*
 * Reads JSON from another machine with limits for its size and nesting, because recursive code overflows the stack on
 * deeply nested values. Used for requests, and for answers of a team's server (`team/client/remote.ts`).
 */

/** Enough for a pasted text of 10 MB with JSON escapes. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Parameters and results are nested less than 20 levels deep. */
const MAX_JSON_DEPTH = 64;

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/** Reads a body. Returns undefined if it is larger than `MAX_BODY_BYTES`. Rejects if the stream breaks off. */
export async function readBody(stream: AsyncIterable<Uint8Array>): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Throws a `SyntaxError` for a text that is not JSON or is nested deeper than `MAX_JSON_DEPTH`. */
export function parseJson(bytes: Buffer): unknown {
  if (isNestedDeeperThan(bytes, MAX_JSON_DEPTH)) throw new SyntaxError('it is nested too deeply');
  return JSON.parse(bytes.toString('utf8'));
}

/** Checked before parsing, because a parsed value with millions of levels takes gigabytes. */
function isNestedDeeperThan(bytes: Buffer, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = findStringEnd(bytes, at + 1);
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

/** Returns the index of the closing quote, or the length of the bytes if the string has no end. */
function findStringEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
