/**
 * First come, first served: calls that write to a database wait here for each other, across processes, before SQLite
 * takes its lock. SQLite's lock still protects the data. If the queue cannot be used or a process in it hangs, only the
 * order is lost.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { WriteQueue } from '../host.ts';
import type { NativeLocks } from './lock-native.ts';
import { QueueFile } from './queue-file.ts';

/** How long a writer waits for other processes, in milliseconds. */
export interface Patience {
  /** Time to draw a ticket. Drawing takes microseconds unless another process was stopped while it drew. */
  readonly drawingMs: number;
  /** Time until the writer at the front changes. */
  readonly writingMs: number;
  /** Time until its turn comes, even if the queue moves. */
  readonly turnMs: number;
}

/** A transaction gets as much time as SQLite waits for a lock. The wait in a moving queue has no limit. */
export const PATIENT: Patience = { drawingMs: 2_000, writingMs: 8_000, turnMs: Number.POSITIVE_INFINITY };
/** For callers that can store the call in the spool instead. */
export const IMPATIENT: Patience = { drawingMs: 500, writingMs: 500, turnMs: 500 };

/** A waiting process checks every few milliseconds. A stopped process does not, so it is passed over. */
const WAITING_PATIENCE_MS = 2_000;
const LONGEST_NAP_MS = 20;

/** Runs work with short waits for locks. */
export type Briefly = <T>(work: () => T) => T;

export class FileQueue implements WriteQueue {
  readonly #path: () => string;
  readonly #native: NativeLocks;
  readonly #patience: Patience;
  readonly #briefly: Briefly;
  #file: QueueFile | undefined;
  #ticket: number | undefined;
  /** Locks of the same open file do not exclude each other, so calls of one engine wait for the previous call. */
  #last: Promise<void> = Promise.resolve();

  /** `path` returns the path of the file. It may change when the database's folder is created. */
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

  /** Returns false if the turn did not come, because another process has been writing for too long. */
  async #lineUp(): Promise<boolean> {
    try {
      const file = this.#open();
      if (file === undefined) return true;
      this.#ticket = await draw(file, this.#patience);
      if (this.#ticket === undefined) return true;
      if (!(await waitFor(file, this.#ticket, this.#patience))) return false;
      file.begin(this.#ticket);
    } catch {
      // For example a full disk. SQLite's lock alone then decides the order.
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

  /** Returns the file that other processes use now. It may have been deleted with its folder and created again. */
  #open(): QueueFile | undefined {
    if (this.#file?.isCurrent() === false) this.#abandon();
    this.#file ??= QueueFile.open(this.#path(), this.#native, true);
    return this.#file;
  }

  /** Closing the file releases all its locks. */
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

/** Returns false if the turn did not come in time. */
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
