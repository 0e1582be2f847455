/**
 * Where a project's memory is and where the hook keeps what it remembers, found without the engine: the files of the
 * project are looked at, none is opened but its configuration. Nothing is made here.
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
  /** Databases that may answer, this project's first. */
  databases: string[];
  /** Of this user alone, outside of the project, which could bring files of its own. */
  folder: string;
  /** A team has the memory: what is known changes without a file here saying so. */
  isOfTeam: boolean;
}

/** Undefined: no project, none with a memory, or one whose configuration switches the hook or the memory off. */
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

/** What is remembered of a project, for people who ask; empty where nothing is. */
export async function stateOf({ top, home }: Project): Promise<HookState> {
  return HookState.read(projectFolder(await trustedDataFolder(top, home), home));
}

/** Most projects have no configuration, and of most that have one its text shows that it says nothing of this. */
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

/** What a team knows changes elsewhere, and is asked for again so often. */
const TEAM_MS = 10 * 60 * 1_000;

/** Tells whether anything was recorded since, by the sizes and times of the databases alone. */
export function stampOf({ databases, isOfTeam }: HookPlace, now = io().now()): string {
  const files = databases.map((file) => {
    const stats = lstat(file);
    return stats === undefined ? '-' : `${stats.size}.${stats.mtimeMs}`;
  });
  return [...files, ...(isOfTeam ? [`${Math.floor(now / TEAM_MS)}`] : [])].join(' ');
}
