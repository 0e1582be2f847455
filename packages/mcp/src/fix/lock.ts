/**
 * One process at a time works on a loop. The lock is a file that names its owner; one whose owner is gone is taken over.
 * Does not: wait.
 */

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { ArgusError, systemCodeOf } from '../errors.ts';

/** Two takeovers may meet; more than a few and something else is wrong. */
const TRIES = 5;

interface Owner {
  pid: number;
  host: string;
  /** When the process began, where the system says it: ids are used again. */
  began: string | null;
}

export class Lock {
  readonly #file: string;
  readonly #text: string;

  private constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
  }

  /** Throws LOOP_BUSY while another process, or another call of this one, has it. */
  static take(file: string): Lock {
    const own: Owner = { pid: process.pid, host: hostname(), began: statOf(process.pid).began };
    // The last part tells two calls of one process apart.
    const text = `${JSON.stringify({ ...own, call: crypto.randomUUID() })}\n`;
    for (let tries = 0; tries < TRIES; tries++) {
      if (created(file, text)) return new Lock(file, text);
      const found = readOrEmpty(file);
      if (found === '') continue;
      const owner = ownerOf(found);
      if (owner !== undefined && isAlive(owner)) throw busy(file, owner);
      removeStale(file, found);
    }
    throw busy(file, ownerOf(readOrEmpty(file)));
  }

  release(): void {
    if (readOrEmpty(this.#file) === this.#text) rmSync(this.#file, { force: true });
  }
}

/** Whole or not at all: somebody who reads it never sees half of it. */
function created(file: string, text: string): boolean {
  const draft = `${file}.${crypto.randomUUID()}`;
  try {
    writeFileSync(draft, text, { flag: 'wx' });
    linkSync(draft, file);
    return true;
  } catch (thrown) {
    if (systemCodeOf(thrown) === 'EEXIST') return false;
    if (systemCodeOf(thrown) === 'EPERM' || systemCodeOf(thrown) === 'ENOTSUP') return createdWithoutLink(file, text);
    throw thrown;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Some file systems have no links. */
function createdWithoutLink(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (thrown) {
    if (systemCodeOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

/** Another process may have taken it over in between: what is moved away is looked at, and put back if it is not stale. */
function removeStale(file: string, stale: string): void {
  const aside = `${file}.${crypto.randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  try {
    if (readOrEmpty(aside) !== stale) linkSync(aside, file);
  } catch {
    // There is a new one already; its owner and the one moved away both look again.
  } finally {
    rmSync(aside, { force: true });
  }
}

function ownerOf(text: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== 'object') return undefined;
    const { pid, host, began }: { pid?: unknown; host?: unknown; began?: unknown } = value;
    if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0 || typeof host !== 'string') return undefined;
    return { pid, host, began: typeof began === 'string' ? began : null };
  } catch {
    return undefined;
  }
}

/** Of another machine nothing can be known. */
function isAlive({ pid, host, began }: Owner): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if (systemCodeOf(thrown) !== 'EPERM') return false;
  }
  const { state, began: now } = statOf(pid);
  // Dead, but nobody has fetched its exit code: where the first process of a container fetches none, that lasts.
  if (state === 'Z' || state === 'X') return false;
  return began === null || now === null || now === began;
}

/** State, and clock tick of the beginning, of a process; none where the system does not say. */
function statOf(pid: number): { state: string | null; began: string | null } {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  // The name in brackets may hold spaces; the state is the first field behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] || null, began: fields[19] ?? null };
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function busy(file: string, owner: Owner | undefined): ArgusError {
  const who = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}`;
  const advice = `Wait for it, or end it; if it is gone for good, delete ${file}.`;
  return new ArgusError('LOOP_BUSY', `This fix loop is already being worked on by ${who}. ${advice}`);
}
