/**
 * A folder beside the database for calls that could not be stored. Each call is one file, readable only by this user,
 * with `{callId, now, method, params}`. The next process that gets the lock stores the calls in the order in which they
 * were made.
 *
 * A repository can contain such files too, so each name has a seal that only this user can create (`seal.ts`).
 * `outbox.ts` makes the calls. All texts are redacted before they get here.
 */

import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Calls } from 'argus-engine';
import { log } from '../log.ts';
import { textOf } from '../system/files/read.ts';
import { DRAFT_SUFFIX, writeWholeFile } from '../system/files/whole-file.ts';
import { io } from '../system/io.ts';
import type { Seal } from './seal.ts';

/** The calls that may wait. */
export type WaitingCallName = 'recordRun' | 'diagnose' | 'reportFix' | 'addIncident' | 'addSolution' | 'recordOutcome';

const WAITING_CALLS: readonly string[] = [
  'recordRun',
  'diagnose',
  'reportFix',
  'addIncident',
  'addSolution',
  'recordOutcome',
] satisfies WaitingCallName[];

/** A call with all the values that make a repetition the same call. */
export interface WaitingCall<N extends WaitingCallName = WaitingCallName> {
  /** A UUIDv7. It gives the order of the calls and is the seed of the ids that the call creates. */
  callId: string;
  /** The time of the call in milliseconds since the epoch. */
  now: number;
  method: N;
  params: Calls[N]['params'];
  /** Set when the call was also stored on this machine: the ids in the result, by field name. */
  made?: Readonly<Record<string, string>>;
}

/** A waiting call and the path of its file. */
export interface WaitingFile {
  path: string;
  call: WaitingCall;
}

export interface SpoolCounts {
  waiting: number;
  /** Refused calls, which are kept for a person to look at. */
  refused: number;
  /** The folders of the refused calls. */
  refusedIn: string[];
}

/** More calls would take longer to store than a user waits. */
const MAX_CALLS = 10_000;
/** The call for a report of this size has about the same size, and no test run writes such a report. */
const MAX_CALL_BYTES = 256 * 1024 * 1024;
/** Older drafts belong to a process that was killed. */
const DRAFT_LIFETIME_MS = 10 * 60 * 1_000;

/** The suffix of a call that can never be stored. */
const REFUSED_SUFFIX = '.refused';

const NAME = /^([0-9a-f-]{36})\.([0-9a-f]{64})\.json$/u;

/** The name of a file that maps ids of this machine to the team's ids. */
const IDS_NAME = /^[0-9a-f-]{36}\.([0-9a-f]{64})\.ids$/u;

export class Spool {
  readonly #folder: string;
  readonly #seal: Seal;
  readonly #earlierFolder: string | undefined;

  /** New calls go into `folder`. Calls in `earlierFolder` are stored too. */
  constructor(folder: string, seal: Seal, earlierFolder?: string) {
    this.#folder = folder;
    this.#seal = seal;
    this.#earlierFolder = earlierFolder;
  }

  /** Cheap enough to be called before every call of the engine. */
  isEmpty(): boolean {
    return !this.#paths().some((file) => NAME.test(path.basename(file)));
  }

  counts(): SpoolCounts {
    const all = this.#paths();
    const refused = all.filter((file) => file.endsWith(REFUSED_SUFFIX));
    const waiting = all.filter((file) => NAME.test(path.basename(file))).length;
    return { waiting, refused: refused.length, refusedIn: [...new Set(refused.map((file) => path.dirname(file)))] };
  }

