/**
 * Tokens: `argus_ID_SECRET`. The server keeps the id and a SHA-256 of the secret, which has 256 random bits, so that
 * nothing slower is needed.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const ID_BYTES = 6;
const SECRET_BYTES = 32;

const TOKEN = /^argus_([0-9a-f]{12})_([\w-]{43})$/u;

/** A new token, and what is kept of it. */
export interface NewToken {
  token: string;
  id: string;
  digest: string;
}

export function newToken(): NewToken {
  const id = randomBytes(ID_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { token: `argus_${id}_${secret}`, id, digest: digestOf(secret).toString('hex') };
}

/** Undefined: it is none. */
export function partsOf(token: string): { id: string; secret: string } | undefined {
  const [, id, secret] = TOKEN.exec(token) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Takes as long for a wrong secret as for the right one. */
export function isSecretOf(secret: string, digest: string): boolean {
  const known = Buffer.from(digest, 'hex');
  const given = digestOf(secret);
  return known.length === given.length && timingSafeEqual(known, given);
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
