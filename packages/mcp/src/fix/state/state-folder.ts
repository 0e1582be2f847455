/**
 * The folder of a loop, `.claude/fixes/{command_hash}`: the state, the logs and fixes of the attempts, and the reports.
 * The rules check the state.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ArgusError, getErrorMessage, getSystemCode } from '../../errors.ts';
import { runGit } from '../../git/git.ts';
import { findTrackedPaths } from '../../git/repository.ts';
import { findTrustedDataFolder } from '../../owner/data-folder.ts';
import type { Project } from '../../owner/project.ts';
import { writeFileAtomically } from '../../system/files/atomic-file.ts';
import {
  belongsToOtherUser,
  findObstacle,
  findWorkTreeTop,
  ignoreInGit,
  restrictPermissions,
  tryLstat,
} from '../../system/files/path-safety.ts';
import { listNamesOrEmpty, readText, tryReadText } from '../../system/files/read.ts';
import { ProcessLock, readLockOwner } from '../../system/process-lock.ts';
import { sanitize, sanitizeDeep } from '../../text/sanitize.ts';
import { isOlderThanRetention } from '../snapshots/refs.ts';

/** Folder of all loops, relative to the project. */
export const LOOPS_FOLDER = path.join('.claude', 'fixes');

/** A state has a few kilobytes for each attempt. A larger file is not a state. */
const MAX_STATE_BYTES = 16 * 1024 * 1024;

const STATE_FILE = 'state.json';

/** Files that stay when a finished loop is archived. */
const UNARCHIVED_FILES = new Set(['lock', 'earlier']);

export class StateFolder {
  /** Absolute path. */
  readonly path: string;
  /** Path relative to the project with `/`, for reports. */
  readonly projectRelativePath: string;

  constructor(root: string, commandHash: string) {
    this.path = path.join(root, LOOPS_FOLDER, commandHash);
    this.projectRelativePath = `${LOOPS_FOLDER.split(path.sep).join('/')}/${commandHash}`;
  }

  /** Returns the folder of the loop that was used last, or undefined if the project has no loops. */
  static findNewest(root: string): StateFolder | undefined {
    const hashes = listNamesOrEmpty(path.join(root, LOOPS_FOLDER)).filter((name) => /^[0-9a-f]{8}$/u.test(name));
    const folders = hashes.map((hash) => new StateFolder(root, hash));
    const times = folders.map((folder) => ({ folder, at: readModificationTime(folder.getPath(STATE_FILE)) }));
    return times.filter(({ at }) => at > 0).sort((a, b) => b.at - a.at)[0]?.folder;
  }

  getPath(name: string): string {
    return path.join(this.path, name);
  }

  getLogPath(attempt: number): string {
    return this.getPath(`attempt_${attempt}.log`);
  }

  get exists(): boolean {
    return existsSync(this.getPath(STATE_FILE));
  }

  /** Creates the folder, hides it from git and acquires its lock. */
  createAndLock(): ProcessLock {
    return withWriteAdvice(this.path, () => {
      const fixes = path.dirname(this.path);
      // The parent folder gets default permissions, because it belongs to the project.
      mkdirSync(path.dirname(fixes), { recursive: true });
      mkdirSync(this.path, { recursive: true, mode: 0o700 });
      for (const folder of [fixes, this.path]) restrictPermissions(folder, 0o700);
      ignoreInGit(fixes);
      return lockLoop(this.getPath('lock'));
    });
  }

  /** Returns the text of the state, or undefined if there is none. */
  readState(): string | undefined {
    const file = this.getPath(STATE_FILE);
    try {
      return readText(file, { maxBytes: MAX_STATE_BYTES, links: 'refused' });
    } catch (thrown) {
      if (getSystemCode(thrown) === 'ENOENT') return undefined;
      const advice = 'It was not changed. Repair it, or move its folder away to start a new loop.';
      throw new ArgusError('STATE_UNREADABLE', `${file} cannot be used: ${getErrorMessage(thrown)}. ${advice}`);
    }
  }

  /**
   * Writes the state. This is the only file that is not redacted, because it must contain the exact commands so that
   * they can run again.
   */
  writeState(state: object): void {
    this.#write(STATE_FILE, `${JSON.stringify(state, null, 2)}\n`);
  }

  writeJson(name: string, value: object | null): void {
    this.#write(name, `${JSON.stringify(sanitizeDeep(value), null, 2)}\n`);
  }

  write(name: string, text: string): void {
    this.#write(name, sanitize(text));
  }

  #write(name: string, text: string): void {
    // Only the owner of the lock writes.
    withWriteAdvice(this.getPath(name), () => writeFileAtomically(this.getPath(name), text));
  }

  read(name: string): string | undefined {
    return tryReadText(this.getPath(name), { maxBytes: MAX_STATE_BYTES, links: 'refused' });
  }

  /** Moves the files to `earlier`, so that a new loop can start. Returns the new path. */
  archive(started: string): string {
    const base = path.join(this.path, 'earlier', started.replaceAll(/[^\w.-]/gu, '-') || 'unknown');
    let target = base;
    for (let number = 2; existsSync(target); number++) target = `${base}-${number}`;
    withWriteAdvice(target, () => {
      mkdirSync(target, { recursive: true, mode: 0o700 });
      const names = listNamesOrEmpty(this.path).filter((one) => !UNARCHIVED_FILES.has(one) && one !== STATE_FILE);
      // Move the state last. If the process is killed before that, the loop is still there.
      for (const name of [...names, STATE_FILE]) renameSync(this.getPath(name), path.join(target, name));
    });
    return `${this.projectRelativePath}/earlier/${path.basename(target)}`;
  }

  /**
   * Renames a file so that the next file with this name does not overwrite it. Returns the new name, or null if the
   * file does not exist.
   */
  renameInterruptedFile(name: string): string | null {
    const { name: base, ext } = path.parse(name);
    let newName = '';
    for (let number = 1; newName === '' || existsSync(this.getPath(newName)); number++)
      newName = `${base}_cut_off_${number}${ext}`;
    if (!existsSync(this.getPath(name))) return null;
    withWriteAdvice(this.getPath(newName), () => renameSync(this.getPath(name), this.getPath(newName)));
    return newName;
  }
}

