/**
 * Tokens have the form `argus_ID_SECRET`. The server stores the id and a SHA-256 of the secret. A slow password hash is
 * not needed, because the secret has 256 random bits.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const ID_BYTES = 6;
const SECRET_BYTES = 32;

const TOKEN = /^argus_([0-9a-f]{12})_([\w-]{43})$/u;

/** A new token, and the parts that are stored. */
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

/** Undefined if the text is not a token. */
export function partsOf(token: string): { id: string; secret: string } | undefined {
  const [, id, secret] = TOKEN.exec(token) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Compares in constant time, so that the duration does not reveal the secret. */
export function isSecretOf(secret: string, digest: string): boolean {
  const known = Buffer.from(digest, 'hex');
  const given = digestOf(secret);
  return known.length === given.length && timingSafeEqual(known, given);
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
