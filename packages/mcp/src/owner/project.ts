/**
 * Finds the project that a folder belongs to, and so its memory. All work trees and folders of a git repository belong
 * to the same project. Outside git, the project is the workspace, otherwise the nearest folder with a manifest.
 * `placement.ts` decides who owns the memory.
 */

import { lstatSync, type Stats } from 'node:fs';
import path from 'node:path';
import { mainWorkTree } from '../git/main-work-tree.ts';
import { isStrangers, isWithin, lstat } from '../system/files/way.ts';
import { isWorkTreeTop } from '../system/files/work-tree-top.ts';
import { homeFolderOfUser } from '../system/io.ts';
import { homeFolder, realOfExisting } from './data-folder.ts';
import { isMember } from './workspace.ts';

export interface Project {
  /** The folder that the caller named. Commands run there. */
  root: string;
  /** The root of the project. Names of test cases are relative to it. */
  top: string;
  /** The folder that holds the memory. It differs from `top` if `top` is a linked work tree. */
  home: string;
}

/** Files that make a folder a project. */
const MANIFESTS = [
  ...['argus.yaml', 'argus.yml', 'package.json', 'deno.json', 'deno.jsonc', 'Cargo.toml', 'go.mod'],
  ...['pyproject.toml', 'setup.py', 'setup.cfg', 'tox.ini', 'pom.xml', 'build.gradle', 'build.gradle.kts'],
  ...['settings.gradle', 'settings.gradle.kts', 'Gemfile', 'composer.json', 'mix.exs', 'CMakeLists.txt'],
] as const;

/** A project without a manifest has this file once something was recorded in it. */
const MEMORY = path.join('.argus', 'argus.db');

/** `root` must be a real path. */
export async function projectAround(root: string): Promise<Project> {
  const around = foldersAround(root);
  const top = around.find(isWorkTreeTop);
  if (top !== undefined) return { root, top, home: (await mainOf(top)) ?? top };
  const nearest = around.find((folder) => isProject(folder) || lstat(path.join(folder, MEMORY)) !== undefined) ?? root;
  const home = await workspaceAround(
    nearest,
    around.filter((folder) => folder !== nearest && isWithin(nearest, folder)),
  );
  return { root, top: home, home };
}

/** The folders from the named folder up to the root of its project, nearest first. */
export function foldersWithin({ root, top }: Pick<Project, 'root' | 'top'>): string[] {
  const folders = [root];
  for (let at = root; at !== top && at !== path.dirname(at); folders.push(at)) at = path.dirname(at);
  return folders;
}

/** Memories in subfolders, which are not used because a project has one memory. */
export function unusedMemories(project: Project): string[] {
  const folders = foldersWithin(project).filter((folder) => folder !== project.home);
  return folders.map((folder) => path.join(folder, MEMORY)).filter((file) => lstat(file) !== undefined);
}

/** True when the folder has a manifest. */
export function isProject(folder: string): boolean {
  return MANIFESTS.some((name) => lstat(path.join(folder, name))?.isFile());
}

/** The main work tree, if it may hold a memory: it must not be a home folder and must not belong to another user. */
async function mainOf(top: string): Promise<string | undefined> {
  const main = await mainWorkTree(top);
  const stats = main === undefined ? undefined : statsOf(main);
  return main !== undefined && stats !== undefined && mayHold(main, stats, statsOf(top)) ? main : undefined;
}

/** The outermost workspace that includes the project, because a workspace may be a member of another workspace. */
async function workspaceAround(project: string, around: readonly string[]): Promise<string> {
  let outermost = project;
  for (const folder of around) {
    if (await isMember(folder, path.relative(folder, outermost))) outermost = folder;
  }
  return outermost;
}

/** The folder and those of its parents that may be its project, nearest first. */
function foldersAround(root: string): string[] {
  const own = statsOf(root);
  const folders = [root];
  for (let at = path.dirname(root); at !== path.dirname(at); at = path.dirname(at)) {
    const stats = statsOf(at);
    if (stats === undefined || !mayHold(at, stats, own)) break;
    folders.push(at);
  }
  return folders;
}

/**
 * False for the home folder and its parents, for a folder that other users may fill such as /tmp, and for a folder of
 * another user.
 */
function mayHold(folder: string, stats: Stats, own: Stats | undefined): boolean {
  const homes = [homeFolder(), realOfExisting(homeFolderOfUser())];
  const isShared = process.platform !== 'win32' && (stats.mode & 0o1002) === 0o1002;
  const isForeign = isStrangers(stats) && stats.uid !== own?.uid;
  return !isShared && !isForeign && !homes.some((home) => isWithin(home, folder));
}

function statsOf(folder: string): Stats | undefined {
  try {
    return lstatSync(folder);
  } catch {
    return undefined;
  }
}
