/** The threads that make the calls of a server. */

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { EngineError } from '../errors.ts';
import type { Log } from '../host.ts';
import { NodePlatform } from './platform.ts';
import { type Job, REQUEST_ANSWERED, type WorkerMessage, type WorkerSetup } from './worker-messages.ts';

/** Path of the worker relative to this file: beside the bundle, or in `dist` when run from source. */
const WORKER_PATHS = ['./project-worker.mjs', '../../dist/project-worker.mjs'];

/**
 * A call mostly waits for the database, so a core can serve several threads. A thread uses 50 MB after its first call.
 */
const WORKERS_PER_CORE = 8;
const MAX_DEFAULT_WORKERS = 32;

/** Maximum number of calls that wait for a thread. Further calls are refused immediately. */
const MAX_WAITING_CALLS = 1_000;

/** How long a call may exceed its time limit before its thread is replaced. */
const GRACE_PERIOD_MS = 5_000;

export const getDefaultWorkerCount = (): number =>
  Math.min(MAX_DEFAULT_WORKERS, WORKERS_PER_CORE * availableParallelism());

/** Answers a request of the engine to send statements. The promise never rejects. */
export type RequestHandler = (request: unknown) => Promise<unknown>;

/** A call that waits for a thread. */
interface WaitingCall {
  resolve(worker: ProjectWorker): void;
  reject(error: EngineError): void;
}

export class ProjectWorkers {
  readonly #size: number;
  readonly #start: (ended: (worker: ProjectWorker) => void) => ProjectWorker;
  readonly #all = new Set<ProjectWorker>();
  readonly #idle = new Set<ProjectWorker>();
  readonly #waiting = new Set<WaitingCall>();
  #module: WebAssembly.Module | undefined;
  #isClosed = false;

  /** `options` is `EngineOptions`, without the locale. */
  constructor(size: number, options: object, log: Log | undefined) {
    this.#size = size;
    this.#start = (ended) => {
      this.#module ??= compileEngine();
      return new ProjectWorker(this.#module, options, log, ended);
    };
  }

  /** Runs `work` on a free thread. Waits at most `waitMs` milliseconds for the thread. */
  async use<T>(waitMs: number, work: (worker: ProjectWorker) => Promise<T>): Promise<T> {
    const worker = await this.#take(waitMs);
    try {
      return await work(worker);
    } finally {
      this.#release(worker);
    }
  }

  /** Stops all threads. Running and waiting calls fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const call of this.#waiting) call.reject(shuttingDownError());
    await Promise.all([...this.#all].map((worker) => worker.end()));
  }

  #take(waitMs: number): Promise<ProjectWorker> | ProjectWorker {
    if (this.#isClosed) throw shuttingDownError();
    // Use the thread that worked last, so that a server with few calls keeps few threads in memory.
    const idle = [...this.#idle].at(-1);
    if (idle !== undefined) {
      this.#idle.delete(idle);
      return idle;
    }
    if (this.#all.size < this.#size) return this.#started();
    if (this.#waiting.size >= MAX_WAITING_CALLS) throw busyError(this.#size);
    return this.#waitFor(waitMs);
  }

  async #waitFor(waitMs: number): Promise<ProjectWorker> {
    let timer: NodeJS.Timeout | undefined;
    let call: WaitingCall | undefined;
    try {
      return await new Promise((resolve, reject) => {
        call = { resolve, reject };
        this.#waiting.add(call);
        timer = setTimeout(() => reject(busyError(this.#size)), waitMs);
      });
    } finally {
      clearTimeout(timer);
      if (call !== undefined) this.#waiting.delete(call);
    }
  }

  #started(): ProjectWorker {
    const worker = this.#start((ended) => {
      this.#all.delete(ended);
      this.#idle.delete(ended);
    });
    this.#all.add(worker);
    return worker;
  }

  #release(worker: ProjectWorker): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      if (!worker.isTerminated) this.#idle.add(worker);
      return;
    }
    // Delete the call now, because the promise settles later and another thread may become free before that.
    this.#waiting.delete(next);
    next.resolve(worker.isTerminated ? this.#started() : worker);
  }
}

/** Compiles the engine once, for use by all threads. */
function compileEngine(): WebAssembly.Module {
  const engine = new NodePlatform().load();
  return engine instanceof Uint8Array ? new WebAssembly.Module(engine as Uint8Array<ArrayBuffer>) : engine;
}

function shuttingDownError(): EngineError {
  return new EngineError('DATABASE_UNAVAILABLE', 'The server is shutting down. Repeat the call.');
}

export function busyError(size: number): EngineError {
  return new EngineError('DATABASE_LOCKED', `All ${size} threads of the server are busy. Try again.`);
}

/** A thread that makes calls. The thread keeps the process alive only while it makes a call. */
export class ProjectWorker {
  readonly #thread: Worker;
  readonly #sql: MessagePort;
  readonly #wake = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #answering: RequestHandler = async () => undefined;
  #settle: ((outcome: { value: unknown } | { error: Error }) => void) | undefined;
  #error: Error | undefined;
  /** True if the thread has ended, so it makes no more calls. */
  isTerminated = false;

