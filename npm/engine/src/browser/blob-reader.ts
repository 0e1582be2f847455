/**
 * Reads pieces of a Blob with `FileReaderSync`, which exists only in workers. A few blocks are cached, never the whole
 * file.
 */

/** Declared here, because the types of Node and of pages do not contain it. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

/** Sixteen pages of a database, because a request to the browser costs more than the bytes that it returns. */
const BLOCK_BYTES = 64 * 1024;

/** 16 MiB, in addition to SQLite's own cache of pages. */
const KEPT_BLOCKS = 256;

export class BlobReader {
  readonly size: number;
  readonly #blob: Blob;
  readonly #reader = new FileReaderSync();
  /** Blocks by number, least recently used first. */
  readonly #blocks = new Map<number, Uint8Array>();

  constructor(blob: Blob) {
    this.#blob = blob;
    this.size = blob.size;
  }

  /** Fills the buffer from the offset and returns the number of bytes. Throws if the file cannot be read any more. */
  read(buffer: Uint8Array, offset: number): number {
    const end = Math.min(offset + buffer.length, this.size);
    let at = offset;
    while (at < end) {
      const start = at % BLOCK_BYTES;
      const part = this.#block(Math.floor(at / BLOCK_BYTES)).subarray(start, start + end - at);
      buffer.set(part, at - offset);
      at += part.length;
    }
    return Math.max(0, at - offset);
  }

  #block(number: number): Uint8Array {
    const known = this.#blocks.get(number);
    if (known !== undefined) {
      this.#blocks.delete(number);
      this.#blocks.set(number, known);
      return known;
    }
    const start = number * BLOCK_BYTES;
    const expected = Math.min(BLOCK_BYTES, this.size - start);
    const block = new Uint8Array(this.#reader.readAsArrayBuffer(this.#blob.slice(start, start + expected)));
    if (block.length !== expected) throw new Error('the file is shorter than it was');
    const [oldest] = this.#blocks.keys();
    if (oldest !== undefined && this.#blocks.size >= KEPT_BLOCKS) this.#blocks.delete(oldest);
    this.#blocks.set(number, block);
    return block;
  }
}
