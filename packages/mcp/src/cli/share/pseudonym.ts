/** The name under which a user shares, kept in the user's data folder; without one nobody is named. */

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { writeWholeFile } from '../../system/files/whole-file.ts';

const FILE = 'pseudonym';

export function pseudonymIn(data: string): string | undefined {
  try {
    return readFileSync(path.join(data, FILE), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** An empty one is none. */
export function keepPseudonym(data: string, name: string): void {
  const file = path.join(data, FILE);
  if (name === '') {
    rmSync(file, { force: true });
  } else {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    writeWholeFile(file, `${name}\n`);
  }
}
