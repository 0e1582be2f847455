/**
 * The engine's files in a browser worker: read-only Blobs under invented names. No locks are needed, because the files
 * are never written. Functions do not throw: a failure is a number, and its text is kept for the error message.
 */

import { Failure, type HostFiles, OpenMode } from '../host.ts';
import { BlobReader } from './blob-reader.ts';

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
      this.#lastError = wordsOf(error);
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

  /** SQLite sleeps only to wait for a lock, and no file is ever locked here. */
  sleep(): void {}

  lastError(): string {
    return this.#lastError;
  }
}

/**
 * Browsers report a file that was changed or deleted since the person picked it with a vague message, so it is
 * replaced.
 */
function wordsOf(error: unknown): string {
  if (error instanceof DOMException && (error.name === 'NotReadableError' || error.name === 'NotFoundError')) {
    return 'The file has changed or gone since it was opened: open it again.';
  }
  return error instanceof Error ? error.message : String(error);
}
