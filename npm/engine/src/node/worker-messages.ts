/** Messages between the main thread and a thread that runs project-worker.ts. */

import type { MessagePort } from 'node:worker_threads';
import type { Caller } from '../engine.ts';
import type { EngineErrorCode } from '../errors.ts';
import type { CallName } from '../generated/calls.ts';
import type { Locale } from '../generated/contract.ts';
import type { WasmServer } from '../wasm/argus_wasm.js';

/** Data that a thread gets at its start. */
export interface WorkerSetup {
  readonly module: WebAssembly.Module;
  /** Port for requests with statements and for the results. */
  readonly sql: MessagePort;
  /** A single number: `REQUEST_PENDING` while a request waits for its result, then `REQUEST_ANSWERED`. */
  readonly wake: Int32Array;
  /** `EngineOptions`, without the locale. */
  readonly options: object;
}

/** A method of `WasmServer` with its arguments. */
export interface ServerJob {
  readonly locale: Locale;
  readonly method: Exclude<keyof WasmServer, 'free' | typeof Symbol.dispose>;
  readonly args: readonly unknown[];
}

/** A call on a database file. Without a caller, the call comes from this machine. */
export interface FileJob {
  readonly method: 'callFile';
  readonly file: string;
  readonly locale: Locale;
  readonly name: CallName;
  readonly params: object;
  readonly caller: Caller | undefined;
}

/** Makes a later job of the same thread trap. For tests. */
export interface TrapJob {
  readonly method: 'trapAtWrite';
  readonly writes: number;
}

export type Job = ServerJob | FileJob | TrapJob;

export type WorkerMessage =
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly code: EngineErrorCode; readonly message: string };

export const REQUEST_PENDING = 0;
export const REQUEST_ANSWERED = 1;
