/**
 * Finds the memory of a project and the folder for the state of the hook, without the engine. It only looks at which
 * files the project has, and opens none of them except the configuration. It creates nothing.
 */

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { findConfig, getDatabasePath, loadConfig, readConfigText } from '../config/load.ts';
import { findTrustedDataFolder, getProjectDataFolder } from '../owner/data-folder.ts';
import { findProject, type Project } from '../owner/project.ts';
import { tryLstat } from '../system/files/path-safety.ts';
import { io } from '../system/io.ts';
import { Memberships } from '../team/client/membership.ts';
import { HookState } from './state.ts';

export interface HookLocation {
  project: Project;
  /** Databases that may contain a known failure. The first one belongs to the project. */
  databases: string[];
  /**
   * The folder for the state of the hook. It belongs to this user and is outside the project, because a repository
   * could contain a forged state.
   */
  folder: string;
  /** True if the memory is on a team's server, where it can change without any change of a local file. */
  isTeamMemory: boolean;
}

/** Returns undefined without a project, without a memory, or if the configuration disables the hook or the memory. */
export async function findHookLocation(folder: string): Promise<HookLocation | undefined> {
  const project = await findProject(realpathSync.native(folder));
  const database = await findDatabase(project);
  if (database === undefined) return undefined;
  const data = await findTrustedDataFolder(project.top, project.home);
  const own = getProjectDataFolder(data, project.home);
  const databases = [database, path.join(own, 'argus.db'), path.join(data, 'memory.db')];
  const isOfTeam = await belongsToTeam(data, project);
  const isThere = databases.slice(0, 2).some((file) => tryLstat(file)?.isFile());
  return isThere || isOfTeam ? { project, databases, folder: own, isTeamMemory: isOfTeam } : undefined;
}

/** Reads the state of the hook for a project. The state is empty if there is none. */
export async function readHookState({ top, home }: Project): Promise<HookState> {
  return HookState.read(getProjectDataFolder(await findTrustedDataFolder(top, home), home));
}

/**
 * Returns the path of the project's database, or undefined if the hook or the history is disabled. Parses the
 * configuration only if it contains a relevant key, because most projects have no such configuration.
 */
async function findDatabase(project: Project): Promise<string | undefined> {
  const file = findConfig(project);
  const text = file === undefined ? '' : readConfigText(project, file);
  if (!/\b(?:hook|enabled|database)\b/u.test(text)) return getDatabasePath(project, {});
  const { config } = await loadConfig(project);
  return config.hook === false || config.history?.enabled === false ? undefined : getDatabasePath(project, config);
}

async function belongsToTeam(data: string, { top }: Project): Promise<boolean> {
  const memberships = new Memberships(data);
  return !memberships.isEmpty() && (await memberships.findMembership(top)) !== undefined;
}

/** Interval at which a team's memory is searched again, because it changes on other machines. */
const TEAM_REFRESH_MS = 10 * 60 * 1_000;

/**
 * Returns a value that changes when something is recorded. It depends on the sizes and times of the database files. For
 * a team's memory, it also changes every ten minutes.
 */
export function computeMemoryStamp({ databases, isTeamMemory }: HookLocation, now = io().now()): string {
  const files = databases.map((file) => {
    const stats = tryLstat(file);
    return stats === undefined ? '-' : `${stats.size}.${stats.mtimeMs}`;
  });
  return [...files, ...(isTeamMemory ? [`${Math.floor(now / TEAM_REFRESH_MS)}`] : [])].join(' ');
}
