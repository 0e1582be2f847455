/**
 * The engine's files in a browser worker: read-only Blobs with generated paths. No locks are needed, because the files
 * are never written. Functions do not throw: a negative number reports a failure, and the error message is kept for
 * `lastError`.
 */

import { EngineError } from './errors.ts';
import { Failure, type HostFiles, OpenMode } from './host.ts';

export class BlobFiles implements HostFiles {
  panicked: (message: string) => void = () => undefined;
  readonly #blobs = new Map<string, BlobReader>();
  readonly #open = new Map<number, BlobReader>();
  #nextName = 1;
  #nextHandle = 1;
  #lastError = '';

  /** Registers a Blob and returns its path. */
  add(blob: Blob): string {
    const path = `/${this.#nextName++}/argus.db`;
    this.#blobs.set(path, new BlobReader(blob));
    return path;
  }

  /** Removes a file that is no longer needed. */
  forget(path: string): void {
    this.#blobs.delete(path);
  }

  open(path: string, mode: number): number {
    const blob = this.#blobs.get(path);
    if (blob === undefined) return Failure.notFound;
    if (mode !== OpenMode.read) return Failure.denied;
    const handle = this.#nextHandle++;
    this.#open.set(handle, blob);
    return handle;
  }

  close(handle: number): void {
    this.#open.delete(handle);
  }

  closeAll(): void {
    this.#open.clear();
  }

  read(handle: number, buffer: Uint8Array, offset: number): number {
    try {
      return this.#open.get(handle)?.read(buffer, offset) ?? Failure.failed;
    } catch (error) {
      this.#lastError = readErrorMessage(error);
      return Failure.failed;
    }
  }

  size(handle: number): number {
    return this.#open.get(handle)?.size ?? Failure.failed;
  }

  write(): number {
    return Failure.denied;
  }

  truncate(): number {
    return Failure.denied;
  }

  remove(): number {
    return Failure.denied;
  }

  sync(): number {
    return 0;
  }

  lock(): number {
    return 0;
  }

  unlock(): number {
    return 0;
  }

  reserved(): number {
    return 0;
  }

  moved(): boolean {
    return false;
  }

  syncFolder(): number {
    return 0;
  }

  access(path: string, write: boolean): boolean {
    return !write && this.#blobs.has(path);
  }

  fullPath(path: string): string {
    return path;
  }

  /** SQLite sleeps only to wait for a lock, and files here are never locked. */
  sleep(): void {}

  lastError(): string {
    return this.#lastError;
  }
}

/**
 * Returns the message of an error. Replaces the vague message that browsers give for a file that was changed or deleted
 * after the person picked it.
 */
function readErrorMessage(error: unknown): string {
  if (error instanceof DOMException && (error.name === 'NotReadableError' || error.name === 'NotFoundError')) {
    return 'The file was changed or deleted after it was opened. Open it again.';
  }
  return error instanceof Error ? error.message : String(error);
}

/**
 * Reads pieces of a Blob with `FileReaderSync`, which exists only in workers. A few blocks are cached, never the whole
 * file.
 */

/** Declared here, because neither Node's types nor the DOM types contain it. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

/** A read request to the browser costs more than the bytes that it returns, so a block has 16 database pages. */
const BLOCK_BYTES = 64 * 1024;

/** 16 MiB, in addition to SQLite's own page cache. */
const MAX_CACHED_BLOCKS = 256;

export class BlobReader {
  readonly size: number;
  readonly #blob: Blob;
  readonly #reader = new FileReaderSync();
  /** Cached blocks by block number. The first is the least recently used. */
  readonly #blocks = new Map<number, Uint8Array>();

  constructor(blob: Blob) {
    this.#blob = blob;
    this.size = blob.size;
  }

  /**
   * Fills the buffer with bytes from the offset and returns the number of bytes read. Throws if the file is no longer
   * readable.
   */
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
    if (block.length !== expected) throw new Error('the file has become shorter');
    const [oldest] = this.#blocks.keys();
    if (oldest !== undefined && this.#blocks.size >= MAX_CACHED_BLOCKS) this.#blocks.delete(oldest);
    this.#blocks.set(number, block);
    return block;
  }
}

/* Checks the first bytes of a database file before it is opened. The engine decides later whether it can read the
 * schema version. */

/** Size of the header of a SQLite database; its format is public (https://www.sqlite.org/fileformat.html). */
const HEADER_BYTES = 100;
const SQLITE_MAGIC = 'SQLite format 3\0';
const WAL_FORMAT_VERSION = 2;

const FILE_ADVICE = 'The memory of a project is its file .argus/argus.db.';

/** Rejects with an `EngineError` that contains advice if the file cannot be used. */
export async function checkHeader(blob: Blob): Promise<void> {
  const header = await readHeader(blob);
  if (blob.size === 0) throw corruptDatabaseError(`The file is empty. ${FILE_ADVICE}`);
  if (blob.size < HEADER_BYTES || !hasSqliteMagic(header))
    throw corruptDatabaseError(`The file is not a database. ${FILE_ADVICE}`);
  if (header.getUint8(19) === WAL_FORMAT_VERSION) {
    throw new EngineError(
      'DATABASE_UNAVAILABLE',
      "The database is in WAL mode, so its newest content may be in the file whose name ends with '-wal'. Run sqlite3 FILE 'PRAGMA journal_mode = DELETE', then open it again.",
    );
  }
  const missing = expectedFileBytes(header) - blob.size;
  if (missing > 0) {
    throw corruptDatabaseError(
      `The file is damaged: ${missing} bytes are missing at its end. It may be an unfinished copy.`,
    );
  }
}

async function readHeader(blob: Blob): Promise<DataView<ArrayBuffer>> {
  try {
    const bytes = new Uint8Array(HEADER_BYTES);
    bytes.set(new Uint8Array(await blob.slice(0, HEADER_BYTES).arrayBuffer()));
    return new DataView(bytes.buffer);
  } catch (cause) {
    // The person may have dropped a folder, or the file was deleted.
    throw new EngineError('DATABASE_UNAVAILABLE', `The file cannot be read. ${FILE_ADVICE}`, { cause });
  }
}

function hasSqliteMagic(header: DataView): boolean {
  return [...SQLITE_MAGIC].every((letter, index) => header.getUint8(index) === letter.charCodeAt(0));
}

/**
 * Returns the size in bytes that the header gives for the file, or 0 if an old program has not updated the page count.
 */
function expectedFileBytes(header: DataView): number {
  const changes = header.getUint32(24);
  const changesWhenCounted = header.getUint32(92);
  const pageSize = header.getUint16(16);
  return changes === changesWhenCounted ? header.getUint32(28) * (pageSize === 1 ? 65_536 : pageSize) : 0;
}

function corruptDatabaseError(message: string): EngineError {
  return new EngineError('DATABASE_CORRUPT', message);
}
