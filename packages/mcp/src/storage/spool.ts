/**
 * Calls that could not be stored: one file each beside the database, `{callId, now, method, params}`, for this user
 * alone. They are taken in by whoever gets the lock next, in the order in which they were made.
 *
 * A repository can bring such files too, so each name carries a seal that only this user can make (`seal.ts`). Making
 * the calls: outbox.ts. What comes here is redacted already.
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

/** A call with everything that makes it the same call later. */
export interface WaitingCall<N extends WaitingCallName = WaitingCallName> {
  /** A UUIDv7: it gives the order, and the ids that the call makes. */
  callId: string;
  /** When it was made, in milliseconds since the epoch. */
  now: number;
  method: N;
  params: Calls[N]['params'];
  /** It was made on this machine too: the ids that were answered, by the names of their fields. */
  made?: Readonly<Record<string, string>>;
}

/** A call as it lies in its file. */
export interface WaitingFile {
  path: string;
  call: WaitingCall;
}

/** What lies in a spool. */
export interface SpoolCounts {
  waiting: number;
  /** Kept for a person to look at. */
  refused: number;
  /** The folders of those. */
  refusedIn: string[];
}

/** More would take longer to store than anybody waits for. */
const MAX_CALLS = 10_000;
/** A report of this size makes a call of this size; no test writes one. */
const MAX_CALL_BYTES = 256 * 1024 * 1024;
/** A draft whose writer was killed. */
const DRAFT_LIFETIME_MS = 10 * 60 * 1_000;

/** What a call is called that can never be stored. */
const REFUSED_SUFFIX = '.refused';

const NAME = /^([0-9a-f-]{36})\.([0-9a-f]{64})\.json$/u;

/** What a call that waited is called by others since. */
const IDS_NAME = /^[0-9a-f-]{36}\.([0-9a-f]{64})\.ids$/u;

export class Spool {
  readonly #folder: string;
  readonly #seal: Seal;
  readonly #earlierFolder: string | undefined;

  /** Calls are put into `folder`; what waits in `earlierFolder` is taken in too. */
  constructor(folder: string, seal: Seal, earlierFolder?: string) {
    this.#folder = folder;
    this.#seal = seal;
    this.#earlierFolder = earlierFolder;
  }

  /** Whether nothing waits; cheap enough to be asked before every call. */
  isEmpty(): boolean {
    return !this.#paths().some((file) => NAME.test(path.basename(file)));
  }

  counts(): SpoolCounts {
    const all = this.#paths();
    const refused = all.filter((file) => file.endsWith(REFUSED_SUFFIX));
    const waiting = all.filter((file) => NAME.test(path.basename(file))).length;
    return { waiting, refused: refused.length, refusedIn: [...new Set(refused.map((file) => path.dirname(file)))] };
  }

  /** Keeps a call; it is on the disk when this returns. `isRefused`: it is not sent until `takeBackRefused`. */
  async put(call: WaitingCall, isRefused = false): Promise<void> {
    const text = `${JSON.stringify(call)}\n`;
    if (Buffer.byteLength(text) > MAX_CALL_BYTES) throw new Error(`it is larger than ${MAX_CALL_BYTES} bytes`);
    const name = `${call.callId}.${await this.#seal.of(text)}.json`;
    if (names(this.#folder).length >= MAX_CALLS) throw new Error(`${MAX_CALLS} calls wait already`);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeWholeFile(path.join(this.#folder, isRefused ? `${name}${REFUSED_SUFFIX}` : name), text);
  }

  /** Keeps what ids of this machine stand for since a call was made. */
  async putIds(callId: string, ids: ReadonlyMap<string, string>): Promise<void> {
    if (ids.size === 0) return;
    const text = `${JSON.stringify([...ids])}\n`;
    writeWholeFile(path.join(this.#folder, `${callId}.${await this.#seal.of(text)}.ids`), text);
  }

  /** All that `putIds` has kept. */
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

  /** What waits, the oldest first. A file that this user did not write is left alone. */
  files(): Promise<WaitingFile[]> {
    return this.#calls((name) => name);
  }

  /** Like `files`, with refused calls. */
  allFiles(): Promise<WaitingFile[]> {
    return this.#calls(withoutRefusal);
  }

  /** `named` converts a file's name into the name that a waiting call has. */
  async #calls(named: (name: string) => string): Promise<WaitingFile[]> {
    const found: WaitingFile[] = [];
    for (const file of this.#paths()) {
      if (file.endsWith(DRAFT_SUFFIX)) discardOld(file);
      const [, callId = '', seal = ''] = NAME.exec(named(path.basename(file))) ?? [];
      if (callId === '') continue;
      const text = readCall(file);
      // Another process may have taken it in meanwhile.
      if (text === undefined) continue;
      const call = (await this.#seal.isOf(text, seal)) ? parse(text, callId) : undefined;
      if (call === undefined) log(`${file} was not written by this user, and is left as it is`);
      else found.push({ path: file, call });
    }
    return found;
  }

  /** Everything in both folders, by name. */
  #paths(): string[] {
    const folders = this.#earlierFolder === undefined ? [this.#folder] : [this.#folder, this.#earlierFolder];
    const paths = folders.flatMap((folder) => names(folder).map((name) => path.join(folder, name)));
    return paths.sort((a, b) => (path.basename(a) < path.basename(b) ? -1 : 1));
  }

  /** It is stored. */
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

  /** Lets refused calls wait again. */
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

/** Of a link to a folder none: what a repository links to is not Argus's. */
function names(folder: string): string[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}

/** Undefined for what is gone, and for what Argus does not write: a link, a pipe, a device, a file without end. */
function readCall(file: string): string | undefined {
  return textOf(file, { maxBytes: MAX_CALL_BYTES, links: 'refused' });
}

function discardOld(draft: string): void {
  try {
    const stats = lstatSync(draft);
    if (stats.isFile() && io().now() - stats.mtimeMs > DRAFT_LIFETIME_MS) rmSync(draft);
  } catch {
    // Its writer has finished it, or another process was faster.
  }
}
