/**
 * Where the platform keeps a user's data: `$XDG_DATA_HOME/argus`, `~/Library/Application Support/argus`,
 * `%LOCALAPPDATA%\argus\Data`.
 */

import path from 'node:path';
import type { EngineError } from 'argus-engine';
import { messageOf } from '../../errors.ts';

/** The user's own memory, which belongs to no project. */
export async function userDatabasePath(): Promise<string> {
  return path.join(await dataFolder(), 'memory.db');
}

/** Loaded when it is needed: the module asks for the home folder at once, and not every account has one. */
export async function dataFolder(): Promise<string> {
  const folder = await platformFolder();
  if (!path.isAbsolute(folder)) throw await unavailable(`'${folder}' is no absolute path`);
  return folder;
}

async function platformFolder(): Promise<string> {
  try {
    const { default: envPaths } = await import('env-paths');
    return envPaths('argus', { suffix: '' }).data;
  } catch (thrown) {
    throw await unavailable(messageOf(thrown));
  }
}

/** The engine is loaded for its error alone: whoever only looks where something is does without. */
async function unavailable(reason: string): Promise<EngineError> {
  const { EngineError } = await import('argus-engine');
  const advice = "It also says which memories are this user's: set HOME, or XDG_DATA_HOME (on Windows LOCALAPPDATA).";
  return new EngineError('DATABASE_UNAVAILABLE', `There is no folder for the data of this user (${reason}). ${advice}`);
}
