/**
 * Reads the files that tell how a project is tested.
 * Does not: understand them, or read reports.
 */

import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The text of a file of the project; undefined where it cannot be read. */
export function projectFile(root: string, name: string): string | undefined {
  try {
    return readFileSync(path.join(root, name), 'utf8');
  } catch {
    return undefined;
  }
}
