/**
 * A folder next to the database for calls that could not be stored. Each call is a file that only this user can read,
 * with `{callId, now, method, params}`. The next process that gets the lock stores the calls in the order in which they
 * were made.
 *
 * A repository may contain such files too, so each name contains a seal that only this user can create (`FileHmac`).
 * `outbox.ts` makes the calls. All texts are redacted before they are written.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Calls } from 'argus-engine';
import { getSystemCode } from '../errors.ts';
import { log } from '../log.ts';
import { createFileAtomically, DRAFT_SUFFIX, writeFileAtomically } from '../system/files/atomic-file.ts';
import { readBytes, tryReadText } from '../system/files/read.ts';
import { io } from '../system/io.ts';

/** The calls that can wait. */
export type WaitingCallName = 'recordRun' | 'diagnose' | 'reportFix' | 'addIncident' | 'addSolution' | 'recordOutcome';

const WAITING_CALLS: readonly string[] = [
  'recordRun',
  'diagnose',
  'reportFix',
  'addIncident',
  'addSolution',
  'recordOutcome',
] satisfies WaitingCallName[];

/** A call with its id and its time. With them, a repetition is recognized as the same call. */
export interface WaitingCall<N extends WaitingCallName = WaitingCallName> {
  /** A UUIDv7. It determines the order of the calls, and the ids that the call creates are derived from it. */
  callId: string;
  /** Time of the call in milliseconds since 1970. */
  now: number;
  method: N;
  params: Calls[N]['params'];
  /** Set if the call was also stored on this machine: the ids in the result, by field name. */
  made?: Readonly<Record<string, string>>;
}

/** A waiting call and the path of its file. */
export interface WaitingFile {
  path: string;
  call: WaitingCall;
}

export interface SpoolCounts {
  waiting: number;
  /** Number of refused calls, which are kept so that a person can look at them. */
  refused: number;
  /** The folders of the refused calls. */
  refusedIn: string[];
}

/** Storing more calls would take longer than a user waits. */
const MAX_CALLS = 10_000;
/** The call for a report of this size has about the same size, and no test run writes a larger report. */
const MAX_CALL_BYTES = 256 * 1024 * 1024;
/** Older drafts belong to a process that was killed. */
const MAX_DRAFT_AGE_MS = 10 * 60 * 1_000;

/** Suffix of the file of a refused call. */
const REFUSED_SUFFIX = '.refused';

const CALL_FILE_NAME = /^([0-9a-f-]{36})\.([0-9a-f]{64})\.json$/u;

/** Name of a file that maps ids of this machine to the team's ids. */
const IDS_FILE_NAME = /^[0-9a-f-]{36}\.([0-9a-f]{64})\.ids$/u;

export class Spool {
  readonly #folder: string;
  readonly #seal: FileHmac;
  readonly #earlierFolder: string | undefined;

  /** New calls are written to `folder`. Calls in `earlierFolder` are read too. */
  constructor(folder: string, seal: FileHmac, earlierFolder?: string) {
    this.#folder = folder;
    this.#seal = seal;
    this.#earlierFolder = earlierFolder;
  }

  /** Cheap, so that it can be called before every call of the engine. */
  isEmpty(): boolean {
    return !this.#listPaths().some((file) => CALL_FILE_NAME.test(path.basename(file)));
  }

  counts(): SpoolCounts {
    const all = this.#listPaths();
    const refused = all.filter((file) => file.endsWith(REFUSED_SUFFIX));
    const waiting = all.filter((file) => CALL_FILE_NAME.test(path.basename(file))).length;
    return { waiting, refused: refused.length, refusedIn: [...new Set(refused.map((file) => path.dirname(file)))] };
  }

