/**
 * The data of a database file that is opened in a worker. Nothing leaves the browser, nothing is written, and later
 * changes of the file are not noticed.
 */

import type { Locale } from 'argus-engine/browser';
import { type Method, type Params, Problem, type Result, type Source, type SourceFacts } from '../source.ts';
import type { WorkerAnswer, WorkerRequest } from './worker.ts';
import EngineThread from './worker.ts?worker&inline';

export class FileSource implements Source {
  readonly live = false;
  readonly editable = false;
  readonly about: SourceFacts;
  readonly #worker: EngineWorker;

  private constructor(worker: EngineWorker, about: SourceFacts) {
    this.#worker = worker;
    this.about = about;
  }

  /** Rejects with the engine's reason if the file is not an Argus database, and ends the worker. */
  static async open(
    wasm: Uint8Array<ArrayBuffer>,
    file: Blob,
    about: SourceFacts,
    locale: Locale,
  ): Promise<FileSource> {
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

type RequestWithoutId<T> = T extends WorkerRequest ? Omit<T, 'id'> : never;

interface WaitingRequest {
  resolve(value: unknown): void;
  reject(problem: Problem): void;
}

/** An engine in a worker, with or without a database. */
export class EngineWorker {
  readonly #thread = new EngineThread();
  readonly #waiting = new Map<number, WaitingRequest>();
  #last = 0;

  /** Starts the engine with a file or an empty memory. Transfers the bytes of the wasm to the worker. */
  static async open(wasm: Uint8Array<ArrayBuffer>, file: Blob | undefined, locale: Locale): Promise<EngineWorker> {
    const worker = new EngineWorker();
    try {
      await worker.#ask({ do: 'open', wasm, file, locale }, [wasm.buffer]);
      return worker;
    } catch (thrown) {
      worker.close();
      throw thrown;
    }
  }

  private constructor() {
    this.#thread.addEventListener('message', (event: MessageEvent<WorkerAnswer>) => this.#answered(event.data));
    this.#thread.addEventListener('error', (event) => this.#failed(event.message));
  }

  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>>;
  call(method: Method, params: Params<Method>): Promise<unknown> {
    return this.#ask({ do: 'call', method, params });
  }

  close(): void {
    this.#thread.terminate();
    this.#failed('closed');
  }

  #ask(request: RequestWithoutId<WorkerRequest>, moved: Transferable[] = []): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#thread.postMessage({ ...request, id }, moved);
    });
  }

  #answered(answer: WorkerAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('error' in answer) waiting?.reject(new Problem(answer.error.code, answer.error.message));
    else waiting?.resolve(answer.value);
  }

  #failed(message: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Problem('INTERNAL_ERROR', message));
    this.#waiting.clear();
  }
}
