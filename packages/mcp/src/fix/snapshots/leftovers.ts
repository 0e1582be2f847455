/**
 * Finds and removes leftovers of fix loops: snapshot refs in the repository, copies, logs, marks in the user's data
 * folder, and temporary files of killed processes. It keeps states, reports and descriptions of fixes, loops that are
 * in use, and files that git tracks.
 */

import { lstatSync, readdirSync, rmSync, type Stats } from 'node:fs';
import path from 'node:path';
import { getErrorMessage } from '../../errors.ts';
import { Git } from '../../git/git.ts';
import { findRepository, findTrackedPaths } from '../../git/repository.ts';
import { getLogFolder } from '../../log.ts';
import { findAbandonedCopies, findTrustedDataFolder } from '../../owner/data-folder.ts';
import { removeStaleWorkTrees } from '../../run/commit-work-tree.ts';
import { belongsToOtherUser, tryLstat } from '../../system/files/path-safety.ts';
import { findLeftoverFolders } from '../../system/files/temporary.ts';
import { ProcessLock } from '../../system/process-lock.ts';
import { LOOPS_FOLDER, listOldMarks } from '../state/state-folder.ts';
import {
  belongsToProject,
  getSnapshotRefPrefix,
  isOlderThanRetention,
  listSnapshotRefs,
  removeRefs,
  type SnapshotRef,
} from './refs.ts';

interface CleaningOptions {
  root: string;
  now: number;
  /** True to remove recent leftovers as well. */
  all: boolean;
  /** True to only list the leftovers. */
  dryRun: boolean;
}

export interface CleanResult {
  snapshots: string[];
  copies: string[];
  logs: string[];
  temporary: string[];
  /** Hashes of loops that were skipped because they are in use. */
  busy: string[];
  /** Leftovers that could not be removed, with the reason. */
  problems: string[];
}

export async function removeLeftovers(cleaning: CleaningOptions): Promise<CleanResult> {
  const cleaned: CleanResult = { snapshots: [], copies: [], logs: [], temporary: [], busy: [], problems: [] };
  const mayClean = await mayCleanLoops(cleaning.root, cleaned);
  if (mayClean) for (const folder of listLoopFolders(cleaning.root)) cleanLoop(folder, cleaning, cleaned);
  await cleanSnapshots(cleaning, mayClean, cleaned);
  await cleanLogFile(cleaning, cleaned);
  const left = [...findLeftoverFolders(), ...(await listLeftoversInDataFolder(cleaning))];
  for (const file of left) remove(file, cleaned.temporary, cleaning, cleaned);
  if (!cleaning.dryRun) await removeStaleWorkTrees(new Git(cleaning.root));
  return cleaned;
}

/**
 * False if the folder of the loops is reached through a link, because the files are then outside the project, or if git
 * tracks the folder.
 */
async function mayCleanLoops(root: string, cleaned: CleanResult): Promise<boolean> {
  const folder = path.join(root, LOOPS_FOLDER);
  if (tryLstat(folder) === undefined) return true;
  const projectRelativePath = LOOPS_FOLDER.split(path.sep).join('/');
  const isPlain = [path.dirname(folder), folder].every((one) => lstatSync(one).isDirectory());
  const tracked = isPlain ? await findTrackedPaths(root, [projectRelativePath]) : undefined;
  if (tracked?.size === 0) return true;
  const why = isPlain ? 'git tracks it, or git did not answer' : 'it is reached through a link';
  cleaned.problems.push(`${projectRelativePath} was left alone: ${why}.`);
  return false;
}

function listLoopFolders(root: string): string[] {
  const folder = path.join(root, LOOPS_FOLDER);
  return listFolders(folder, /^[0-9a-f]{8}$/u).map((name) => path.join(folder, name));
}

