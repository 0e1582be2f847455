/**
 * Finds copies of databases in the user's data folder that a killed process left behind. Each copy may be as large as
 * the database. Copies in use are not included. The next copy of a foreign database replaces the earlier copies.
 */

import { rmSync } from 'node:fs';
import path from 'node:path';
import { namesOrEmpty } from '../system/files/or-empty.ts';
import { lstat } from '../system/files/way.ts';
import { io } from '../system/io.ts';

/** Prefixes of their names: a draft until the copy is complete, and a folder for a copy that is opened once. */
export const DRAFT_PREFIX = 'draft-';
export const COPY_PREFIX = 'copy-';

/** Copying a gigabyte never takes this long. */
const LEFT_MS = 24 * 60 * 60 * 1_000;

/** The left copies of all projects. */
export function leftCopies(dataFolder: string, now: number): string[] {
  const projects = path.join(dataFolder, 'projects');
  return namesOrEmpty(projects).flatMap((name) => leftCopiesIn(path.join(projects, name), now));
}

/**
 * Removes the left copies of one project before another copy is made. Failures are ignored, because the new copy does
 * not depend on them.
 */
export function removeLeftCopies(folder: string): void {
  for (const file of leftCopiesIn(folder, io().now())) {
    try {
      rmSync(file, { recursive: true, force: true });
    } catch {
      // The next copy tries again.
    }
  }
}

function leftCopiesIn(folder: string, now: number): string[] {
  const files = namesOrEmpty(folder)
    .filter((name) => name.startsWith(DRAFT_PREFIX) || name.startsWith(COPY_PREFIX))
    .map((name) => path.join(folder, name));
  return files.filter((file) => now - (lstat(file)?.mtimeMs ?? now) > LEFT_MS);
}
