/**
 * The file in which processes line up to write to a database. It contains a counter of tickets, the owner of each
 * ticket, and one locked byte per ticket in use. write-queue.ts implements the waiting. A crash loses nothing
 * important, because a lock ends with its process, and the content determines only the order of writers and the text of
 * messages.
 *
 * The locked bytes are far behind the content, because Windows does not let others read or write a locked range.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, statSync, writeSync } from 'node:fs';
import type { NativeLocks } from './lock-native.ts';

/** This byte is locked while a process draws a ticket. */
const DRAWING_BYTE = 0x40000000;
/** The byte of ticket 0. Ticket 0 is never drawn. */
const FIRST_TICKET_BYTE = DRAWING_BYTE + 1;
const MAX_TICKET = 0x7fffffff;

/** Fields of the content are little-endian 32-bit numbers. */
const NEXT_OFFSET = 0;
/** Offset of the lowest ticket for which writers still wait. */
const FLOOR_OFFSET = 4;
const SLOTS_OFFSET = 16;
const SLOT_BYTES = 24;
/** More slots than processes that can wait at once. A reused slot is recognized by its ticket. */
const SLOT_COUNT = 1024;

/** A ticket in use and its owner. */
export interface TicketInUse {
  readonly ticket: number;
  /** Undefined if the owner is unknown. */
  readonly pid: number | undefined;
  /** True if the owner is writing. */
  readonly writing: boolean;
  /** Start of waiting or writing, in milliseconds since the epoch. */
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
   * Opens the file, or returns undefined if it cannot be used. With `create`, the file is created and opened for
   * drawing tickets, otherwise only for reading.
   */
  static open(path: string, native: NativeLocks, create: boolean): QueueFile | undefined {
    // A repository could contain a link at this path. A write would then change the link's target.
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

  /** Returns true if the path still leads to this open file. */
  isCurrent(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  /** Draws a ticket. Returns undefined while another process draws. */
  tryDrawTicket(): number | undefined {
    if (!this.#try(DRAWING_BYTE, 1, false)) return undefined;
    try {
      // An empty or damaged file may contain any number, including a ticket that is in use.
      let ticket = wrapTicket(this.#number(NEXT_OFFSET));
      while (!this.#try(FIRST_TICKET_BYTE + ticket, 1, false)) ticket = wrapTicket(ticket + 1);
      this.#write(NEXT_OFFSET, ticket + 1);
      if (this.#number(FLOOR_OFFSET) > ticket) this.#write(FLOOR_OFFSET, 0);
      this.#note(ticket, false);
      return ticket;
    } finally {
      this.#unlock(DRAWING_BYTE, 1);
    }
  }

  /** Records that the owner of this ticket is writing. */
  begin(ticket: number): void {
    this.#note(ticket, true);
  }

  releaseTicket(ticket: number): void {
    this.#unlock(FIRST_TICKET_BYTE + ticket, 1);
  }

  /** Makes later writers stop waiting for this ticket. */
  skipTicket(ticket: number): void {
    this.#write(FLOOR_OFFSET, ticket + 1);
  }

  /** Returns the earliest ticket in use. */
  first(): TicketInUse | undefined {
    return this.findFirstBefore(this.#number(NEXT_OFFSET));
  }

  /** Returns the earliest ticket in use before `ticket`. The caller knows that no ticket below `from` is in use. */
  findFirstBefore(ticket: number, from = 0): TicketInUse | undefined {
    let free = Math.max(from, this.#number(FLOOR_OFFSET));
    if (this.#isFree(free, ticket)) return undefined;
    // Binary search: no ticket below `free` is in use, and at least one ticket below `end` is in use.
    for (let end = ticket; end - free > 1; ) {
      const middle = free + Math.floor((end - free) / 2);
      if (this.#isFree(free, middle)) free = middle;
      else end = middle;
    }
    return this.#slot(free);
  }

  #slot(ticket: number): TicketInUse {
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

  /** Reads bytes. Bytes after the end of the file are zero. */
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
   * Returns true if no ticket in the range is in use. The test uses a shared lock, so that two processes can test at
   * the same time.
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

function wrapTicket(ticket: number): number {
  return ticket >= 1 && ticket <= MAX_TICKET ? ticket : 1;
}

/* Describes the process that holds the lock on a database, for error messages. The system can identify only some kinds
 * of holders. */

/** Returns the path of the queue file of a database. */
export function queuePath(databasePath: string): string {
  return `${databasePath}.queue`;
}

/**
 * Returns a sentence about the holder of the lock, or an empty string if the holder is unknown. `from` is the first
 * byte of SQLite's locks.
 */
export function describeLockHolder(databasePath: string, native: NativeLocks, from: number): string {
  return describeArgusWriter(databasePath, native) ?? describeLockingProgram(databasePath, from) ?? '';
}

/** Describes another Argus process that is writing. */
function describeArgusWriter(databasePath: string, native: NativeLocks): string | undefined {
  const file = QueueFile.open(queuePath(databasePath), native, false);
  try {
    const first = file?.first();
    if (first?.pid === undefined || !first.writing || first.pid === process.pid) return undefined;
    const seconds = Math.max(0, Math.round((Date.now() - first.since) / 1000));
    return `Process ${first.pid} has been writing to the database for ${seconds} s. Try again when it is done, or stop it.`;
  } catch {
    return undefined;
  } finally {
    file?.close();
  }
}

/** Describes another program. Linux lists the locks that belong to a process, and SQLite's own locks do. */
function describeLockingProgram(databasePath: string, from: number): string | undefined {
  try {
    const inode = String(statSync(databasePath).ino);
    for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
      const [, kind, , , pid, file, start] = line.trim().split(/\s+/);
      const isOn = kind === 'POSIX' && file?.split(':')[2] === inode && Number(start) >= from;
      if (isOn && Number(pid) > 0) return `Process ${pid} holds its lock. Try again when it is done, or stop it.`;
    }
  } catch {
    // The system is not Linux, or this process may not read the list.
  }
  return undefined;
}
