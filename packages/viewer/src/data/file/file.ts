/**
 * The data of a database file, opened in a worker; nothing leaves the browser. Nothing is written, and changes of the
 * file are not followed.
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

  /** Rejects with the engine's reason when the file is none of ours; the worker is gone then. */
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
