/**
 * Proves that a file was written by this user on this machine: an HMAC-SHA256 with a key in the user's data folder. The
 * files themselves are not encrypted.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { systemCodeOf } from '../errors.ts';
import { readBytes } from '../system/files/read.ts';
import { createWholeFile } from '../system/files/whole-file.ts';

const KEY_BYTES = 32;

export class Seal {
  readonly #folder: () => Promise<string>;
  #key: Promise<Buffer> | undefined;

  /** `folder` returns the folder of the key. A repository must not be able to supply this folder. */
  constructor(folder: () => Promise<string>) {
    this.#folder = folder;
  }

  /** The HMAC of a text as 64 hex digits. */
  async of(text: string): Promise<string> {
    this.#key ??= this.#folder().then(keyIn);
    // The next call tries again, because a person can make the folder writable or delete a damaged key.
    this.#key.catch(() => {
      this.#key = undefined;
    });
    return createHmac('sha256', await this.#key)
      .update(text)
      .digest('hex');
  }

  async isOf(text: string, seal: string): Promise<boolean> {
    const own = Buffer.from(await this.of(text), 'hex');
    const given = Buffer.from(seal, 'hex');
    return own.length === given.length && timingSafeEqual(own, given);
  }
}

/** Reads the key, or creates it on first use. */
function keyIn(folder: string): Buffer {
  const file = path.join(folder, 'spool.key');
  const known = readKey(file);
  if (known !== undefined) return known;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  createWholeFile(file, randomBytes(KEY_BYTES));
  const made = readKey(file);
  if (made === undefined) throw new Error(`${file} is no key; delete it`);
  return made;
}

function readKey(file: string): Buffer | undefined {
  try {
    const key = readBytes(file, { maxBytes: KEY_BYTES + 1 });
    return key.length === KEY_BYTES ? key : undefined;
  } catch (thrown) {
    if (systemCodeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}
