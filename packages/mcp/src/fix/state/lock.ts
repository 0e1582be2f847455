/**
 * Lets only one process work on a loop. The lock is a file that names its owner. A lock whose owner no longer runs is
 * taken over. Taking a lock never waits.
 */

import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { ArgusError, systemCodeOf } from '../../errors.ts';
import { textOrEmpty } from '../../system/files/or-empty.ts';
import { isAlive, type Owner, ownerOf, thisProcess } from '../../system/process-owner.ts';

/** Takeovers of two processes may collide. More collisions indicate another problem. */
const MAX_TRIES = 5;

export class Lock {
  readonly #file: string;
  readonly #text: string;

  private constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
  }

  /** Throws LOOP_BUSY while another process, or another call in this process, has the lock. */
  static take(file: string): Lock {
    // The last part distinguishes two calls of the same process.
    const text = `${JSON.stringify({ ...thisProcess(), call: crypto.randomUUID() })}\n`;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (created(file, text)) return new Lock(file, text);
      const found = textOrEmpty(file);
      if (found === '') continue;
      const owner = ownerOf(found);
      if (owner !== undefined && isAlive(owner)) throw busy(file, owner);
      removeStale(file, found);
    }
    throw busy(file, ownerOf(textOrEmpty(file)));
  }

  release(): void {
    if (textOrEmpty(this.#file) === this.#text) rmSync(this.#file, { force: true });
  }
}

/** Creates the whole file or nothing, so that a reader never sees a part of it. */
function created(file: string, text: string): boolean {
  const draft = `${file}.${crypto.randomUUID()}`;
  try {
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600 });
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

/** Some file systems have no hard links. */
function createdWithoutLink(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (thrown) {
    if (systemCodeOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

/**
 * Removes a stale lock. Another process may have taken it over in the meantime, so the moved file is checked, and put
 * back if it is not stale.
 */
function removeStale(file: string, stale: string): void {
  const aside = `${file}.${crypto.randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  try {
    if (textOrEmpty(aside) !== stale) linkSync(aside, file);
  } catch {
    // A new lock exists already. Both owners check the lock again.
  } finally {
    rmSync(aside, { force: true });
  }
}

function busy(file: string, owner: Owner | undefined): ArgusError {
  const who = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}`;
  const advice = `Wait for it, or end it; if it is gone for good, delete ${file}.`;
  return new ArgusError('LOOP_BUSY', `This fix loop is already being worked on by ${who}. ${advice}`);
}
