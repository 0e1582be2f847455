/**
 * Temporary folders that no other user can enter and whose names cannot be guessed. If a killed process left its folder
 * behind, the next process that creates a temporary folder in the same parent folder removes it.
 */

import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { getTemporaryRoot, io } from '../io.ts';
import { identifyThisProcess, isProcessAlive } from '../process-lock.ts';
import { belongsToOtherUser } from './path-safety.ts';

/**
 * The name of a folder: purpose, process id, start of the process, hash of the system, random characters:
 * `argus-run-4711-89234-1f2e3d4c-Ab3dE5`.
 */
const FOLDER_NAME = /^\.?argus-[a-z]+-(?<pid>\d+)-(?<began>\d*)-(?<system>[0-9a-f]{8})-[A-Za-z0-9]{6}$/u;

/**
 * A folder of another machine or container is removed after this time. It is not known whether its process still runs,
 * but no process needs its folder for this long.
 */
const MAX_OTHER_SYSTEM_AGE_MS = 7 * 24 * 60 * 60 * 1_000;

/** Folders of this process, which are removed when it exits. */
const ownFolders = new Set<string>();

/** Folders in which leftovers were already removed. */
const cleanedPlaces = new Set<string>();

export interface TemporaryFolder {
  path: string;
  remove(): void;
}

/** Creates a folder in the system's temporary folder. Its name contains the purpose. */
export function createTemporaryFolder(purpose: string): TemporaryFolder {
  return createFolderIn(getTemporaryRoot(), `argus-${purpose}`);
}

/** Creates a folder next to a file, so that a finished file can be moved to its final name on the same file system. */
export function createTemporaryFolderBeside(file: string, purpose: string): TemporaryFolder {
  return createFolderIn(path.dirname(file), `.argus-${purpose}`);
}

function createFolderIn(place: string, purpose: string): TemporaryFolder {
  removeLeftoversOnce(place);
  const { pid, began } = identifyThisProcess();
  const folder = mkdtempSync(path.join(place, `${purpose}-${pid}-${began ?? ''}-${hashThisSystem()}-`));
  if (ownFolders.size === 0) process.once('exit', removeOwnFolders);
  ownFolders.add(folder);
  return { path: folder, remove: () => remove(folder) };
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  ownFolders.delete(folder);
  if (ownFolders.size === 0) process.off('exit', removeOwnFolders);
}

function removeOwnFolders(): void {
  for (const folder of ownFolders) remove(folder);
}

/** Removes leftovers, once per place. Errors are ignored, because a leftover must not prevent the actual work. */
function removeLeftoversOnce(place: string): void {
  if (cleanedPlaces.has(place)) return;
  cleanedPlaces.add(place);
  for (const folder of findLeftoversIn(place)) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // The next process tries again.
    }
  }
}

/** Returns folders that killed processes of this user left in the system's temporary folder. */
export function findLeftoverFolders(): string[] {
  return findLeftoversIn(getTemporaryRoot());
}

function findLeftoversIn(place: string): string[] {
  try {
    const names = readdirSync(place).filter((name) => isLeftover(path.join(place, name), name));
    return names.map((name) => path.join(place, name));
  } catch {
    // The place may be a folder that cannot be listed.
    return [];
  }
}

/**
 * True if a killed process of this user left the folder. Checks name and owner, because any user may put anything into
 * a shared folder.
 */
function isLeftover(folder: string, name: string): boolean {
  const { pid, began, system } = FOLDER_NAME.exec(name)?.groups ?? {};
  if (pid === undefined || system === undefined) return false;
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory() || belongsToOtherUser(stats)) return false;
  if (system !== hashThisSystem()) return io().now() - stats.mtimeMs > MAX_OTHER_SYSTEM_AGE_MS;
  return !isProcessAlive({ pid: Number(pid), host: hostname(), began: began || null });
}

/** Returns a hash of the host name and the process namespace, because process ids are only valid within both. */
function hashThisSystem(): string {
  return crc32(`${hostname()} ${readProcessNamespace()}`).toString(16).padStart(8, '0');
}

function readProcessNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // This is not Linux.
    return '';
  }
}
