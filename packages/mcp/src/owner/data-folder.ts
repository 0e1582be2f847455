/**
 * Finds the user's data folder, checks that it did not come with a project, and finds copies that a killed process left
 * in it. A repository can set the environment of a server through the configuration of an MCP client, so it could
 * otherwise point to a data folder of its own.
 */

import { createHash } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { isWithin, tryLstat } from '../system/files/path-safety.ts';
import { listNamesOrEmpty } from '../system/files/read.ts';
import { getDataFolder } from '../system/files/user-folder.ts';
import { getUserHomeFolder, io } from '../system/io.ts';

/** Returns the data folder. Throws DATABASE_UNAVAILABLE if there is none, or if it is inside a folder of `roots`. */
export async function findTrustedDataFolder(...roots: readonly string[]): Promise<string> {
  const folder = await getDataFolder();
  const real = resolveExistingPart(folder);
  // A project that contains the home folder cannot have come from a repository, so the data folder is trusted there. A
  // person who sets HOME also controls what git and Node run.
  const homes = [getSystemHomeFolder(), resolveExistingPart(getUserHomeFolder())];
  const mayHaveSupplied = (root: string) => isWithin(real, root) && !homes.some((home) => isWithin(home, root));
  if (roots.some(mayHaveSupplied)) {
    const { EngineError } = await import('argus-engine');
    const advice = 'Set XDG_DATA_HOME (on Windows LOCALAPPDATA) to a folder outside the project.';
    throw new EngineError(
      'DATABASE_UNAVAILABLE',
      `${folder} is inside the project, so its content could come from the project. ${advice}`,
    );
  }
  return folder;
}

/** Returns the path of the user's own memory, or undefined if there is no trusted data folder. */
export async function findTrustedUserMemory(...roots: readonly string[]): Promise<string | undefined> {
  return findTrustedDataFolder(...roots)
    .then((folder) => path.join(folder, 'memory.db'))
    .catch(() => undefined);
}

/**
 * Returns the folder for data about a project that is stored outside the project. Its name is a hash of the project's
 * path.
 */
export function getProjectDataFolder(data: string, root: string): string {
  return path.join(data, 'projects', createHash('sha256').update(root).digest('hex').slice(0, 32));
}

/** Returns the home folder from the system's user database, because the environment may be wrong. */
export function getSystemHomeFolder(): string {
  try {
    return resolveExistingPart(userInfo().homedir);
  } catch {
    return path.parse(io().cwd()).root;
  }
}

/** Returns the real path of the part of the path that exists, followed by the rest. */
export function resolveExistingPart(file: string): string {
  const { dir, base } = path.parse(file);
  try {
    return realpathSync.native(file);
  } catch {
    return dir === file ? file : path.join(resolveExistingPart(dir), base);
  }
}

/*
 * Finds copies of databases in the user's data folder that a killed process left behind. Each copy may be as large as
 * the database. Copies in use are not included. The next copy of a foreign database replaces the earlier ones.
 */

/** Prefix of the name of a copy that is not complete yet. */
export const DRAFT_PREFIX = 'draft-';
export const COPY_PREFIX = 'copy-';

/** Older copies were left behind, because copying even a gigabyte takes less time. */
const MAX_COPY_AGE_MS = 24 * 60 * 60 * 1_000;

/** Returns the abandoned copies of all projects. */
export function findAbandonedCopies(dataFolder: string, now: number): string[] {
  const projects = path.join(dataFolder, 'projects');
  return listNamesOrEmpty(projects).flatMap((name) => findAbandonedCopiesIn(path.join(projects, name), now));
}

/**
 * Removes the abandoned copies of a project before another copy is made. Errors are ignored, because the new copy does
 * not depend on them.
 */
export function removeAbandonedCopies(folder: string): void {
  for (const file of findAbandonedCopiesIn(folder, io().now())) {
    try {
      rmSync(file, { recursive: true, force: true });
    } catch {
      // The next copy tries again.
    }
  }
}

function findAbandonedCopiesIn(folder: string, now: number): string[] {
  const files = listNamesOrEmpty(folder)
    .filter((name) => name.startsWith(DRAFT_PREFIX) || name.startsWith(COPY_PREFIX))
    .map((name) => path.join(folder, name));
  return files.filter((file) => now - (tryLstat(file)?.mtimeMs ?? now) > MAX_COPY_AGE_MS);
}
