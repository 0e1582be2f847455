/**
 * A first-come, first-served queue: calls that write to a database wait here for each other, across processes, before
 * SQLite takes its lock. SQLite's lock still protects the data. If the queue cannot be used or a process in it hangs,
 * only the order is lost.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { WriteQueue } from '../host.ts';
import type { NativeLocks } from './lock-native.ts';
import { QueueFile } from './queue-file.ts';

/** How long a writer waits for other processes, in milliseconds. */
export interface WaitLimits {
  /** Time to draw a ticket. Drawing takes microseconds unless another process was stopped while it drew a ticket. */
  readonly drawingMs: number;
  /** Time without a change of the writer at the front. */
  readonly writingMs: number;
  /** Total time until the writer's turn, even if the queue moves. */
  readonly turnMs: number;
}

/** A transaction gets as much time as SQLite waits for a lock. The wait in a moving queue has no limit. */
export const DEFAULT_WAIT_LIMITS: WaitLimits = { drawingMs: 2_000, writingMs: 8_000, turnMs: Number.POSITIVE_INFINITY };
/** For callers that can store the call in the spool instead. */
export const SHORT_WAIT_LIMITS: WaitLimits = { drawingMs: 500, writingMs: 500, turnMs: 500 };

/**
 * A waiting process checks every few milliseconds whether its turn has come, and then begins to write. If the first
 * process in the queue has not begun after this time, it was stopped, so the other processes pass it.
 */
const MAX_WAITER_SILENCE_MS = 2_000;
const MAX_SLEEP_STEP_MS = 20;

/** Runs `work` with short waits for locks. */
export type RunWithShortWaits = <T>(work: () => T) => T;

export class FileQueue implements WriteQueue {
  readonly #path: () => string;
  readonly #native: NativeLocks;
  readonly #patience: WaitLimits;
  readonly #briefly: RunWithShortWaits;
  #file: QueueFile | undefined;
  #ticket: number | undefined;
  /** Locks of the same open file do not exclude each other, so each call of an engine waits for the previous call. */
  #last: Promise<void> = Promise.resolve();

  /** `path` returns the path of the file, which may change when the database's folder is created. */
  constructor(
    path: () => string,
    native: NativeLocks,
    briefly: RunWithShortWaits,
    patience: WaitLimits = DEFAULT_WAIT_LIMITS,
  ) {
    this.#path = path;
    this.#native = native;
    this.#patience = patience;
    this.#briefly = briefly;
  }

  async runInTurn<T>(work: () => T): Promise<T> {
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
      this.#ticket = await drawTicket(file, this.#patience);
      if (this.#ticket === undefined) return true;
      if (!(await waitForTurn(file, this.#ticket, this.#patience))) return false;
      file.begin(this.#ticket);
    } catch {
      // For example, the disk is full. Then only SQLite's lock decides the order.
      this.#abandon();
    }
    return true;
  }

  #leave(): void {
    const ticket = this.#ticket;
    this.#ticket = undefined;
    if (ticket === undefined) return;
    try {
      this.#file?.releaseTicket(ticket);
    } catch {
      this.#abandon();
    }
  }

  /**
   * Returns the file that other processes use now. The file may have been deleted with its folder and created again.
   */
  #open(): QueueFile | undefined {
    if (this.#file?.isCurrent() === false) this.#abandon();
    this.#file ??= QueueFile.open(this.#path(), this.#native, true);
    return this.#file;
  }

  /** Closing the file releases its locks. */
  #abandon(): void {
    this.#file?.close();
    this.#file = undefined;
    this.#ticket = undefined;
  }
}

async function drawTicket(file: QueueFile, { drawingMs }: WaitLimits): Promise<number | undefined> {
  const began = performance.now();
  for (;;) {
    const ticket = file.tryDrawTicket();
    if (ticket !== undefined || performance.now() - began > drawingMs) return ticket;
    await sleep(1);
  }
}

/** Waits for the turn of a ticket. Returns false if the turn does not come in time. */
async function waitForTurn(file: QueueFile, ticket: number, { writingMs, turnMs }: WaitLimits): Promise<boolean> {
  let front = file.findFirstBefore(ticket);
  const began = performance.now();
  let since = began;
  while (front !== undefined) {
    await sleep(Math.min(ticket - front.ticket, MAX_SLEEP_STEP_MS));
    const found = file.findFirstBefore(ticket, front.ticket);
    if (found?.ticket !== front.ticket || found.writing !== front.writing) since = performance.now();
    front = found;
    const waited = performance.now() - since;
    if (front?.writing === false && waited > MAX_WAITER_SILENCE_MS) file.skipTicket(front.ticket);
    if (waited > writingMs || performance.now() - began > turnMs) return false;
  }
  return true;
}
