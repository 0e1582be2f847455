/**
 * Folders for files that go again: nobody else can enter them or guess their names, and what a killed process left is
 * removed by the next one that makes such a folder in the same place.
 */

import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { io, temporaryRoot } from '../io.ts';
import { isAlive, thisProcess } from '../process-owner.ts';
import { isStrangers } from './way.ts';

/** Purpose, process, when it began, its system, and what nobody guesses: `argus-run-4711-89234-1f2e3d4c-Ab3dE5`. */
const NAME = /^\.?argus-[a-z]+-(?<pid>\d+)-(?<began>\d*)-(?<system>[0-9a-f]{8})-[A-Za-z0-9]{6}$/u;

/** Whether a process of another machine or container still runs cannot be known; none needs a folder for as long. */
const OTHER_SYSTEM_MS = 7 * 24 * 60 * 60 * 1_000;

/** Folders of this process, which go with it. */
const own = new Set<string>();

/** Places whose leftovers were looked for. */
const swept = new Set<string>();

export interface TemporaryFolder {
  path: string;
  remove(): void;
}

/** In the system's folder for temporary files; its name says what it is for. */
export function temporaryFolder(purpose: string): TemporaryFolder {
  return folderIn(temporaryRoot(), `argus-${purpose}`);
}

/** Beside a file, from where what is finished can be moved to its name. */
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

/** Once for each place. A leftover that cannot be removed is no reason not to work. */
function sweep(place: string): void {
  if (swept.has(place)) return;
  swept.add(place);
  for (const folder of leftIn(place)) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Whoever comes next tries again.
    }
  }
}

/** What killed processes of this user left in the system's folder for temporary files. */
export function leftovers(): string[] {
  return leftIn(temporaryRoot());
}

function leftIn(place: string): string[] {
  try {
    const names = readdirSync(place).filter((name) => isLeftOver(path.join(place, name), name));
    return names.map((name) => path.join(place, name));
  } catch {
    // The place itself may be one that cannot be listed.
    return [];
  }
}

/** Only what this user's processes made: anybody may put anything into a shared folder. */
function isLeftOver(folder: string, name: string): boolean {
  const { pid, began, system } = NAME.exec(name)?.groups ?? {};
  if (pid === undefined || system === undefined) return false;
  const there = lstatSync(folder, { throwIfNoEntry: false });
  if (!there?.isDirectory() || isStrangers(there)) return false;
  if (system !== thisSystem()) return io().now() - there.mtimeMs > OTHER_SYSTEM_MS;
  return !isAlive({ pid: Number(pid), host: hostname(), began: began || null });
}

/** The ids of processes mean something in it alone. */
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
