/**
 * The file in which processes line up to write a database: a counter of tickets, who drew them, and one locked byte for
 * each ticket that is still in use. Waiting: write-queue.ts. Nothing that matters outlives a crash: a lock ends with
 * its process, and the content is only about order and about what to tell people.
 *
 * The locked bytes lie far behind the content, because Windows lets nobody else read or write a locked range.
 */

import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import type { NativeLocks } from './lock-native.ts';

/** Held while a ticket is drawn. */
const DRAWING_BYTE = 0x40000000;
/** The byte of ticket 0, which nobody draws. */
const FIRST_TICKET_BYTE = DRAWING_BYTE + 1;
const LAST_TICKET = 0x7fffffff;

/** Fields of the content: little-endian numbers of 32 bits. */
const NEXT_OFFSET = 0;
/** Tickets below this one are waited for no longer. */
const FLOOR_OFFSET = 4;
const SLOTS_OFFSET = 16;
const SLOT_BYTES = 24;
/** More than can wait at once; a slot that was taken over says so by its ticket. */
const SLOT_COUNT = 1024;

/** A ticket in use. */
export interface Waiting {
  readonly ticket: number;
  /** Undefined: not known whose it is. */
  readonly pid: number | undefined;
  /** Its turn has come. */
  readonly writing: boolean;
  /** Since when it waits or writes; UTC milliseconds. */
  readonly since: number;
}

export class QueueFile {
  readonly #path: string;
  readonly #fd: number;
  readonly #inode: number;
  readonly #native: NativeLocks;

  private constructor(path: string, fd: number, inode: number, native: NativeLocks) {
    this.#path = path;
    this.#fd = fd;
    this.#inode = inode;
    this.#native = native;
  }

  /** Undefined where it cannot be used. `create`: to line up; else only to look. */
  static open(path: string, native: NativeLocks, create: boolean): QueueFile | undefined {
    // A repository could ship a link in its place, to a file that is not to be written.
    const flags = create ? constants.O_RDWR | constants.O_CREAT : constants.O_RDONLY;
    let fd: number;
    try {
      fd = openSync(path, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0), 0o600);
    } catch {
      return undefined;
    }
    const stat = fstatSync(fd);
    if (stat.isFile()) return new QueueFile(path, fd, stat.ino, native);
    closeSync(fd);
    return undefined;
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Whether others who open the path now meet this file. */
  isCurrent(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  /** A ticket of one's own, or undefined while somebody else draws one. */
  draw(): number | undefined {
    if (!this.#try(DRAWING_BYTE, 1, false)) return undefined;
    try {
      // An empty or damaged file may have any number, and one that somebody has drawn already.
      let ticket = inRange(this.#number(NEXT_OFFSET));
      while (!this.#try(FIRST_TICKET_BYTE + ticket, 1, false)) ticket = inRange(ticket + 1);
      this.#write(NEXT_OFFSET, ticket + 1);
      if (this.#number(FLOOR_OFFSET) > ticket) this.#write(FLOOR_OFFSET, 0);
      this.#note(ticket, false);
      return ticket;
    } finally {
      this.#unlock(DRAWING_BYTE, 1);
    }
  }

  /** Says that it is this ticket's turn. */
  begin(ticket: number): void {
    this.#note(ticket, true);
  }

  giveBack(ticket: number): void {
    this.#unlock(FIRST_TICKET_BYTE + ticket, 1);
  }

  /** Nobody waits for this ticket any longer. */
  passOver(ticket: number): void {
    this.#write(FLOOR_OFFSET, ticket + 1);
  }

  /** Of all tickets in use the earliest. */
  first(): Waiting | undefined {
    return this.firstBefore(this.#number(NEXT_OFFSET));
  }

  /** The earliest in use of those drawn before a ticket, where none is below `from`. */
  firstBefore(ticket: number, from = 0): Waiting | undefined {
    let free = Math.max(from, this.#number(FLOOR_OFFSET));
    if (this.#isFree(free, ticket)) return undefined;
    // Everything below `free` is free, and something below `end` is not.
    for (let end = ticket; end - free > 1; ) {
      const middle = free + Math.floor((end - free) / 2);
      if (this.#isFree(free, middle)) free = middle;
      else end = middle;
    }
    return this.#slot(free);
  }

  #slot(ticket: number): Waiting {
    const slot = this.#read(SLOTS_OFFSET + (ticket % SLOT_COUNT) * SLOT_BYTES, SLOT_BYTES);
    if (slot.readUInt32LE(0) !== ticket) return { ticket, pid: undefined, writing: true, since: 0 };
    return {
      ticket,
      pid: slot.readUInt32LE(4),
      writing: slot.readUInt32LE(8) === 1,
      since: slot.readDoubleLE(16),
    };
  }

  #note(ticket: number, writing: boolean): void {
    const slot = Buffer.alloc(SLOT_BYTES);
    slot.writeUInt32LE(ticket, 0);
    slot.writeUInt32LE(process.pid, 4);
    slot.writeUInt32LE(writing ? 1 : 0, 8);
    slot.writeDoubleLE(Date.now(), 16);
    writeSync(this.#fd, slot, 0, SLOT_BYTES, SLOTS_OFFSET + (ticket % SLOT_COUNT) * SLOT_BYTES);
  }

  #number(at: number): number {
    return this.#read(at, 4).readUInt32LE(0);
  }

  /** What the file is too short for reads as zeros. */
  #read(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    readSync(this.#fd, bytes, 0, length, at);
    return bytes;
  }

  #write(at: number, value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value, 0);
    writeSync(this.#fd, bytes, 0, 4, at);
  }

  /** Whether no ticket from one up to another is in use. Shared, so that two who look do not see each other. */
  #isFree(from: number, to: number): boolean {
    if (to <= from) return true;
    if (!this.#try(FIRST_TICKET_BYTE + from, to - from, true)) return false;
    this.#unlock(FIRST_TICKET_BYTE + from, to - from);
    return true;
  }

  #try(offset: number, length: number, shared: boolean): boolean {
    return this.#native.tryLock(this.#fd, offset, length, { shared });
  }

  #unlock(offset: number, length: number): void {
    this.#native.unlock(this.#fd, offset, length);
  }
}

function inRange(ticket: number): number {
  return ticket >= 1 && ticket <= LAST_TICKET ? ticket : 1;
}
