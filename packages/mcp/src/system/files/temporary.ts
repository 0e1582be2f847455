/**
 * Folders for temporary files that no other user can enter and whose names cannot be guessed. The next process that
 * makes a folder in the same place removes folders that a killed process left.
 */

import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { io, temporaryRoot } from '../io.ts';
import { isAlive, thisProcess } from '../process-owner.ts';
import { isStrangers } from './way.ts';

/** Purpose, process id, start of the process, system and random characters: `argus-run-4711-89234-1f2e3d4c-Ab3dE5`. */
const NAME = /^\.?argus-[a-z]+-(?<pid>\d+)-(?<began>\d*)-(?<system>[0-9a-f]{8})-[A-Za-z0-9]{6}$/u;

/**
 * No process needs its folder for this long. Used for folders of another machine or container, because it is unknown
 * whether their process still runs.
 */
const OTHER_SYSTEM_MS = 7 * 24 * 60 * 60 * 1_000;

/** Folders of this process, removed when it ends. */
const own = new Set<string>();

/** Places that were already searched for leftovers. */
const swept = new Set<string>();

export interface TemporaryFolder {
  path: string;
  remove(): void;
}

/** A folder in the system's temporary folder. Its name contains the purpose. */
export function temporaryFolder(purpose: string): TemporaryFolder {
  return folderIn(temporaryRoot(), `argus-${purpose}`);
}

/** A folder beside a file, so that a finished file can be moved to its name without crossing a file system. */
export function temporaryFolderBeside(file: string, purpose: string): TemporaryFolder {
  return folderIn(path.dirname(file), `.argus-${purpose}`);
}

function folderIn(place: string, purpose: string): TemporaryFolder {
  sweep(place);
  const { pid, began } = thisProcess();
  const folder = mkdtempSync(path.join(place, `${purpose}-${pid}-${began ?? ''}-${thisSystem()}-`));
  if (own.size === 0) process.once('exit', removeOwn);
  own.add(folder);
  return { path: folder, remove: () => remove(folder) };
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  own.delete(folder);
  if (own.size === 0) process.off('exit', removeOwn);
}

function removeOwn(): void {
  for (const folder of own) remove(folder);
}

/** Runs once per place. Errors are ignored, because a leftover must not prevent the actual work. */
function sweep(place: string): void {
  if (swept.has(place)) return;
  swept.add(place);
  for (const folder of leftIn(place)) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // The next process tries again.
    }
  }
}

/** Folders that killed processes of this user left in the system's temporary folder. */
export function leftovers(): string[] {
  return leftIn(temporaryRoot());
}

function leftIn(place: string): string[] {
  try {
    const names = readdirSync(place).filter((name) => isLeftOver(path.join(place, name), name));
    return names.map((name) => path.join(place, name));
  } catch {
    // The place may be a folder that cannot be listed.
    return [];
  }
}

/** Checks name and owner, because any user may put anything into a shared folder. */
function isLeftOver(folder: string, name: string): boolean {
  const { pid, began, system } = NAME.exec(name)?.groups ?? {};
  if (pid === undefined || system === undefined) return false;
  const there = lstatSync(folder, { throwIfNoEntry: false });
  if (!there?.isDirectory() || isStrangers(there)) return false;
  if (system !== thisSystem()) return io().now() - there.mtimeMs > OTHER_SYSTEM_MS;
  return !isAlive({ pid: Number(pid), host: hostname(), began: began || null });
}

/** A hash of the host name and the process namespace, because process ids are only valid within both. */
function thisSystem(): string {
  return crc32(`${hostname()} ${processNamespace()}`).toString(16).padStart(8, '0');
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // Not Linux.
    return '';
  }
}
