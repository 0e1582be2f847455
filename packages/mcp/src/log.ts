/**
 * Messages for people. `log` writes to stderr. `logUnexpected` writes the details of an INTERNAL_ERROR to a file that
 * only this user can read, in the platform's folder for logs: `$XDG_STATE_HOME/argus`, `~/Library/Logs/argus`,
 * `%LOCALAPPDATA%\argus\Log`. Nothing is written to stdout, because stdout is for the protocol, and nothing is written
 * to a file of another user.
 */

import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  type Stats,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { getErrorMessage } from './errors.ts';
import { belongsToOtherUser } from './system/files/path-safety.ts';
import { getUserFolder } from './system/files/user-folder.ts';
import { io, toAbsolutePath } from './system/io.ts';
import { sanitize } from './text/sanitize.ts';

/**
 * Flags that prevent following a link and waiting for the reader of a pipe. Windows has neither flag and does not need
 * them.
 */
const APPEND_FLAGS =
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_WRONLY |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

const OWNER_ONLY_FOLDER_MODE = 0o700;
const OWNER_ONLY_FILE_MODE = 0o600;

/** Permission bits of the group and of other users. */
const OTHERS_PERMISSION_BITS = 0o077;

/** Writes a line to stderr, without secrets. */
export function log(line: string): void {
  io().stderr.write(`argus: ${redactSecrets(line)}\n`);
}

/** Removes secrets. If the engine fails, returns a fixed text, because the line may contain secrets. */
function redactSecrets(line: string): string {
  try {
    return sanitize(line);
  } catch {
    return 'an error occurred, but its text cannot be shown safely';
  }
}

/** A reference to a logged error. An agent gets it instead of a stack trace. */
export interface LogReference {
  id: string;
  /** The log file with the error, or "the server's stderr" if the file could not be written. */
  place: string;
}

/** Writes the details of an error to the log file. The caller must redact the text first. */
export async function logUnexpected(text: string): Promise<LogReference> {
  const id = `err-${crypto.randomUUID().slice(0, 8)}`;
  try {
    const folder = getLogFolder();
    const file = path.join(folder, 'argus.log');
    prepareFolder(folder);
    appendLine(file, `${new Date(io().now()).toISOString()} ${id} ${text}\n`);
    return { id, place: file };
  } catch (thrown) {
    // A full disk must not hide the error that it caused.
    log(`${id} ${text}`);
    log(`the log file cannot be written: ${getErrorMessage(thrown)}`);
    return { id, place: "the server's stderr" };
  }
}

/** Returns the folder for logs. Throws if the account has no home folder. */
export function getLogFolder(): string {
  const configured = getConfiguredFolder();
  if (configured !== undefined) return configured;
  const folder = getUserFolder('log');
  if (!path.isAbsolute(folder)) throw new Error(`'${folder}' is not an absolute path`);
  return folder;
}

function getConfiguredFolder(): string | undefined {
  const given = io().env.ARGUS_LOG_DIR;
  return given ? toAbsolutePath(given) : undefined;
}

/**
 * Creates the log folder for this user only. A folder from `ARGUS_LOG_DIR` keeps its permissions, because other
 * programs may use it too.
 */
function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER_MODE });
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) throw new Error(`${folder} is not a folder`);
  requireOwnedByUser(stats, folder);
  if (folder !== getConfiguredFolder() && isOpenToOthers(stats)) chmodSync(folder, OWNER_ONLY_FOLDER_MODE);
}

function appendLine(file: string, line: string): void {
  const descriptor = openSync(file, APPEND_FLAGS, OWNER_ONLY_FILE_MODE);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error(`${file} is not a file`);
    // Another hard link to the file may be in a folder that other users can read.
    if (stats.nlink > 1) throw new Error(`${file} has a second hard link, so Argus does not write to it`);
    requireOwnedByUser(stats, file);
    if (isOpenToOthers(stats)) fchmodSync(descriptor, OWNER_ONLY_FILE_MODE);
    writeSync(descriptor, line);
  } finally {
    closeSync(descriptor);
  }
}

function requireOwnedByUser(stats: Stats, file: string): void {
  if (belongsToOtherUser(stats)) throw new Error(`${file} belongs to another user`);
}

/**
 * True if other users have permissions. Always false on Windows, where a user's own folders are not accessible to other
 * users.
 */
function isOpenToOthers({ mode }: Stats): boolean {
  return process.platform !== 'win32' && (mode & OTHERS_PERMISSION_BITS) !== 0;
}
