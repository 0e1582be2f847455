/**
 * The engine's files in a worker of a browser: Blobs under made-up names, journals in memory.
 * Does not: lock, for nobody else has these files; or throw: a failure is a number, its text is kept for the message.
 */

import { Failure, type HostFiles, OpenMode } from '../host.ts';
import { BlobReader } from './blob-reader.ts';
import { Budget, Content, MEMORY_LIMIT, OutOfMemory } from './content.ts';

export class BlobFiles implements HostFiles {
  panicked: (message: string) => void = () => undefined;
  readonly #contents = new Map<string, Content>();
  readonly #open = new Map<number, Content>();
  readonly #budget = new Budget(MEMORY_LIMIT);
  #nextName = 1;
  #nextHandle = 1;
  #lastError = '';

  /** Makes a Blob a file, and answers its path. */
  add(blob: Blob): string {
    const path = `/${this.#nextName++}/argus.db`;
    this.#contents.set(path, new Content(new BlobReader(blob), this.#budget));
    return path;
  }

  /** The file is not needed any more, nor what was made beside it. */
  forget(path: string): void {
    for (const name of [...this.#contents.keys()]) if (name.startsWith(path)) this.remove(name);
  }

  open(path: string, mode: number, _database: boolean): number {
    return this.#attempt(() => {
      const content = this.#contents.get(path) ?? this.#created(path, mode);
      if (content === undefined) return Failure.notFound;
      const handle = this.#nextHandle++;
      this.#open.set(handle, content);
      return handle;
    });
  }

  close(handle: number): void {
    this.#open.delete(handle);
  }

  closeAll(): void {
    this.#open.clear();
  }

  read(handle: number, buffer: Uint8Array, offset: number): number {
    return this.#attempt(() => this.#contentOf(handle).read(buffer, offset));
  }

  write(handle: number, bytes: Uint8Array, offset: number): number {
    return this.#done(() => this.#contentOf(handle).write(bytes, offset));
  }

  truncate(handle: number, size: number): number {
    return this.#done(() => this.#contentOf(handle).truncate(size));
  }

  sync(): number {
    return 0;
  }

  size(handle: number): number {
    return this.#attempt(() => this.#contentOf(handle).size);
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

  remove(path: string): number {
    const content = this.#contents.get(path);
    if (content === undefined) return Failure.notFound;
    this.#contents.delete(path);
    content.clear();
    return 0;
  }

  syncFolder(): number {
    return 0;
  }

  access(path: string): boolean {
    return this.#contents.has(path);
  }

  fullPath(path: string): string {
    return path;
  }

  /** Only a lock is waited for, and there is none. */
  sleep(): void {}

  lastError(): string {
    return this.#lastError;
  }

  #created(path: string, mode: number): Content | undefined {
    if (mode !== OpenMode.create && mode !== OpenMode.createNew) return undefined;
    const content = new Content(undefined, this.#budget);
    this.#contents.set(path, content);
    return content;
  }

  #contentOf(handle: number): Content {
    const content = this.#open.get(handle);
    if (content === undefined) throw new Error('the file is closed');
    return content;
  }

  #done(work: () => void): number {
    return this.#attempt(() => {
      work();
      return 0;
    });
  }

  #attempt(work: () => number): number {
    try {
      return work();
    } catch (error) {
      this.#lastError = wordsOf(error);
      return error instanceof OutOfMemory ? Failure.full : Failure.failed;
    }
  }
}

/** A file that was written or deleted since a person picked it cannot be read any more; browsers say so in few words. */
function wordsOf(error: unknown): string {
  if (error instanceof DOMException && (error.name === 'NotReadableError' || error.name === 'NotFoundError')) {
    return 'The file has changed or gone since it was opened: open it again.';
  }
  return error instanceof Error ? error.message : String(error);
}
