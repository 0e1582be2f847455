/**
 * Imports the files of `.argus-shared` into a database in the user's data folder. The database is rebuilt from all
 * files whenever the files change, so that deleted entries disappear. A separate process imports large folders, because
 * anyone who can push could otherwise delay every first call. For the files themselves see `owner/shared-files.ts`.
 */

import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openEngine } from 'argus-engine';
import { messageOf, systemCodeOf } from '../errors.ts';
import { log } from '../log.ts';
import { DRAFT_PREFIX, removeLeftCopies } from '../owner/left-copies.ts';
import { readShared, type SharedState, sharedState } from '../owner/shared-files.ts';
import { namesOrEmpty, textOrEmpty } from '../system/files/or-empty.ts';
import { io } from '../system/io.ts';
import { isAlive, ownerOf, thisProcess } from '../system/process-owner.ts';
import { VERSION } from '../version.ts';
import type { Opening } from './database.ts';

/** The command that starts the separate process. */
const TAKE_SHARED = 'take-shared';

/**
 * Importing 100 files took a second on two cores (2026-11-28, copies of one fix), and a call should not wait longer.
 */
const MAX_AT_ONCE = 50;

/** The work for the separate process. */
interface Taking {
  top: string;
  /** The folder for the new database. */
  folder: string;
  opening: Omit<Opening, 'log'>;
}

/** Databases that a separate process is building, by the root of their work tree. */
const waiting = new Map<string, string>();

/**
 * Returns the database for the present files of a work tree. Returns undefined without files, or while a separate
 * process imports them.
 */
export async function sharedCopy(top: string, folder: string, opening: Opening): Promise<string | undefined> {
  const state = sharedState(top);
  if (state === undefined) {
    removeOthers(folder, prefixOf(top), undefined);
    return undefined;
  }
  const copy = copyFor(state, { top, folder, opening });
  if (!existsSync(copy) && state.files > MAX_AT_ONCE) {
    waiting.set(top, copy);
    const { log: _, ...given } = opening;
    startTaking({ top, folder, opening: given });
    return undefined;
  }
  return takeIn(copy, { top, folder, opening });
}

/** A string that changes with the state of the folder, and again when a separate process has finished the import. */
export function stampOfShared(top: string): string | undefined {
  const stamp = sharedState(top)?.stamp;
  const copy = waiting.get(top);
  return copy !== undefined && existsSync(copy) ? `${stamp} ${path.basename(copy)}` : stamp;
}

/** Warnings about shared files that are missing from an answer. */
export function sharedNotes(top: string): string[] {
  const state = sharedState(top);
  const copy = waiting.get(top);
  return [
    ...(state?.leftOut === undefined ? [] : [`Of .argus-shared not all is known: ${state.leftOut}.`]),
    ...(state === undefined || copy === undefined || existsSync(copy)
      ? []
      : [`${state.files} files of .argus-shared are being taken in; later answers have them.`]),
  ];
}

/** Imports the files in this process. Does nothing if another process is already importing them. */
export async function takeShared({ top, folder, opening }: Taking): Promise<void> {
  const state = sharedState(top);
  if (state === undefined) return;
  const taking = { top, folder, opening: { ...opening, log } };
  const mark = markOf(folder, top);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (isTaken(mark)) return;
  rmSync(mark, { force: true });
  try {
    writeFileSync(mark, JSON.stringify(thisProcess()), { flag: 'wx', mode: 0o600 });
  } catch (thrown) {
    // Another process was first.
    if (systemCodeOf(thrown) === 'EEXIST') return;
    throw thrown;
  }
  try {
    await takeIn(copyFor(state, taking), taking);
  } finally {
    rmSync(mark, { force: true });
  }
}

function startTaking(taking: Taking): void {
  if (isTaken(markOf(taking.folder, taking.top))) return;
  const child = spawn(process.execPath, [io().program, TAKE_SHARED], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
    env: io().env,
  });
  // Without the other process the files are missing from this answer, and the next call tries again.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(taking));
  child.unref();
}

function isTaken(mark: string): boolean {
  const owner = ownerOf(textOrEmpty(mark));
  return owner !== undefined && isAlive(owner);
}

function markOf(folder: string, top: string): string {
  return path.join(folder, `${prefixOf(top)}taking`);
}

/** The name depends on the project's rules too, because other rules give a failure another signature. */
function copyFor({ stamp }: SharedState, { top, folder, opening: { rules, secrets } }: Taking): string {
  return path.join(folder, `${prefixOf(top)}${digest(JSON.stringify([stamp, VERSION, rules, secrets]))}.db`);
}

async function takeIn(copy: string, { top, folder, opening }: Taking): Promise<string | undefined> {
  try {
    if (!existsSync(copy)) await make(top, folder, copy, opening);
    removeOthers(folder, prefixOf(top), path.basename(copy));
    return copy;
  } catch (thrown) {
    log(`what .argus-shared holds is not shown: ${messageOf(thrown)}`);
    return undefined;
  }
}

async function make(top: string, folder: string, copy: string, opening: Omit<Opening, 'log'>): Promise<void> {
  const { files, faults } = readShared(top);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeLeftCopies(folder);
  const draft = path.join(folder, `${DRAFT_PREFIX}${randomUUID()}`);
  mkdirSync(draft, { mode: 0o700 });
  try {
    const database = path.join(draft, 'shared.db');
    const { secondaryPath: _, secondaryMemoryId: __, ...alone } = opening;
    const engine = await openEngine({ ...alone, databasePath: database, memoryId: randomUUID(), create: true });
    try {
      const { refused } = await engine.shareTake({ files });
      for (const { path: file, message } of [...faults, ...refused])
        log(`.argus-shared/${file} is not taken in: ${message}`);
    } finally {
      await engine.close();
    }
    renameSync(database, copy);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Removes copies of earlier states. On Windows, copies that another process has open stay. */
function removeOthers(folder: string, mine: string, kept: string | undefined): void {
  const others = namesOrEmpty(folder).filter((name) => name.startsWith(mine) && name.includes('.db'));
  for (const name of others.filter((one) => kept === undefined || !one.startsWith(kept))) {
    try {
      rmSync(path.join(folder, name), { recursive: true, force: true });
    } catch {
      // The next change tries again.
    }
  }
}

function prefixOf(top: string): string {
  return `shared-${digest(top)}-`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
