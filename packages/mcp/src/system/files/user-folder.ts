/**
 * The folders in which the platform stores a user's files, for example `$XDG_DATA_HOME/argus` on Linux,
 * `~/Library/Application Support/argus` on macOS and `%LOCALAPPDATA%\argus\Data` on Windows.
 */

import path from 'node:path';
import type { EngineError } from 'argus-engine';
import { getErrorMessage } from '../../errors.ts';
import { getUserHomeFolder, io } from '../io.ts';

const APP_NAME = 'argus';

export type FolderKind = 'data' | 'config' | 'cache' | 'log';

/** Variables and folders of the XDG Base Directory Specification. */
const LINUX_FOLDERS = {
  data: ['XDG_DATA_HOME', '.local/share'],
  config: ['XDG_CONFIG_HOME', '.config'],
  cache: ['XDG_CACHE_HOME', '.cache'],
  log: ['XDG_STATE_HOME', '.local/state'],
} as const;

const MACOS_FOLDERS = { data: 'Application Support', config: 'Preferences', cache: 'Caches', log: 'Logs' } as const;

/** Windows has no convention for subfolders of an application's folder. */
const WINDOWS_FOLDERS = {
  data: ['LOCALAPPDATA', 'AppData/Local', 'Data'],
  config: ['APPDATA', 'AppData/Roaming', 'Config'],
  cache: ['LOCALAPPDATA', 'AppData/Local', 'Cache'],
  log: ['LOCALAPPDATA', 'AppData/Local', 'Log'],
} as const;

/**
 * Returns a folder of the user. The path is relative if the variable contains a relative path. Throws if the account
 * has no home folder and no variable is set.
 */
export function getUserFolder(kind: FolderKind, platform: string = process.platform): string {
  const { env } = io();
  if (platform === 'darwin') return path.join(getUserHomeFolder(), 'Library', MACOS_FOLDERS[kind], APP_NAME);
  if (platform === 'win32') {
    const [variable, standard, folder] = WINDOWS_FOLDERS[kind];
    return path.join(env[variable] || path.join(getUserHomeFolder(), standard), APP_NAME, folder);
  }
  const [variable, standard] = LINUX_FOLDERS[kind];
  return path.join(env[variable] || path.join(getUserHomeFolder(), standard), APP_NAME);
}

/** Returns the path of the user's own memory, which belongs to no project. */
export async function getUserDatabasePath(): Promise<string> {
  return path.join(await getDataFolder(), 'memory.db');
}

/** Returns the data folder. Rejects with DATABASE_UNAVAILABLE if there is none. */
export async function getDataFolder(): Promise<string> {
  let folder: string;
  try {
    folder = getUserFolder('data');
  } catch (thrown) {
    throw await createUnavailableError(getErrorMessage(thrown));
  }
  if (!path.isAbsolute(folder)) throw await createUnavailableError(`'${folder}' is not an absolute path`);
  return folder;
}

/** Imports the engine only here, because loading it is slow and errors are rare. */
async function createUnavailableError(reason: string): Promise<EngineError> {
  const { EngineError } = await import('argus-engine');
  const advice =
    'Argus needs it to store which memories belong to this user. Set HOME or XDG_DATA_HOME (on Windows LOCALAPPDATA).';
  return new EngineError('DATABASE_UNAVAILABLE', `The data folder of this user is unknown (${reason}). ${advice}`);
}
