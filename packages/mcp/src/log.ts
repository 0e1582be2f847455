/**
 * Messages for people. `log` writes to stderr; `logUnexpected` writes the details of an INTERNAL_ERROR to a file that
 * only this user can read, in the platform's folder for logs: `$XDG_STATE_HOME/argus`, `~/Library/Logs/argus`,
 * `%LOCALAPPDATA%\argus\Log`. Nothing is written to stdout, because it belongs to the protocol, or to a file of another
 * user.
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
import { messageOf } from './errors.ts';
import { userFolder } from './system/files/user-folder.ts';
import { isStrangers } from './system/files/way.ts';
import { absolutePath, io } from './system/io.ts';
import { fitToLeave } from './text/outgoing.ts';

/** Never follows a link, and never waits for a reader of a pipe. Windows has neither flag and does not need them. */
const APPEND =
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_WRONLY |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

const OWNER_ONLY_FOLDER_MODE = 0o700;
const OWNER_ONLY_FILE_MODE = 0o600;

/** Permission bits of the group and of other users. */
const FOR_OTHERS_MODE = 0o077;

/** Writes a line to stderr, without secrets. */
export function log(line: string): void {
  io().stderr.write(`argus: ${withoutSecrets(line)}\n`);
}

/** Removes secrets. If the engine itself failed, returns a fixed text, because the line could hold secrets. */
function withoutSecrets(line: string): string {
  try {
    return fitToLeave(line);
  } catch {
    return 'something went wrong, and what it was cannot be shown safely';
  }
}

/** An agent gets this reference instead of a stack trace. */
export interface LogReference {
  id: string;
  /** The log file that has the error, or "the server's stderr" if the file could not be written. */
  place: string;
}

/** Writes the whole error to the log file. The caller must remove secrets from the text first. */
export async function logUnexpected(text: string): Promise<LogReference> {
  const id = `err-${crypto.randomUUID().slice(0, 8)}`;
  try {
    const folder = logFolder();
    const file = path.join(folder, 'argus.log');
    prepareFolder(folder);
    append(file, `${new Date(io().now()).toISOString()} ${id} ${text}\n`);
    return { id, place: file };
  } catch (thrown) {
    // A full disk must not hide the error it caused.
    log(`${id} ${text}`);
    log(`there is no log file: ${messageOf(thrown)}`);
    return { id, place: "the server's stderr" };
  }
}

/** Throws when the account has no home folder. */
export function logFolder(): string {
  const given = givenFolder();
  if (given !== undefined) return given;
  const folder = userFolder('log');
  if (!path.isAbsolute(folder)) throw new Error(`'${folder}' is no absolute path`);
  return folder;
}

function givenFolder(): string | undefined {
  const given = io().env.ARGUS_LOG_DIR;
  return given ? absolutePath(given) : undefined;
}

/**
 * Creates the log folder for this user only. A folder from `ARGUS_LOG_DIR` keeps its permissions, because other
 * programs may use it too.
 */
function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER_MODE });
  const there = lstatSync(folder);
  if (!there.isDirectory()) throw new Error(`${folder} is no folder`);
  requireOwn(there, folder);
  if (folder !== givenFolder() && isOpenToOthers(there)) chmodSync(folder, OWNER_ONLY_FOLDER_MODE);
}

function append(file: string, line: string): void {
  const descriptor = openSync(file, APPEND, OWNER_ONLY_FILE_MODE);
  try {
    const there = fstatSync(descriptor);
    if (!there.isFile()) throw new Error(`${file} is no file`);
    // Another hard link to the file may be in a folder that other users can read.
    if (there.nlink > 1) throw new Error(`${file} has a second name`);
    requireOwn(there, file);
    if (isOpenToOthers(there)) fchmodSync(descriptor, OWNER_ONLY_FILE_MODE);
    writeSync(descriptor, line);
  } finally {
    closeSync(descriptor);
  }
}

function requireOwn(stats: Stats, what: string): void {
  if (isStrangers(stats)) throw new Error(`${what} belongs to another user`);
}

/** Always false on Windows, which keeps permissions elsewhere and gives a user's own folders to that user only. */
function isOpenToOthers({ mode }: Stats): boolean {
  return process.platform !== 'win32' && (mode & FOR_OTHERS_MODE) !== 0;
}
