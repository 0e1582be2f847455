/**
 * Copies of databases in the user's data folder whose process was killed while it made or read them. Each may be as
 * large as the database. Copies in use are not among them; those of a foreign database are replaced by the next one.
 */

import { rmSync } from 'node:fs';
import path from 'node:path';
import { namesOrEmpty } from '../system/files/or-empty.ts';
import { lstat } from '../system/files/way.ts';
import { io } from '../system/io.ts';

/** What they are called: a draft until it is whole, and a folder for a copy that is opened once. */
export const DRAFT_PREFIX = 'draft-';
export const COPY_PREFIX = 'copy-';

/** Nobody copies a gigabyte for as long. */
const LEFT_MS = 24 * 60 * 60 * 1_000;

/** Of all projects. */
export function leftCopies(dataFolder: string, now: number): string[] {
  const projects = path.join(dataFolder, 'projects');
  return namesOrEmpty(projects).flatMap((name) => leftCopiesIn(path.join(projects, name), now));
}

/** Of one project, before another copy is made. One that cannot be removed is no reason not to make it. */
export function removeLeftCopies(folder: string): void {
  for (const file of leftCopiesIn(folder, io().now())) {
    try {
      rmSync(file, { recursive: true, force: true });
    } catch {
      // The next one tries again.
    }
  }
}

function leftCopiesIn(folder: string, now: number): string[] {
  const files = namesOrEmpty(folder)
    .filter((name) => name.startsWith(DRAFT_PREFIX) || name.startsWith(COPY_PREFIX))
    .map((name) => path.join(folder, name));
  return files.filter((file) => now - (lstat(file)?.mtimeMs ?? now) > LEFT_MS);
}
