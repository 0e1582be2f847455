/**
 * A thread that makes the calls of a server on PostgreSQL, one at a time. The engine is synchronous, so the thread
 * sleeps while it waits for the database. Meanwhile project-server.ts on the main thread talks to the database.
 */

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { EngineError } from '../errors.ts';
import type { Locale } from '../generated/contract.ts';
import { Runtime } from '../runtime.ts';
import * as wasm from '../wasm/argus_wasm.js';
import { NodePlatform } from './platform.ts';
import { ASKED, type Job, type WorkerMessage, type WorkerSetup } from './worker-messages.ts';

const { module, sql, wake, options } = workerData as WorkerSetup;
const runtime = new Runtime(new NodePlatform(module));
let servers = new Map<Locale, wasm.WasmServer>();
let generation = 0;

parentPort?.on('message', (job: Job) => tell(resultOf(job)));

function tell(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

function resultOf(job: Job): WorkerMessage {
  const log = (line: string) => tell({ kind: 'log', line });
  try {
    return { kind: 'done', value: runtime.call(log, () => made(job)) };
  } catch (thrown) {
    // `Runtime.call` throws only `EngineError`.
    const { code, message } = thrown as EngineError;
    return { kind: 'failed', code, message };
  }
}

function made(job: Job): unknown {
  if (job.method === 'trapAtWrite') return wasm.trapAtWrite(job.writes);
  const server = serverOf(job.locale);
  return Reflect.apply(server[job.method], server, job.args);
}

/** A trap replaces the wasm instance, which invalidates the objects of the old instance. */
function serverOf(locale: Locale): wasm.WasmServer {
  if (generation !== runtime.generation) servers = new Map();
  generation = runtime.generation;
  let server = servers.get(locale);
  if (server === undefined) {
    server = new wasm.WasmServer({ ...options, locale }, send);
    servers.set(locale, server);
  }
  return server;
}

/** Sends a request of the engine and sleeps until the answer arrives. */
function send(request: unknown): unknown {
  Atomics.store(wake, 0, ASKED);
  sql.postMessage(request);
  // In a loop, because the notification of the answer before can arrive only now.
  while (Atomics.load(wake, 0) === ASKED) Atomics.wait(wake, 0, ASKED);
  return receiveMessageOnPort(sql)?.message;
}
