/**
 * Finds the user's data folder and checks that a project did not supply it. A repository can set the environment of a
 * server through a client's configuration, and could otherwise point to a data folder of its own.
 */

import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { dataFolder } from '../system/files/user-folder.ts';
import { isWithin } from '../system/files/way.ts';
import { homeFolderOfUser, io } from '../system/io.ts';

/** Throws DATABASE_UNAVAILABLE if no data folder exists, or if the data folder is inside a folder of `roots`. */
export async function trustedDataFolder(...roots: readonly string[]): Promise<string> {
  const folder = await dataFolder();
  const real = realOfExisting(folder);
  // A repository cannot supply a folder around a home folder. A person who sets HOME also controls what git and Node
  // run.
  const homes = [homeFolder(), realOfExisting(homeFolderOfUser())];
  const isBrought = (root: string) => isWithin(real, root) && !homes.some((home) => isWithin(home, root));
  if (roots.some(isBrought)) {
    const { EngineError } = await import('argus-engine');
    const advice = 'Set XDG_DATA_HOME (on Windows LOCALAPPDATA) to a folder outside of it.';
    throw new EngineError(
      'DATABASE_UNAVAILABLE',
      `${folder} lies inside the project, which could bring its own. ${advice}`,
    );
  }
  return folder;
}

/** The path of the user's own memory. Undefined if there is no trusted data folder. */
export async function trustedUserMemoryPath(...roots: readonly string[]): Promise<string | undefined> {
  return trustedDataFolder(...roots)
    .then((folder) => path.join(folder, 'memory.db'))
    .catch(() => undefined);
}

/** The folder for data about one project that is kept outside the project, named by a hash of the project's path. */
export function projectFolder(data: string, root: string): string {
  return path.join(data, 'projects', createHash('sha256').update(root).digest('hex').slice(0, 32));
}

/** The home folder from the system's user database, because the environment may be wrong. */
export function homeFolder(): string {
  try {
    return realOfExisting(userInfo().homedir);
  } catch {
    return path.parse(io().cwd()).root;
  }
}

/** Resolves the part of the path that exists and keeps the rest. */
export function realOfExisting(file: string): string {
  const { dir, base } = path.parse(file);
  try {
    return realpathSync.native(file);
  } catch {
    return dir === file ? file : path.join(realOfExisting(dir), base);
  }
}
