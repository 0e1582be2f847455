/**
 * First come, first served: calls that write a database wait here for one another, in whatever process they are, before
 * SQLite is asked for its lock. The data is guarded by SQLite's lock, which is taken all the same. So where this cannot
 * be used, or somebody in it stands still, nothing but the order is lost.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { WriteQueue } from '../host.ts';
import type { NativeLocks } from './lock-native.ts';
import { QueueFile } from './queue-file.ts';

/** How long a writer waits for other processes, in milliseconds. */
export interface Patience {
  /** To draw a ticket. Drawing takes microseconds unless the other process was stopped while it drew. */
  readonly drawingMs: number;
  /** Until the writer at the front changes. */
  readonly writingMs: number;
  /** Until its turn comes, even if the queue moves. */
  readonly turnMs: number;
}

/** A transaction gets as long as SQLite waits for a lock. A long queue that moves is waited for. */
export const PATIENT: Patience = { drawingMs: 2_000, writingMs: 8_000, turnMs: Number.POSITIVE_INFINITY };
/** For callers that can keep a call in the spool instead. */
export const IMPATIENT: Patience = { drawingMs: 500, writingMs: 500, turnMs: 500 };

/** A process that waits looks every few milliseconds; one that was stopped does not, and is passed over. */
const WAITING_PATIENCE_MS = 2_000;
const LONGEST_NAP_MS = 20;

/** Runs work for which nothing is waited for long. */
export type Briefly = <T>(work: () => T) => T;

export class FileQueue implements WriteQueue {
  readonly #path: () => string;
  readonly #native: NativeLocks;
  readonly #patience: Patience;
  readonly #briefly: Briefly;
  #file: QueueFile | undefined;
  #ticket: number | undefined;
  /** Locks of one open file do not see each other, so calls of one engine wait for the one before them. */
  #last: Promise<void> = Promise.resolve();

  /** `path` of the file; it may lead elsewhere once the database's folder is there. */
  constructor(path: () => string, native: NativeLocks, briefly: Briefly, patience: Patience = PATIENT) {
    this.#path = path;
    this.#native = native;
    this.#patience = patience;
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
      this.#ticket = await draw(file, this.#patience);
      if (this.#ticket === undefined) return true;
      if (!(await waitFor(file, this.#ticket, this.#patience))) return false;
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

async function draw(file: QueueFile, { drawingMs }: Patience): Promise<number | undefined> {
  const began = performance.now();
  for (;;) {
    const ticket = file.draw();
    if (ticket !== undefined || performance.now() - began > drawingMs) return ticket;
    await sleep(1);
  }
}

/** Returns false when the turn did not come in time. */
async function waitFor(file: QueueFile, ticket: number, { writingMs, turnMs }: Patience): Promise<boolean> {
  let front = file.firstBefore(ticket);
  const began = performance.now();
  let since = began;
  while (front !== undefined) {
    await sleep(Math.min(ticket - front.ticket, LONGEST_NAP_MS));
    const found = file.firstBefore(ticket, front.ticket);
    if (found?.ticket !== front.ticket || found.writing !== front.writing) since = performance.now();
    front = found;
    const waited = performance.now() - since;
    if (front?.writing === false && waited > WAITING_PATIENCE_MS) file.passOver(front.ticket);
    if (waited > writingMs || performance.now() - began > turnMs) return false;
  }
  return true;
}
