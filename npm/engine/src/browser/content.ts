/**
 * What a file of the engine holds in a browser: a Blob that stays as it is, or nothing, and over it in memory what was
 * written since. Does not: reach a disk.
 */

/** Where unwritten bytes come from. */
export interface Source {
  readonly size: number;
  read(buffer: Uint8Array, offset: number): number;
}

/** Small, because SQLite writes single pages. */
const BLOCK = 4096;

/** What an upgrade of an older database may take; its journal counts too. */
export const MEMORY_LIMIT = 512 * 1024 * 1024;

export class OutOfMemory extends Error {}

/** Memory that several contents share. */
export class Budget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  take(bytes: number): void {
    if (bytes > this.#left) throw new OutOfMemory('this file is too large to be upgraded in a browser');
    this.#left -= bytes;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}

export class Content {
  readonly #source: Source | undefined;
  readonly #budget: Budget;
  readonly #written = new Map<number, Uint8Array>();
  #size: number;
  /** From here on the source is cut away. */
  #sourceEnd: number;

  constructor(source: Source | undefined, budget: Budget) {
    this.#source = source;
    this.#budget = budget;
    this.#size = source?.size ?? 0;
    this.#sourceEnd = this.#size;
  }

  get size(): number {
    return this.#size;
  }

  read(buffer: Uint8Array, offset: number): number {
    const wanted = Math.min(buffer.length, Math.max(0, this.#size - offset));
    if (this.#written.size === 0 && offset + wanted <= this.#sourceEnd) {
      return this.#source?.read(buffer.subarray(0, wanted), offset) ?? 0;
    }
    let done = 0;
    while (done < wanted) {
      const [number, start] = placeOf(offset + done);
      const part = buffer.subarray(done, Math.min(wanted, done + BLOCK - start));
      const block = this.#written.get(number);
      if (block === undefined) this.#original(part, offset + done);
      else part.set(block.subarray(start, start + part.length));
      done += part.length;
    }
    return done;
  }

  write(bytes: Uint8Array, offset: number): void {
    let done = 0;
    while (done < bytes.length) {
      const [number, start] = placeOf(offset + done);
      const part = bytes.subarray(done, done + BLOCK - start);
      this.#own(number).set(part, start);
      done += part.length;
    }
    this.#size = Math.max(this.#size, offset + bytes.length);
  }

  truncate(size: number): void {
    this.#sourceEnd = Math.min(this.#sourceEnd, size);
    const [last, start] = placeOf(size);
    for (const number of [...this.#written.keys()]) if (number > last) this.#forget(number);
    this.#written.get(last)?.fill(0, start);
    this.#size = size;
  }

  /** Gives back what it took. */
  clear(): void {
    for (const number of [...this.#written.keys()]) this.#forget(number);
  }

  #own(number: number): Uint8Array {
    const known = this.#written.get(number);
    if (known !== undefined) return known;
    this.#budget.take(BLOCK);
    const block = new Uint8Array(BLOCK);
    this.#original(block, number * BLOCK);
    this.#written.set(number, block);
    return block;
  }

  /** What was there before anything was written; zeros behind its end. */
  #original(part: Uint8Array, offset: number): void {
    const there = Math.min(part.length, Math.max(0, this.#sourceEnd - offset));
    if (there > 0) this.#source?.read(part.subarray(0, there), offset);
    part.fill(0, there);
  }

  #forget(number: number): void {
    if (this.#written.delete(number)) this.#budget.give(BLOCK);
  }
}

function placeOf(offset: number): [number: number, start: number] {
  return [Math.floor(offset / BLOCK), offset % BLOCK];
}
