/** The page's side of the worker that runs the engine. */

import type { Locale } from 'argus-engine/browser';
import { type Method, type Params, Problem, type Result } from '../source.ts';
import type { Answer, Request } from './messages.ts';
import EngineThread from './worker.ts?worker&inline';

type Unnumbered<T> = T extends Request ? Omit<T, 'id'> : never;

interface Waiting {
  resolve(value: unknown): void;
  reject(problem: Problem): void;
}

/** An engine in a worker, with a database or without. */
export class EngineWorker {
  readonly #thread = new EngineThread();
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  /** Starts the engine over a file or an empty memory. Moves the bytes of the wasm to the worker. */
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
    this.#thread.addEventListener('message', (event: MessageEvent<Answer>) => this.#answered(event.data));
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

  #ask(request: Unnumbered<Request>, moved: Transferable[] = []): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#thread.postMessage({ ...request, id }, moved);
    });
  }

  #answered(answer: Answer): void {
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
