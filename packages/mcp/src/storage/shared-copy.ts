/**
 * Imports the files of `.argus-shared` into a database in the user's data folder. If the files change, the database is
 * built again from all files, so that deleted entries disappear. A separate process imports large folders, because
 * otherwise anyone who can push could delay every first call. `owner/shared-files.ts` reads the files.
 */

import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { openEngine } from 'argus-engine';
import { getErrorMessage } from '../errors.ts';
import { log } from '../log.ts';
import { DRAFT_PREFIX, removeAbandonedCopies } from '../owner/data-folder.ts';
import { readSharedFiles, readSharedFolderState, type SharedFolderState } from '../owner/shared-files.ts';
import { listNamesOrEmpty } from '../system/files/read.ts';
import { io } from '../system/io.ts';
import { isProcessAlive, ProcessLock, readLockOwner } from '../system/process-lock.ts';
import { VERSION } from '../version.ts';
import type { EngineOptions } from './database.ts';

/** The command that starts the separate process. */
const IMPORT_COMMAND = 'take-shared';

/**
 * Maximum number of files that are imported in this process. Importing 100 files took a second on two cores (measured
 * 2026-11-28 with copies of a single fix), and a call should not take longer.
 */
const MAX_FILES_IN_PROCESS = 50;

/** The job for the separate process. */
interface ImportJob {
  top: string;
  /** The folder for the new database. */
  folder: string;
  opening: Omit<EngineOptions, 'log'>;
}

/** Databases that a separate process is building, by the root of their work tree. */
const pendingCopies = new Map<string, string>();

/**
 * Returns the database with the current files of a work tree. Returns undefined if there are no files, or while a
 * separate process imports them.
 */
export async function getSharedDatabase(
  top: string,
  folder: string,
  opening: EngineOptions,
): Promise<string | undefined> {
  const state = readSharedFolderState(top);
  if (state === undefined) {
    removeOtherCopies(folder, getFilePrefix(top), undefined);
    return undefined;
  }
  const copy = getCopyPath(state, { top, folder, opening });
  if (!existsSync(copy) && state.files > MAX_FILES_IN_PROCESS) {
    pendingCopies.set(top, copy);
    const { log: _, ...given } = opening;
    startImportProcess({ top, folder, opening: given });
    return undefined;
  }
  return importOrLog(copy, { top, folder, opening });
}

/**
 * Returns a string that changes with the state of the folder, and again when a separate process has finished the
 * import.
 */
export function computeSharedStamp(top: string): string | undefined {
  const stamp = readSharedFolderState(top)?.stamp;
  const copy = pendingCopies.get(top);
  return copy !== undefined && existsSync(copy) ? `${stamp} ${path.basename(copy)}` : stamp;
}

/** Returns warnings about shared files that are missing in an answer. */
export function getSharedWarnings(top: string): string[] {
  const state = readSharedFolderState(top);
  const copy = pendingCopies.get(top);
  return [
    ...(state?.leftOut === undefined ? [] : [`Some files of .argus-shared are missing: ${state.leftOut}.`]),
    ...(state === undefined || copy === undefined || existsSync(copy)
      ? []
      : [`${state.files} files of .argus-shared are being imported; later answers include them.`]),
  ];
}

/** Imports the files in this process. Does nothing if another process is importing them. */
export async function importShared({ top, folder, opening }: ImportJob): Promise<void> {
  const state = readSharedFolderState(top);
  if (state === undefined) return;
  const taking = { top, folder, opening: { ...opening, log } };
  const mark = getLockPath(folder, top);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = ProcessLock.tryAcquire(mark);
  if (lock === undefined) return;
  try {
    await importOrLog(getCopyPath(state, taking), taking);
  } finally {
    lock.release();
  }
}

function startImportProcess(taking: ImportJob): void {
  if (isImportRunning(getLockPath(taking.folder, taking.top))) return;
  const child = spawn(process.execPath, [io().program, IMPORT_COMMAND], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
    env: io().env,
  });
  // If the other process does not start, the files are missing in this answer, and the next call tries again.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(taking));
  child.unref();
}

function isImportRunning(mark: string): boolean {
  const owner = readLockOwner(mark);
  return owner !== undefined && isProcessAlive(owner);
}

function getLockPath(folder: string, top: string): string {
  return path.join(folder, `${getFilePrefix(top)}taking`);
}

/**
 * Returns the path of the database. It depends on the project's rules too, because with other rules a failure has
 * another signature.
 */
function getCopyPath({ stamp }: SharedFolderState, { top, folder, opening: { rules, secrets } }: ImportJob): string {
  return path.join(folder, `${getFilePrefix(top)}${hashText(JSON.stringify([stamp, VERSION, rules, secrets]))}.db`);
}

async function importOrLog(copy: string, { top, folder, opening }: ImportJob): Promise<string | undefined> {
  try {
    if (!existsSync(copy)) await buildDatabase(top, folder, copy, opening);
    removeOtherCopies(folder, getFilePrefix(top), path.basename(copy));
    return copy;
  } catch (thrown) {
    log(`the files of .argus-shared cannot be shown: ${getErrorMessage(thrown)}`);
    return undefined;
  }
}

async function buildDatabase(
  top: string,
  folder: string,
  copy: string,
  opening: Omit<EngineOptions, 'log'>,
): Promise<void> {
  const { files, faults } = readSharedFiles(top);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeAbandonedCopies(folder);
  const draft = path.join(folder, `${DRAFT_PREFIX}${randomUUID()}`);
  mkdirSync(draft, { mode: 0o700 });
  try {
    const database = path.join(draft, 'shared.db');
    const { secondaryPath: _, secondaryMemoryId: __, ...alone } = opening;
    const engine = await openEngine({ ...alone, databasePath: database, memoryId: randomUUID(), create: true });
    try {
      const { refused } = await engine.shareTake({ files });
      for (const { path: file, message } of [...faults, ...refused])
        log(`.argus-shared/${file} was not imported: ${message}`);
    } finally {
      await engine.close();
    }
    renameSync(database, copy);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Removes databases of earlier states. On Windows, a database that another process has opened stays. */
function removeOtherCopies(folder: string, prefix: string, kept: string | undefined): void {
  const others = listNamesOrEmpty(folder).filter((name) => name.startsWith(prefix) && name.includes('.db'));
  for (const name of others.filter((one) => kept === undefined || !one.startsWith(kept))) {
    try {
      rmSync(path.join(folder, name), { recursive: true, force: true });
    } catch {
      // The next change tries again.
    }
  }
}

function getFilePrefix(top: string): string {
  return `shared-${hashText(top)}-`;
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