  /** `ended` is called when the thread has ended, for whatever reason. */
  constructor(
    module: WebAssembly.Module,
    options: object,
    log: Log | undefined,
    ended: (worker: ProjectWorker) => void,
  ) {
    const { port1, port2 } = new MessageChannel();
    const setup: WorkerSetup = { module, sql: port2, wake: this.#wake, options };
    this.#thread = new Worker(findWorkerFile(), { workerData: setup, transferList: [port2], execArgv: [] });
    this.#sql = port1;
    this.#sql.on('message', (request) => void this.#answer(request));
    this.#sql.unref();
    this.#thread.on('message', (message: WorkerMessage) => this.#hear(message, log));
    this.#thread.on('error', (error) => {
      this.#error = error;
    });
    this.#thread.on('exit', () => {
      this.#leave();
      ended(this);
    });
    this.#thread.unref();
  }

  /** Makes a call. The next call may start after this call has settled. Rejects with an `EngineError`. */
  async run(job: Job, untilMs: number, answering: RequestHandler): Promise<unknown> {
    this.#answering = answering;
    const late = setTimeout(() => void this.end(), Math.max(0, untilMs - Date.now()) + GRACE_PERIOD_MS);
    this.#thread.ref();
    try {
      return await new Promise((resolve, reject) => {
        this.#settle = (outcome) => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value));
        this.#thread.postMessage(job);
      });
    } finally {
      clearTimeout(late);
      this.#settle = undefined;
      this.#thread.unref();
    }
  }

  async end(): Promise<void> {
    this.isTerminated = true;
    await this.#thread.terminate();
  }

  async #answer(request: unknown): Promise<void> {
    this.#sql.postMessage(await this.#answering(request));
    Atomics.store(this.#wake, 0, REQUEST_ANSWERED);
    Atomics.notify(this.#wake, 0);
  }

  #hear(message: WorkerMessage, log: Log | undefined): void {
    if (message.kind === 'log') log?.(message.line);
    else if (message.kind === 'done') this.#settle?.({ value: message.value });
    else this.#settle?.({ error: new EngineError(message.code, message.message) });
  }

  #leave(): void {
    this.isTerminated = true;
    this.#sql.close();
    const reason = 'The thread of the call ended before its answer, and nothing was stored. Repeat the call.';
    this.#settle?.({ error: new EngineError('INTERNAL_ERROR', reason, { cause: this.#error }) });
  }
}

function findWorkerFile(): string {
  const paths = WORKER_PATHS.map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const found = paths.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`project-worker.mjs is missing beside ${import.meta.url}: reinstall it`);
  return found;
}
