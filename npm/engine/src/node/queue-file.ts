/**
 * The file in which processes line up to write to a database. It has a counter of tickets, the owner of each ticket,
 * and one locked byte per ticket in use. write-queue.ts implements the waiting. A crash loses nothing important,
 * because a lock ends with its process, and the content only determines the order and the text of messages.
 *
 * The locked bytes are far behind the content, because Windows prevents others from reading or writing a locked range.
 */

import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import type { NativeLocks } from './lock-native.ts';

/** Locked while a process draws a ticket. */
const DRAWING_BYTE = 0x40000000;
/** The byte of ticket 0, which is never drawn. */
const FIRST_TICKET_BYTE = DRAWING_BYTE + 1;
const LAST_TICKET = 0x7fffffff;

/** Fields of the content are little-endian 32-bit numbers. */
const NEXT_OFFSET = 0;
/** Writers do not wait for tickets below this number. */
const FLOOR_OFFSET = 4;
const SLOTS_OFFSET = 16;
const SLOT_BYTES = 24;
/** More than can wait at once. A reused slot is recognized by its ticket. */
const SLOT_COUNT = 1024;

/** A ticket in use. */
export interface Waiting {
  readonly ticket: number;
  /** Undefined if the owner is unknown. */
  readonly pid: number | undefined;
  /** True if the owner is writing. */
  readonly writing: boolean;
  /** Start of waiting or writing, UTC milliseconds. */
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

  /**
   * Opens the file, or returns undefined if it cannot be used. `create` opens the file for lining up, otherwise only
   * for reading.
   */
  static open(path: string, native: NativeLocks, create: boolean): QueueFile | undefined {
    // A repository could contain a link at this path, which would lead writes to another file.
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

  /** Returns true if the path still leads to this file. */
  isCurrent(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  /** Draws a ticket, or returns undefined while another process draws. */
  draw(): number | undefined {
    if (!this.#try(DRAWING_BYTE, 1, false)) return undefined;
    try {
      // An empty or damaged file may contain any number, including a ticket that is in use.
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

  /** Notes that the owner of this ticket is writing. */
  begin(ticket: number): void {
    this.#note(ticket, true);
  }

  giveBack(ticket: number): void {
    this.#unlock(FIRST_TICKET_BYTE + ticket, 1);
  }

  /** Makes later writers stop waiting for this ticket. */
  passOver(ticket: number): void {
    this.#write(FLOOR_OFFSET, ticket + 1);
  }

  /** Returns the earliest ticket in use. */
  first(): Waiting | undefined {
    return this.firstBefore(this.#number(NEXT_OFFSET));
  }

  /** Returns the earliest ticket in use before `ticket`. The caller knows that no ticket below `from` is in use. */
  firstBefore(ticket: number, from = 0): Waiting | undefined {
    let free = Math.max(from, this.#number(FLOOR_OFFSET));
    if (this.#isFree(free, ticket)) return undefined;
    // Binary search: everything below `free` is unused, and at least one ticket below `end` is in use.
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

  /** Bytes after the end of the file read as zeros. */
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

  /**
   * Returns true if no ticket in the range is in use. The test lock is shared, so that two processes can look at the
   * same time.
   */
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
