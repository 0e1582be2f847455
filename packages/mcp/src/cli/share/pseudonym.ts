/** The name under which a user shares, kept in the user's data folder. Without a name, files have no author. */

import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { textOf } from '../../system/files/read.ts';
import { writeWholeFile } from '../../system/files/whole-file.ts';

const FILE = 'pseudonym';
const MAX_BYTES = 64 * 1024;

export function pseudonymIn(data: string): string | undefined {
  return textOf(path.join(data, FILE), { maxBytes: MAX_BYTES })?.trim() || undefined;
}

/** An empty name removes the file. */
export function keepPseudonym(data: string, name: string): void {
  const file = path.join(data, FILE);
  if (name === '') {
    rmSync(file, { force: true });
  } else {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    writeWholeFile(file, `${name}\n`);
  }
}