/** Runs a function that writes a file. Converts an error of the operating system to an error with advice. */
export function withWriteAdvice<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof ArgusError) throw thrown;
    const reason = getSystemCode(thrown) ?? getErrorMessage(thrown);
    const advice = 'The earlier content is unchanged. Free some space or set permissions, then call again.';
    throw new ArgusError('STATE_NOT_WRITTEN', `${file} cannot be written (${reason}). ${advice}`, { cause: thrown });
  }
}

function readModificationTime(file: string): number {
  return tryLstat(file)?.mtimeMs ?? 0;
}

/** Locks a loop, so that only this process works on it. Throws LOOP_BUSY while another process has the lock. */
export function lockLoop(file: string): ProcessLock {
  const lock = ProcessLock.tryAcquire(file);
  if (lock !== undefined) return lock;
  const owner = readLockOwner(file);
  const who = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}`;
  const advice = `Wait for it or stop it. If it does not exist any more, delete ${file}.`;
  throw new ArgusError('LOOP_BUSY', `This fix loop is in use by ${who}. ${advice}`);
}

/*
 * Checks that a loop belongs to this user, because otherwise a state that came with a repository could run its command.
 * For each loop that the user started, the user's data folder has a mark with the path of the loop's folder.
 */

/** Folder of the marks in the data folder. */
const MARKS_FOLDER = 'loops';
/** A mark contains a path. */
const MAX_MARK_BYTES = 64 * 1024;

/** Folders of loops that this process started. They need no mark, so that loops work without a data folder. */
const foldersStartedHere = new Set<string>();

/**
 * Throws if a loop would be written through a link, into another user's folder, or into files that git tracks. `folder`
 * is the folder of the loop, if known.
 */
export async function requireSafeLocation(root: string, folder: StateFolder | undefined): Promise<void> {
  const obstacle = findObstacle(root, folder?.path ?? path.join(root, LOOPS_FOLDER));
  if (obstacle !== undefined) throw createWriteError(`${obstacle.text}, so no fix loop is kept there. Move it away.`);
  if (findWorkTreeTop(root) === undefined) return;
  const tracked = await findTrackedPaths(root, [LOOPS_FOLDER]);
  if (tracked === undefined) {
    const { problem } = await runGit(root, ['ls-files', '--', LOOPS_FOLDER]);
    const advice = `Repair git (${problem ?? 'it was too slow'}), then call again.`;
    throw createWriteError(
      `Argus does not write files that git tracks, and git did not answer whether it tracks files in ${LOOPS_FOLDER}. ${advice}`,
    );
  }
  if (tracked.size === 0) return;
  throw createWriteError(
    `git tracks files in ${LOOPS_FOLDER}, and Argus does not write tracked files. Run git rm -r --cached ${LOOPS_FOLDER}`,
  );
}

/**
 * Throws if another user started the loop in this folder. Rejects a folder without a state too, because its files may
 * be links.
 */
export async function requireStartedByUser({ top, home }: Project, folder: StateFolder): Promise<void> {
  if (foldersStartedHere.has(folder.path)) return;
  const data = await findTrustedDataFolder(top, home).catch(() => undefined);
  const stats = data === undefined ? undefined : tryLstat(getMarkPath(data, folder));
  if (stats?.isFile() && !belongsToOtherUser(stats)) return;
  const reason =
    'was not started by this user in this folder, so resuming could run a foreign command or write through links';
  throw new ArgusError(
    'STATE_UNREADABLE',
    `The loop in ${folder.path} ${reason}. Move the folder away to start a new loop.`,
  );
}

export async function markAsStarted({ top, home }: Project, folder: StateFolder): Promise<void> {
  foldersStartedHere.add(folder.path);
  try {
    const mark = getMarkPath(await findTrustedDataFolder(top, home), folder);
    mkdirSync(path.dirname(mark), { recursive: true, mode: 0o700 });
    writeFileSync(mark, `${JSON.stringify({ version: 1, folder: folder.path })}\n`, { mode: 0o600 });
  } catch {
    // Without a mark, only this process can continue the loop.
  }
}

/** Returns old marks whose folder no longer exists. */
export function listOldMarks(data: string, now: number): string[] {
  const folder = path.join(data, MARKS_FOLDER);
  const marks = tryLstat(folder)?.isDirectory() ? readdirSync(folder).map((name) => path.join(folder, name)) : [];
  return marks.filter((mark) => {
    const marked = readMark(mark);
    return (
      marked !== undefined &&
      tryLstat(marked) === undefined &&
      isOlderThanRetention(tryLstat(mark)?.mtimeMs ?? now, now)
    );
  });
}

/** Returns the folder in a mark, or undefined if the mark cannot be read. */
function readMark(mark: string): string | undefined {
  try {
    const { folder }: { folder?: unknown } = JSON.parse(readText(mark, { maxBytes: MAX_MARK_BYTES, links: 'refused' }));
    return typeof folder === 'string' && path.isAbsolute(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

function getMarkPath(data: string, folder: StateFolder): string {
  return path.join(data, MARKS_FOLDER, createHash('sha256').update(folder.path).digest('hex').slice(0, 32));
}

function createWriteError(message: string): ArgusError {
  return new ArgusError('STATE_NOT_WRITTEN', message);
}
