/**
 * Finds the memory of a project and the folder for the state of the hook without the engine. It only looks at the files
 * of the project and opens none of them except the configuration. It creates nothing.
 */

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { configText, databaseOf, findConfig, loadConfig } from '../config/load.ts';
import { projectFolder, trustedDataFolder } from '../owner/data-folder.ts';
import { type Project, projectAround } from '../owner/project.ts';
import { lstat } from '../system/files/way.ts';
import { io } from '../system/io.ts';
import { Memberships } from '../team/client/membership.ts';
import { HookState } from './state.ts';

export interface HookPlace {
  project: Project;
  /** Databases that may have an answer. That of the project is the first. */
  databases: string[];
  /** A folder of this user outside the project, because a project could bring its own files. */
  folder: string;
  /** True if the memory is on a team's server, where it can change without a change of a local file. */
  isOfTeam: boolean;
}

/** Returns undefined without a project, without a memory, or if the configuration disables the hook or the memory. */
export async function placeOf(folder: string): Promise<HookPlace | undefined> {
  const project = await projectAround(realpathSync.native(folder));
  const database = await databaseFor(project);
  if (database === undefined) return undefined;
  const data = await trustedDataFolder(project.top, project.home);
  const own = projectFolder(data, project.home);
  const databases = [database, path.join(own, 'argus.db'), path.join(data, 'memory.db')];
  const isOfTeam = await belongsToTeam(data, project);
  const isThere = databases.slice(0, 2).some((file) => lstat(file)?.isFile());
  return isThere || isOfTeam ? { project, databases, folder: own, isOfTeam } : undefined;
}

/** The state of the hook for a project, for display. Empty if there is none. */
export async function stateOf({ top, home }: Project): Promise<HookState> {
  return HookState.read(projectFolder(await trustedDataFolder(top, home), home));
}

/**
 * Avoids parsing the configuration, because most projects have none, and most configurations do not contain these keys.
 */
async function databaseFor(project: Project): Promise<string | undefined> {
  const file = findConfig(project);
  const text = file === undefined ? '' : configText(project, file);
  if (!/\b(?:hook|enabled|database)\b/u.test(text)) return databaseOf(project, {});
  const { config } = await loadConfig(project);
  return config.hook === false || config.history?.enabled === false ? undefined : databaseOf(project, config);
}

async function belongsToTeam(data: string, { top }: Project): Promise<boolean> {
  const memberships = new Memberships(data);
  return !memberships.isEmpty() && (await memberships.of(top)) !== undefined;
}

/** Interval at which a team is asked again, because its memory changes elsewhere. */
const TEAM_MS = 10 * 60 * 1_000;

/** A value that changes when something is recorded, from the sizes and times of the databases alone. */
export function stampOf({ databases, isOfTeam }: HookPlace, now = io().now()): string {
  const files = databases.map((file) => {
    const stats = lstat(file);
    return stats === undefined ? '-' : `${stats.size}.${stats.mtimeMs}`;
  });
  return [...files, ...(isOfTeam ? [`${Math.floor(now / TEAM_MS)}`] : [])].join(' ');
}
