/** Runs the engine in a worker, with a file or an empty memory. */

import { type Engine, type Locale, openBlob, openEmpty, startEngine } from 'argus-engine/browser';
import { type Method, type Params, toProblem } from '../source.ts';

let engine: Engine | undefined;

self.addEventListener('message', async ({ data }: MessageEvent<WorkerRequest>) => {
  self.postMessage(await answerRequest(data));
});

async function answerRequest(request: WorkerRequest): Promise<WorkerAnswer> {
  try {
    return { id: request.id, value: await handleRequest(request) };
  } catch (thrown) {
    const { code, message } = toProblem(thrown);
    return { id: request.id, error: { code, message } };
  }
}

async function handleRequest(request: WorkerRequest): Promise<unknown> {
  if (request.do === 'call') {
    if (engine === undefined) throw new Error('nothing is open');
    return engine.call(request.method, request.params);
  }
  const { wasm, file, locale } = request;
  startEngine(wasm);
  engine = file === undefined ? await openEmpty({ locale }) : await openBlob(file, { locale });
}

/* Messages between the page and its worker. */

export type WorkerRequest =
  | {
      readonly id: number;
      readonly do: 'open';
      readonly wasm: Uint8Array;
      /** Undefined opens an empty memory, which suffices for analyzing a text. */
      readonly file: Blob | undefined;
      readonly locale: Locale;
    }
  | { readonly id: number; readonly do: 'call'; readonly method: Method; readonly params: Params<Method> };

export type WorkerAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: { readonly code: string; readonly message: string } };
