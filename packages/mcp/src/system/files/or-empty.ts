/**
 * Reads files that may be missing or unreadable at any moment, and treats them as empty: files of /proc, locks,
 * leftovers.
 */

import { readdirSync } from 'node:fs';
import { readBytes } from './read.ts';

/** More than the system allows for the environment of a process. */
const MAX_BYTES = 16 * 1024 * 1024;

export function textOrEmpty(file: string, encoding: BufferEncoding = 'utf8'): string {
  try {
    return readBytes(file, { maxBytes: MAX_BYTES }).toString(encoding);
  } catch {
    return '';
  }
}

export function namesOrEmpty(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
