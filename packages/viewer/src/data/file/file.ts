/**
 * The data of a database file, opened in a worker. Nothing leaves the browser, nothing is written, and changes of the
 * file are not noticed.
 */

import type { Locale } from 'argus-engine/browser';
import { type About, type Method, type Params, Problem, type Result, type Source } from '../source.ts';
import { EngineWorker } from './engine-worker.ts';

export class FileSource implements Source {
  readonly live = false;
  readonly editable = false;
  readonly about: About;
  readonly #worker: EngineWorker;

  private constructor(worker: EngineWorker, about: About) {
    this.#worker = worker;
    this.about = about;
  }

  /** Rejects with the engine's reason if the file is not a database of Argus, and ends the worker. */
  static async open(wasm: Uint8Array<ArrayBuffer>, file: Blob, about: About, locale: Locale): Promise<FileSource> {
    if (file.size === 0) throw new Problem('FILE_EMPTY', 'The file is empty.');
    return new FileSource(await EngineWorker.open(wasm, file, locale), about);
  }

  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    return this.#worker.call(method, params);
  }

  onChange(): () => void {
    return () => {};
  }

  close(): void {
    this.#worker.close();
  }
}
