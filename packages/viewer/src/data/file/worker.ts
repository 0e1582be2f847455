/** Runs the engine in a worker, over a file or an empty memory. */

import { type Engine, openBlob, openEmpty, startEngine } from 'argus-engine/browser';
import { problemOf } from '../source.ts';
import type { Answer, Request } from './messages.ts';

let engine: Engine | undefined;

self.addEventListener('message', async ({ data }: MessageEvent<Request>) => {
  self.postMessage(await answer(data));
});

async function answer(request: Request): Promise<Answer> {
  try {
    return { id: request.id, value: await handle(request) };
  } catch (thrown) {
    const { code, message } = problemOf(thrown);
    return { id: request.id, error: { code, message } };
  }
}

async function handle(request: Request): Promise<unknown> {
  if (request.do === 'call') {
    if (engine === undefined) throw new Error('nothing is open');
    return engine.call(request.method, request.params);
  }
  const { wasm, file, locale } = request;
  startEngine(wasm);
  engine = file === undefined ? await openEmpty({ locale }) : await openBlob(file, { locale });
}
