/** What may be gone or somebody else's at any moment, and is as good as empty then: files of /proc, locks, leftovers. */

import { readdirSync, readFileSync } from 'node:fs';

export function textOrEmpty(file: string, encoding: BufferEncoding = 'utf8'): string {
  try {
    return readFileSync(file, encoding);
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
