/** Messages between the main thread and a thread of project-worker.ts. */

import type { MessagePort } from 'node:worker_threads';
import type { EngineErrorCode } from '../errors.ts';
import type { Locale } from '../generated/contract.ts';
import type { WasmServer } from '../wasm/argus_wasm.js';

/** Data for the start of a thread. */
export interface WorkerSetup {
  readonly module: WebAssembly.Module;
  /** Port for requests with statements and for their answers. */
  readonly sql: MessagePort;
  /** A single number: `ASKED` while a request waits for its answer, then `ANSWERED`. */
  readonly wake: Int32Array;
  /** `EngineOptions` of the contract, without the locale. */
  readonly options: object;
}

/** A method of `WasmServer` with its arguments. */
export interface ServerJob {
  readonly locale: Locale;
  readonly method: Exclude<keyof WasmServer, 'free' | typeof Symbol.dispose>;
  readonly args: readonly unknown[];
}

/** Makes a later job of the same thread trap. For tests. */
export interface TrapJob {
  readonly method: 'trapAtWrite';
  readonly writes: number;
}

export type Job = ServerJob | TrapJob;

export type WorkerMessage =
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly code: EngineErrorCode; readonly message: string };

export const ASKED = 0;
export const ANSWERED = 1;
