/**
 * A thread that makes the calls of a server, one at a time. The engine is synchronous. On PostgreSQL, the thread sleeps
 * while it waits for the database, and project-server.ts on the main thread exchanges messages with the database. The
 * thread opens database files itself.
 */

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { Engine, type OpenOptions } from '../engine.ts';
import type { EngineError } from '../errors.ts';
import type { CallName, Calls } from '../generated/calls.ts';
import type { Locale } from '../generated/contract.ts';
import { Runtime } from '../runtime.ts';
import * as wasm from '../wasm/argus_wasm.js';
import { NodePlatform } from './platform.ts';
import { type FileJob, type Job, REQUEST_PENDING, type WorkerMessage, type WorkerSetup } from './worker-messages.ts';

const { module, sql, wake, options } = workerData as WorkerSetup;
const runtime = new Runtime(new NodePlatform(module));
let servers = new Map<Locale, wasm.WasmServer>();
let generation = 0;
/** Open engines by language and file path. The last is the most recently used. */
const engines = new Map<string, Engine>();
const MAX_OPEN_FILES = 8;

parentPort?.on('message', async (job: Job) => postMessage(await runJob(job)));

function postMessage(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

async function runJob(job: Job): Promise<WorkerMessage> {
  try {
    const value = job.method === 'callFile' ? await callFile(job) : runtime.call(log, () => runServerJob(job));
    return { kind: 'done', value };
  } catch (thrown) {
    // Both kinds of calls throw only `EngineError`.
    const { code, message } = thrown as EngineError;
    return { kind: 'failed', code, message };
  }
}

function log(line: string): void {
  postMessage({ kind: 'log', line });
}

async function callFile({ file, locale, name, params, caller }: FileJob): Promise<unknown> {
  const engine = await openEngineFor(file, locale);
  const typed = params as Calls[CallName]['params'];
  return caller === undefined ? engine.call(name, typed) : engine.callOnce(name, typed, caller);
}

async function openEngineFor(file: string, locale: Locale): Promise<Engine> {
  const key = `${locale} ${file}`;
  const known = engines.get(key);
  engines.delete(key);
  const [[oldest, unused] = []] = engines;
  if (known === undefined && oldest !== undefined && engines.size >= MAX_OPEN_FILES) {
    engines.delete(oldest);
    await unused?.close();
  }
  const engine = known ?? new Engine(runtime, { ...(options as OpenOptions), databasePath: file, locale, log });
  engines.set(key, engine);
  return engine;
}

function runServerJob(job: Exclude<Job, FileJob>): unknown {
  if (job.method === 'trapAtWrite') return wasm.trapAtWrite(job.writes);
  const server = getLocaleServer(job.locale);
  return Reflect.apply(server[job.method], server, job.args);
}

/**
 * Returns the server for a language. After a trap, creates it again, because the trap replaced the wasm instance and
 * made its objects invalid.
 */
function getLocaleServer(locale: Locale): wasm.WasmServer {
  if (generation !== runtime.generation) servers = new Map();
  generation = runtime.generation;
  let server = servers.get(locale);
  if (server === undefined) {
    server = new wasm.WasmServer({ ...options, locale }, sendStatements);
    servers.set(locale, server);
  }
  return server;
}

/** Sends statements for the engine to the main thread, and sleeps until the answer arrives. */
function sendStatements(request: unknown): unknown {
  Atomics.store(wake, 0, REQUEST_PENDING);
  sql.postMessage(request);
  // Wait in a loop, because the notification for an earlier answer may arrive only now.
  while (Atomics.load(wake, 0) === REQUEST_PENDING) Atomics.wait(wake, 0, REQUEST_PENDING);
  return receiveMessageOnPort(sql)?.message;
}