/** Cleans a loop while holding its lock, so that no other process uses the loop. */
function cleanLoop(folder: string, cleaning: CleaningOptions, cleaned: CleanResult): void {
  let lock: ProcessLock | undefined;
  try {
    lock = ProcessLock.tryAcquire(path.join(folder, 'lock'));
  } catch (thrown) {
    cleaned.problems.push(`${folder}: ${getErrorMessage(thrown)}`);
    return;
  }
  if (lock === undefined) {
    cleaned.busy.push(path.basename(folder));
    return;
  }
  try {
    const earlier = path.join(folder, 'earlier');
    const earlierLoops = isFolder(earlier) ? listFolders(earlier, /./u).map((name) => path.join(earlier, name)) : [];
    for (const one of [folder, ...earlierLoops]) cleanLoopFolder(one, cleaning, cleaned);
  } finally {
    lock.release();
  }
}

function cleanLoopFolder(folder: string, cleaning: CleaningOptions, cleaned: CleanResult): void {
  const stats = readStats(path.join(folder, 'state.json'));
  if (!cleaning.all && stats !== undefined && !isOlderThanRetention(stats.mtimeMs, cleaning.now)) return;
  const copies = path.join(folder, 'copies');
  if (isFolder(copies)) remove(copies, cleaned.copies, cleaning, cleaned);
  for (const name of readdirSync(folder).filter((one) => /^attempt_\d+(?:_cut_off_\d+)?\.log$/u.test(one))) {
    remove(path.join(folder, name), cleaned.logs, cleaning, cleaned);
  }
}

/**
 * Removes old snapshots of all projects in the repository. With `all`, also removes the recent snapshots of this
 * project, but not if its loops were skipped: like loops of other projects, they may be in use.
 */
async function cleanSnapshots(
  { root, now, all, dryRun }: CleaningOptions,
  mayClean: boolean,
  cleaned: CleanResult,
): Promise<void> {
  const repository = await findRepository(root);
  if (typeof repository !== 'object') return;
  const git = new Git(root);
  const refs = await listSnapshotRefs(git).catch((): SnapshotRef[] => []);
  const belongsToBusyLoop = ({ name }: SnapshotRef) =>
    cleaned.busy.some((hash) => name.startsWith(`${getSnapshotRefPrefix(hash, repository)}/`));
  const isRemovable = (ref: SnapshotRef) =>
    ref.isExpired(now) || (all && mayClean && belongsToProject(ref, repository));
  const removable = refs.filter((ref) => isRemovable(ref) && !belongsToBusyLoop(ref));
  try {
    if (!dryRun) await removeRefs(git, removable);
    cleaned.snapshots.push(...removable.map(({ name }) => name));
  } catch (thrown) {
    cleaned.problems.push(`The snapshots in the repository could not be removed: ${getErrorMessage(thrown)}`);
  }
}

async function cleanLogFile(cleaning: CleaningOptions, cleaned: CleanResult): Promise<void> {
  const file = path.join(getLogFolder(), 'argus.log');
  const stats = readStats(file);
  if (!stats?.isFile() || belongsToOtherUser(stats)) return;
  if (cleaning.all || isOlderThanRetention(stats.mtimeMs, cleaning.now)) remove(file, cleaned.logs, cleaning, cleaned);
}

/** Returns leftovers of all projects, because nothing else cleans up after a deleted project. */
async function listLeftoversInDataFolder({ root, now }: CleaningOptions): Promise<string[]> {
  const data = await findTrustedDataFolder(root).catch(() => undefined);
  return data === undefined ? [] : [...findAbandonedCopies(data, now), ...listOldMarks(data, now)];
}

function remove(file: string, removed: string[], { dryRun }: CleaningOptions, cleaned: CleanResult): void {
  try {
    if (!dryRun) rmSync(file, { recursive: true, force: true, maxRetries: 3 });
    removed.push(file);
  } catch (thrown) {
    cleaned.problems.push(`${file}: ${getErrorMessage(thrown)}`);
  }
}

/** Returns the names of folders that match. Links do not count. */
function listFolders(folder: string, name: RegExp): string[] {
  try {
    const items = readdirSync(folder, { withFileTypes: true });
    return items.filter((item) => item.isDirectory() && name.test(item.name)).map((item) => item.name);
  } catch {
    return [];
  }
}

function isFolder(file: string): boolean {
  return readStats(file)?.isDirectory() === true;
}

function readStats(file: string): Stats | undefined {
  return lstatSync(file, { throwIfNoEntry: false });
}
