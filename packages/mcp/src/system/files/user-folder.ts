/**
 * The folders in which the platform keeps a user's files, for example `$XDG_DATA_HOME/argus` on Linux,
 * `~/Library/Application Support/argus` on macOS and `%LOCALAPPDATA%\argus\Data` on Windows.
 */

import path from 'node:path';
import type { EngineError } from 'argus-engine';
import { messageOf } from '../../errors.ts';
import { homeFolderOfUser, io } from '../io.ts';

const NAME = 'argus';

export type FolderKind = 'data' | 'config' | 'cache' | 'log';

/** Variables and folders of the XDG Base Directory Specification. */
const LINUX = {
  data: ['XDG_DATA_HOME', '.local/share'],
  config: ['XDG_CONFIG_HOME', '.config'],
  cache: ['XDG_CACHE_HOME', '.cache'],
  log: ['XDG_STATE_HOME', '.local/state'],
} as const;

const MACOS = { data: 'Application Support', config: 'Preferences', cache: 'Caches', log: 'Logs' } as const;

/** Windows has no convention for subfolders of an application's folder. */
const WINDOWS = {
  data: ['LOCALAPPDATA', 'AppData/Local', 'Data'],
  config: ['APPDATA', 'AppData/Roaming', 'Config'],
  cache: ['LOCALAPPDATA', 'AppData/Local', 'Cache'],
  log: ['LOCALAPPDATA', 'AppData/Local', 'Log'],
} as const;

/**
 * The path is relative if the variable is relative. Throws if the account has no home folder and no variable is set.
 */
export function userFolder(kind: FolderKind, platform: string = process.platform): string {
  const { env } = io();
  if (platform === 'darwin') return path.join(homeFolderOfUser(), 'Library', MACOS[kind], NAME);
  if (platform === 'win32') {
    const [variable, standard, folder] = WINDOWS[kind];
    return path.join(env[variable] || path.join(homeFolderOfUser(), standard), NAME, folder);
  }
  const [variable, standard] = LINUX[kind];
  return path.join(env[variable] || path.join(homeFolderOfUser(), standard), NAME);
}

/** The user's own memory, which belongs to no project. */
export async function userDatabasePath(): Promise<string> {
  return path.join(await dataFolder(), 'memory.db');
}

/** Rejects with DATABASE_UNAVAILABLE if no data folder exists. */
export async function dataFolder(): Promise<string> {
  let folder: string;
  try {
    folder = userFolder('data');
  } catch (thrown) {
    throw await unavailable(messageOf(thrown));
  }
  if (!path.isAbsolute(folder)) throw await unavailable(`'${folder}' is no absolute path`);
  return folder;
}

/** Loads the engine only in the case of an error, because loading it is slow. */
async function unavailable(reason: string): Promise<EngineError> {
  const { EngineError } = await import('argus-engine');
  const advice = "It also says which memories are this user's: set HOME, or XDG_DATA_HOME (on Windows LOCALAPPDATA).";
  return new EngineError('DATABASE_UNAVAILABLE', `There is no folder for the data of this user (${reason}). ${advice}`);
}
