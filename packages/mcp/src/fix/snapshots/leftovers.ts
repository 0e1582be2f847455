/**
 * Finds and removes leftovers of fix loops: snapshot refs in the repository, copies, logs, marks in the user's data
 * folder, and temporary files of killed processes. It keeps states, reports and descriptions of fixes, loops that are
 * in use, and files that git tracks.
 */

import { lstatSync, readdirSync, rmSync, type Stats } from 'node:fs';
import path from 'node:path';
import { ArgusError, messageOf } from '../../errors.ts';
import { Git } from '../../git/git.ts';
import { repositoryOf } from '../../git/repository.ts';
import { trackedFiles } from '../../git/tracked.ts';
import { logFolder } from '../../log.ts';
import { trustedDataFolder } from '../../owner/data-folder.ts';
import { leftCopies } from '../../owner/left-copies.ts';
import { leftovers } from '../../system/files/temporary.ts';
import { isStrangers, lstat } from '../../system/files/way.ts';
import { Lock } from '../state/lock.ts';
import { goneMarks } from '../state/own-loops.ts';
import { FIXES } from '../state/state-folder.ts';
import { isOfProject, isOld, removeRefs, type SnapshotRef, snapshotFolder, snapshotRefs } from './refs.ts';

export interface Cleaning {
  root: string;
  now: number;
  /** True to remove leftovers that are not old yet. */
  all: boolean;
  /** True to remove nothing. */
  dryRun: boolean;
}

export interface Cleaned {
  snapshots: string[];
  copies: string[];
  logs: string[];
  temporary: string[];
  /** Loops that are in use and were skipped. */
  busy: string[];
  /** Leftovers that could not be removed, with the reason. */
  problems: string[];
}

export async function clean(cleaning: Cleaning): Promise<Cleaned> {
  const cleaned: Cleaned = { snapshots: [], copies: [], logs: [], temporary: [], busy: [], problems: [] };
  const mayClean = await mayCleanLoops(cleaning.root, cleaned);
  if (mayClean) for (const folder of loopFolders(cleaning.root)) cleanLoop(folder, cleaning, cleaned);
  await cleanSnapshots(cleaning, mayClean, cleaned);
  await cleanLogFile(cleaning, cleaned);
  const left = [...leftovers(), ...(await leftInDataFolder(cleaning))];
  for (const file of left) remove(file, cleaned.temporary, cleaning, cleaned);
  return cleaned;
}

/** Files behind a link are outside the project, and tracked files belong to the repository. */
async function mayCleanLoops(root: string, cleaned: Cleaned): Promise<boolean> {
  const folder = path.join(root, FIXES);
  if (lstat(folder) === undefined) return true;
  const shown = FIXES.split(path.sep).join('/');
  const isPlain = [path.dirname(folder), folder].every((one) => lstatSync(one).isDirectory());
  const tracked = isPlain ? await trackedFiles(root, [shown]) : undefined;
  if (tracked?.size === 0) return true;
  const why = isPlain ? 'git tracks it, or does not say' : 'it is reached through a link';
  cleaned.problems.push(`${shown} was left alone: ${why}.`);
  return false;
}

function loopFolders(root: string): string[] {
  const folder = path.join(root, FIXES);
  return foldersIn(folder, /^[0-9a-f]{8}$/u).map((name) => path.join(folder, name));
}

/** Holds the lock of the loop, so that no process uses it during the cleanup. */
function cleanLoop(folder: string, cleaning: Cleaning, cleaned: Cleaned): void {
  let lock: Lock;
  try {
    lock = Lock.take(path.join(folder, 'lock'));
  } catch (thrown) {
    if (thrown instanceof ArgusError && thrown.code === 'LOOP_BUSY') cleaned.busy.push(path.basename(folder));
    else cleaned.problems.push(`${folder}: ${messageOf(thrown)}`);
    return;
  }
  try {
    const earlier = path.join(folder, 'earlier');
    const before = isFolder(earlier) ? foldersIn(earlier, /./u).map((name) => path.join(earlier, name)) : [];
    for (const one of [folder, ...before]) cleanKept(one, cleaning, cleaned);
  } finally {
    lock.release();
  }
}

function cleanKept(folder: string, cleaning: Cleaning, cleaned: Cleaned): void {
  const stats = statsOf(path.join(folder, 'state.json'));
  if (!cleaning.all && stats !== undefined && !isOld(stats.mtimeMs, cleaning.now)) return;
  const copies = path.join(folder, 'copies');
  if (isFolder(copies)) remove(copies, cleaned.copies, cleaning, cleaned);
  for (const name of readdirSync(folder).filter((one) => /^attempt_\d+(?:_cut_off_\d+)?\.log$/u.test(one))) {
    remove(path.join(folder, name), cleaned.logs, cleaning, cleaned);
  }
}

/**
 * Removes old snapshots of all projects in the repository. With `all`, also removes the other snapshots of this
 * project. Loops of other projects may be in use without this process knowing it, and so may this project's loops if
 * they were skipped.
 */
async function cleanSnapshots(
  { root, now, all, dryRun }: Cleaning,
  mayClean: boolean,
  cleaned: Cleaned,
): Promise<void> {
  const repository = await repositoryOf(root);
  if (typeof repository !== 'object') return;
  const git = new Git(root);
  const refs = await snapshotRefs(git).catch((): SnapshotRef[] => []);
  const isOfBusy = ({ name }: SnapshotRef) =>
    cleaned.busy.some((hash) => name.startsWith(`${snapshotFolder(hash, repository)}/`));
  const mayGo = (ref: SnapshotRef) => ref.isExpired(now) || (all && mayClean && isOfProject(ref, repository));
  const gone = refs.filter((ref) => mayGo(ref) && !isOfBusy(ref));
  try {
    if (!dryRun) await removeRefs(git, gone);
    cleaned.snapshots.push(...gone.map(({ name }) => name));
  } catch (thrown) {
    cleaned.problems.push(`The snapshots in the repository could not be removed: ${messageOf(thrown)}`);
  }
}

async function cleanLogFile(cleaning: Cleaning, cleaned: Cleaned): Promise<void> {
  const file = path.join(logFolder(), 'argus.log');
  const stats = statsOf(file);
  if (!stats?.isFile() || isStrangers(stats)) return;
  if (cleaning.all || isOld(stats.mtimeMs, cleaning.now)) remove(file, cleaned.logs, cleaning, cleaned);
}

/** Returns leftovers of all projects, because nothing else cleans up for projects that were deleted. */
async function leftInDataFolder({ root, now }: Cleaning): Promise<string[]> {
  const data = await trustedDataFolder(root).catch(() => undefined);
  return data === undefined ? [] : [...leftCopies(data, now), ...goneMarks(data, now)];
}

function remove(file: string, into: string[], { dryRun }: Cleaning, cleaned: Cleaned): void {
  try {
    if (!dryRun) rmSync(file, { recursive: true, force: true, maxRetries: 3 });
    into.push(file);
  } catch (thrown) {
    cleaned.problems.push(`${file}: ${messageOf(thrown)}`);
  }
}

/** Returns folders without links. */
function foldersIn(folder: string, name: RegExp): string[] {
  try {
    const items = readdirSync(folder, { withFileTypes: true });
    return items.filter((item) => item.isDirectory() && name.test(item.name)).map((item) => item.name);
  } catch {
    return [];
  }
}

function isFolder(file: string): boolean {
  return statsOf(file)?.isDirectory() === true;
}

function statsOf(file: string): Stats | undefined {
  return lstatSync(file, { throwIfNoEntry: false });
}
