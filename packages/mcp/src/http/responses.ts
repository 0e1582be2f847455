/** Responses of the viewer's server and the team's server: common headers, JSON and errors. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { toErrorBody } from '../answer.ts';
import { MAX_BODY_BYTES, MAX_JSON_DEPTH, parseJson, readBounded } from './json-body.ts';

const HEADERS = {
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

/** A request that was refused before it reached the engine. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function sendHead(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { ...HEADERS, ...headers });
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
    // Otherwise the unread rest of the body would be parsed as the next request.
    ...(status === 413 ? { Connection: 'close' } : {}),
  };
  sendHead(response, status, headers);
  response.end(JSON.stringify(value));
}

/** Sends `{"error": {"code", "message"}}`. `toBody` converts errors other than `Refused`. */
export async function sendError(response: ServerResponse, thrown: unknown, toBody = toErrorBody): Promise<void> {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (thrown instanceof Refused) {
    sendJson(response, thrown.status, { error: { code: thrown.code, message: thrown.message } });
    return;
  }
  const error = await toBody(thrown);
  sendJson(response, statusOf(error.code), { error });
}

function statusOf(code: string): number {
  if (code.endsWith('_NOT_FOUND')) return 404;
  if (code === 'DATABASE_LOCKED') return 503;
  return code === 'INTERNAL_ERROR' || code.startsWith('DATABASE_') ? 500 : 400;
}

/** Reads the body of a request as JSON. Throws `Refused` (400, 413 or 415). */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\s*(?:;|$)/u.test(type)) throw new Refused(415, 'INVALID_INPUT', 'Send application/json.');
  const bytes = await readBounded(request);
  if (bytes === undefined) {
    throw new Refused(413, 'INVALID_INPUT', `At most ${MAX_BODY_BYTES} bytes are taken; shorten the text.`);
  }
  try {
    return parseJson(bytes);
  } catch {
    throw new Refused(400, 'INVALID_INPUT', `The body is no JSON, or nests deeper than ${MAX_JSON_DEPTH} levels.`);
  }
}