  /** Writes a call to the disk. A refused call is not sent until `releaseRefused` is called. */
  async writeCall(call: WaitingCall, isRefused = false): Promise<void> {
    const text = `${JSON.stringify(call)}\n`;
    if (Buffer.byteLength(text) > MAX_CALL_BYTES) throw new Error(`it is larger than ${MAX_CALL_BYTES} bytes`);
    const name = `${call.callId}.${await this.#seal.compute(text)}.json`;
    if (listNames(this.#folder).length >= MAX_CALLS) throw new Error(`${MAX_CALLS} calls are already waiting`);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileAtomically(path.join(this.#folder, isRefused ? `${name}${REFUSED_SUFFIX}` : name), text);
  }

  /** Stores which ids of the team replace ids of this machine. */
  async writeIds(callId: string, ids: ReadonlyMap<string, string>): Promise<void> {
    if (ids.size === 0) return;
    const text = `${JSON.stringify([...ids])}\n`;
    writeFileAtomically(path.join(this.#folder, `${callId}.${await this.#seal.compute(text)}.ids`), text);
  }

  /** Returns all mappings that `writeIds` has stored. */
  async readIds(): Promise<Map<string, string>> {
    const all = new Map<string, string>();
    for (const file of this.#listPaths()) {
      const [, seal = ''] = IDS_FILE_NAME.exec(path.basename(file)) ?? [];
      const text = seal === '' ? undefined : readCallText(file);
      if (text === undefined || !(await this.#seal.matches(text, seal))) continue;
      const ids: [string, string][] = JSON.parse(text);
      for (const [own, team] of ids) all.set(own, team);
    }
    return all;
  }

  /** Returns the waiting calls, the oldest first. Files that this user did not write are ignored and stay. */
  readWaiting(): Promise<WaitingFile[]> {
    return this.#readCalls((name) => name);
  }

  /** Like `readWaiting`, with refused calls. */
  readAll(): Promise<WaitingFile[]> {
    return this.#readCalls(removeRefusedSuffix);
  }

  /** `toCallName` converts the name of a file to the name of a waiting call. */
  async #readCalls(toCallName: (name: string) => string): Promise<WaitingFile[]> {
    const found: WaitingFile[] = [];
    for (const file of this.#listPaths()) {
      if (file.endsWith(DRAFT_SUFFIX)) removeIfOld(file);
      const [, callId = '', seal = ''] = CALL_FILE_NAME.exec(toCallName(path.basename(file))) ?? [];
      if (callId === '') continue;
      const text = readCallText(file);
      // Another process may have stored the call in the meantime.
      if (text === undefined) continue;
      const call = (await this.#seal.matches(text, seal)) ? parseCall(text, callId) : undefined;
      if (call === undefined) log(`${file} was not written by this user, so it was ignored`);
      else found.push({ path: file, call });
    }
    return found;
  }

  /** Returns all files of both folders, sorted by name. */
  #listPaths(): string[] {
    const folders = this.#earlierFolder === undefined ? [this.#folder] : [this.#folder, this.#earlierFolder];
    const paths = folders.flatMap((folder) => listNames(folder).map((name) => path.join(folder, name)));
    return paths.sort((a, b) => (path.basename(a) < path.basename(b) ? -1 : 1));
  }

  /** Removes a call that was stored. */
  remove({ path: file }: WaitingFile): void {
    rmSync(file, { force: true });
  }

  /** Marks calls as refused, and logs the reason once. */
  markRefused(files: readonly WaitingFile[], reason: string): void {
    const [first] = files;
    if (first === undefined) return;
    const [what, where] =
      files.length === 1
        ? [`A ${first.call.method} that waited`, `It is kept as ${first.path}${REFUSED_SUFFIX}`]
        : [`${files.length} calls that waited`, `They are kept as ${path.dirname(first.path)}/*${REFUSED_SUFFIX}`];
    log(`${what} cannot be stored: ${reason} ${where}`);
    for (const { path: file } of files) tryRename(file, `${file}${REFUSED_SUFFIX}`);
  }

  releaseRefused(): void {
    for (const file of this.#listPaths()) if (file.endsWith(REFUSED_SUFFIX)) tryRename(file, removeRefusedSuffix(file));
  }
}

function removeRefusedSuffix(file: string): string {
  return file.endsWith(REFUSED_SUFFIX) ? file.slice(0, -REFUSED_SUFFIX.length) : file;
}

function tryRename(file: string, to: string): void {
  try {
    renameSync(file, to);
  } catch {
    // Another process was faster.
  }
}

function parseCall(text: string, callId: string): WaitingCall | undefined {
  try {
    const call: WaitingCall = JSON.parse(text);
    return call.callId === callId && WAITING_CALLS.includes(call.method) ? call : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns an empty list for a link to a folder, because a repository may link to a folder that does not belong to
 * Argus.
 */
function listNames(folder: string): string[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}

/**
 * Returns undefined for a missing file, and for anything that Argus does not write, such as a link, a pipe, a device or
 * an endless file.
 */
function readCallText(file: string): string | undefined {
  return tryReadText(file, { maxBytes: MAX_CALL_BYTES, links: 'refused' });
}

function removeIfOld(draft: string): void {
  try {
    const stats = lstatSync(draft);
    if (stats.isFile() && io().now() - stats.mtimeMs > MAX_DRAFT_AGE_MS) rmSync(draft);
  } catch {
    // The writer has finished the draft, or another process has removed it.
  }
}

const KEY_BYTES = 32;

/**
 * Proves that a file was written by this user on this machine: an HMAC-SHA256 with a key in the user's data folder. The
 * files themselves are not encrypted.
 */
export class FileHmac {
  readonly #folder: () => Promise<string>;
  #key: Promise<Buffer> | undefined;

  /** `folder` returns the folder of the key. The folder must not come from a repository. */
  constructor(folder: () => Promise<string>) {
    this.#folder = folder;
  }

  /** Returns the HMAC of a text as 64 hex digits. */
  async compute(text: string): Promise<string> {
    this.#key ??= this.#folder().then(readOrCreateKey);
    // The next call tries again, because a person may make the folder writable or delete a damaged key.
    this.#key.catch(() => {
      this.#key = undefined;
    });
    return createHmac('sha256', await this.#key)
      .update(text)
      .digest('hex');
  }

  async matches(text: string, seal: string): Promise<boolean> {
    const own = Buffer.from(await this.compute(text), 'hex');
    const given = Buffer.from(seal, 'hex');
    return own.length === given.length && timingSafeEqual(own, given);
  }
}

/** Reads the key, or creates it if there is none. */
function readOrCreateKey(folder: string): Buffer {
  const file = path.join(folder, 'spool.key');
  const known = readKey(file);
  if (known !== undefined) return known;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  createFileAtomically(file, randomBytes(KEY_BYTES));
  const created = readKey(file);
  if (created === undefined) throw new Error(`${file} is not a valid key; delete it`);
  return created;
}

function readKey(file: string): Buffer | undefined {
  try {
    const key = readBytes(file, { maxBytes: KEY_BYTES + 1 });
    return key.length === KEY_BYTES ? key : undefined;
  } catch (thrown) {
    if (getSystemCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}
