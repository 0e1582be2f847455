/**
 * The user's data folder as far as it can be trusted beside one project: a repository that says where it is (a client's
 * configuration can set the environment of a server) would bring its own.
 */

import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { dataFolder } from '../system/files/user-folder.ts';
import { isWithin } from '../system/files/way.ts';
import { homeFolderOfUser, io } from '../system/io.ts';

/** Throws DATABASE_UNAVAILABLE where there is none, or where it lies in one of the project's folders. */
export async function trustedDataFolder(...roots: readonly string[]): Promise<string> {
  const folder = await dataFolder();
  const real = realOfExisting(folder);
  // What lies around a home folder is no repository's to bring; who sets HOME decides what git and Node run, too.
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

/** The user's own memory beside a project's; undefined where one must do without. */
export async function trustedUserMemoryPath(...roots: readonly string[]): Promise<string | undefined> {
  return trustedDataFolder(...roots)
    .then((folder) => path.join(folder, 'memory.db'))
    .catch(() => undefined);
}

/** What is kept for one project outside of it, by where it is. */
export function projectFolder(data: string, root: string): string {
  return path.join(data, 'projects', createHash('sha256').update(root).digest('hex').slice(0, 32));
}

/** As the system knows it: the environment may say anything. */
export function homeFolder(): string {
  try {
    return realOfExisting(userInfo().homedir);
  } catch {
    return path.parse(io().cwd()).root;
  }
}

/** The real path of what exists of it, and the rest as it is. */
export function realOfExisting(file: string): string {
  const { dir, base } = path.parse(file);
  try {
    return realpathSync.native(file);
  } catch {
    return dir === file ? file : path.join(realOfExisting(dir), base);
  }
}
