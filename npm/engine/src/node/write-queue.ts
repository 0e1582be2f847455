/**
 * First come, first served: calls that write a database wait here for one another, in whatever process they are, before
 * SQLite is asked for its lock. The data is guarded by SQLite's lock, which is taken all the same. So where this cannot
 * be used, or somebody in it stands still, nothing but the order is lost.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { WriteQueue } from '../host.ts';
import type { NativeLocks } from './lock-native.ts';
import { QueueFile } from './queue-file.ts';

/** Drawing a ticket takes microseconds, unless who draws was stopped just then. */
const DRAWING_PATIENCE_MS = 2_000;
/** A process that waits looks every few milliseconds; one that was stopped does not, and is passed over. */
const WAITING_PATIENCE_MS = 2_000;
/** Of one transaction; as long as SQLite waits for a lock. */
const WRITING_PATIENCE_MS = 8_000;
const LONGEST_NAP_MS = 20;

/** Runs work for which nothing is waited for long. */
export type Briefly = <T>(work: () => T) => T;

export class FileQueue implements WriteQueue {
  readonly #path: () => string;
  readonly #native: NativeLocks;
  readonly #briefly: Briefly;
  #file: QueueFile | undefined;
  #ticket: number | undefined;
  /** Locks of one open file do not see each other, so calls of one engine wait for the one before them. */
  #last: Promise<void> = Promise.resolve();

  /** `path` of the file; it may lead elsewhere once the database's folder is there. */
  constructor(path: () => string, native: NativeLocks, briefly: Briefly) {
    this.#path = path;
    this.#native = native;
    this.#briefly = briefly;
  }

  async inTurn<T>(work: () => T): Promise<T> {
    const before = this.#last;
    let next = () => {};
    this.#last = new Promise((resolve) => {
      next = resolve;
    });
    await before;
    try {
      const isInTurn = await this.#lineUp();
      return isInTurn ? work() : this.#briefly(work);
    } finally {
      this.#leave();
      next();
    }
  }

  async close(): Promise<void> {
    await this.#last;
    this.#abandon();
  }

  /** False: the turn did not come, because somebody has been writing for too long. */
  async #lineUp(): Promise<boolean> {
    try {
      const file = this.#open();
      if (file === undefined) return true;
      this.#ticket = await draw(file);
      if (this.#ticket === undefined) return true;
      if (!(await waitFor(file, this.#ticket))) return false;
      file.begin(this.#ticket);
    } catch {
      // A full disk, say. Then SQLite's lock alone decides who is next.
      this.#abandon();
    }
    return true;
  }

  #leave(): void {
    const ticket = this.#ticket;
    this.#ticket = undefined;
    if (ticket === undefined) return;
    try {
      this.#file?.giveBack(ticket);
    } catch {
      this.#abandon();
    }
  }

  /** The file that others use now, which may have been deleted with its folder and made again. */
  #open(): QueueFile | undefined {
    if (this.#file?.isCurrent() === false) this.#abandon();
    this.#file ??= QueueFile.open(this.#path(), this.#native, true);
    return this.#file;
  }

  /** Closing it frees whatever is locked. */
  #abandon(): void {
    this.#file?.close();
    this.#file = undefined;
    this.#ticket = undefined;
  }
}

async function draw(file: QueueFile): Promise<number | undefined> {
  const began = performance.now();
  for (;;) {
    const ticket = file.draw();
    if (ticket !== undefined || performance.now() - began > DRAWING_PATIENCE_MS) return ticket;
    await sleep(1);
  }
}

/** Patience is with the one at the front: a long line that moves is no reason to give up. */
async function waitFor(file: QueueFile, ticket: number): Promise<boolean> {
  let front = file.firstBefore(ticket);
  let since = performance.now();
  while (front !== undefined) {
    await sleep(Math.min(ticket - front.ticket, LONGEST_NAP_MS));
    const found = file.firstBefore(ticket, front.ticket);
    if (found?.ticket !== front.ticket || found.writing !== front.writing) since = performance.now();
    front = found;
    const waited = performance.now() - since;
    if (front?.writing === false && waited > WAITING_PATIENCE_MS) file.passOver(front.ticket);
    if (waited > WRITING_PATIENCE_MS) return false;
  }
  return true;
}