  /** Writes a call to the disk. A refused call (`isRefused`) is not sent until `takeBackRefused`. */
  async put(call: WaitingCall, isRefused = false): Promise<void> {
    const text = `${JSON.stringify(call)}\n`;
    if (Buffer.byteLength(text) > MAX_CALL_BYTES) throw new Error(`it is larger than ${MAX_CALL_BYTES} bytes`);
    const name = `${call.callId}.${await this.#seal.of(text)}.json`;
    if (names(this.#folder).length >= MAX_CALLS) throw new Error(`${MAX_CALLS} calls wait already`);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeWholeFile(path.join(this.#folder, isRefused ? `${name}${REFUSED_SUFFIX}` : name), text);
  }

  /** Stores which of the team's ids replace the ids of this machine. */
  async putIds(callId: string, ids: ReadonlyMap<string, string>): Promise<void> {
    if (ids.size === 0) return;
    const text = `${JSON.stringify([...ids])}\n`;
    writeWholeFile(path.join(this.#folder, `${callId}.${await this.#seal.of(text)}.ids`), text);
  }

  /** All mappings that `putIds` has stored. */
  async ids(): Promise<Map<string, string>> {
    const all = new Map<string, string>();
    for (const file of this.#paths()) {
      const [, seal = ''] = IDS_NAME.exec(path.basename(file)) ?? [];
      const text = seal === '' ? undefined : readCall(file);
      if (text === undefined || !(await this.#seal.isOf(text, seal))) continue;
      const ids: [string, string][] = JSON.parse(text);
      for (const [own, team] of ids) all.set(own, team);
    }
    return all;
  }

  /** The waiting calls, oldest first. Files that this user did not write are ignored and stay. */
  files(): Promise<WaitingFile[]> {
    return this.#calls((name) => name);
  }

  /** Like `files`, with refused calls. */
  allFiles(): Promise<WaitingFile[]> {
    return this.#calls(withoutRefusal);
  }

  /** `named` converts the name of a file into the name of a waiting call. */
  async #calls(named: (name: string) => string): Promise<WaitingFile[]> {
    const found: WaitingFile[] = [];
    for (const file of this.#paths()) {
      if (file.endsWith(DRAFT_SUFFIX)) discardOld(file);
      const [, callId = '', seal = ''] = NAME.exec(named(path.basename(file))) ?? [];
      if (callId === '') continue;
      const text = readCall(file);
      // Another process may have stored the call meanwhile.
      if (text === undefined) continue;
      const call = (await this.#seal.isOf(text, seal)) ? parse(text, callId) : undefined;
      if (call === undefined) log(`${file} was not written by this user, and is left as it is`);
      else found.push({ path: file, call });
    }
    return found;
  }

  /** All files in both folders, sorted by name. */
  #paths(): string[] {
    const folders = this.#earlierFolder === undefined ? [this.#folder] : [this.#folder, this.#earlierFolder];
    const paths = folders.flatMap((folder) => names(folder).map((name) => path.join(folder, name)));
    return paths.sort((a, b) => (path.basename(a) < path.basename(b) ? -1 : 1));
  }

  /** Called after the call was stored. */
  remove({ path: file }: WaitingFile): void {
    rmSync(file, { force: true });
  }

  /** Marks calls as refused and logs the reason once. */
  refuse(files: readonly WaitingFile[], reason: string): void {
    const [first] = files;
    if (first === undefined) return;
    const [what, where] =
      files.length === 1
        ? [`A ${first.call.method} that waited`, `It is kept as ${first.path}${REFUSED_SUFFIX}`]
        : [`${files.length} calls that waited`, `They are kept as ${path.dirname(first.path)}/*${REFUSED_SUFFIX}`];
    log(`${what} cannot be stored: ${reason} ${where}`);
    for (const { path: file } of files) rename(file, `${file}${REFUSED_SUFFIX}`);
  }

  takeBackRefused(): void {
    for (const file of this.#paths()) if (file.endsWith(REFUSED_SUFFIX)) rename(file, withoutRefusal(file));
  }
}

function withoutRefusal(file: string): string {
  return file.endsWith(REFUSED_SUFFIX) ? file.slice(0, -REFUSED_SUFFIX.length) : file;
}

function rename(file: string, to: string): void {
  try {
    renameSync(file, to);
  } catch {
    // Another process was faster.
  }
}

function parse(text: string, callId: string): WaitingCall | undefined {
  try {
    const call: WaitingCall = JSON.parse(text);
    return call.callId === callId && WAITING_CALLS.includes(call.method) ? call : undefined;
  } catch {
    return undefined;
  }
}

/** Returns nothing for a link to a folder, because a repository can link to a folder that is not Argus's. */
function names(folder: string): string[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}

/**
 * Undefined for a missing file and for anything that Argus does not write, such as a link, a pipe, a device or an
 * endless file.
 */
function readCall(file: string): string | undefined {
  return textOf(file, { maxBytes: MAX_CALL_BYTES, links: 'refused' });
}

function discardOld(draft: string): void {
  try {
    const stats = lstatSync(draft);
    if (stats.isFile() && io().now() - stats.mtimeMs > DRAFT_LIFETIME_MS) rmSync(draft);
  } catch {
    // The writer has finished the draft, or another process has removed it.
  }
}
