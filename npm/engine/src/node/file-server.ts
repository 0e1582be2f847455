/**
 * The projects of a server in database files. Each call runs on its own thread, so that a long call does not delay
 * other calls.
 */

import { availableParallelism } from 'node:os';
import { type Caller, isWritingCall, omitUndefined } from '../engine.ts';
import type { CallName } from '../generated/calls.ts';
import type { Locale, Retention } from '../generated/contract.ts';
import type { Log } from '../host.ts';
import { ProjectMemory } from './project-server.ts';
import { busyError, ProjectWorkers } from './project-workers.ts';

export interface FileServerOptions {
  /** Number of calls that can run at once. The default is 2 per core. */
  readonly workers?: number;
  /** Limits for the number of runs that are kept. */
  readonly retention?: Retention;
  readonly log?: Log;
}

/** Time limit of a call. An import of a large run takes minutes. */
const MAX_CALL_MS = 600_000;

const WORKERS_PER_CORE = 2;

/** Maximum number of writes that wait for their turn at one file. */
const MAX_WAITING_WRITES = 1_000;

/** All database files of a server. All errors are `EngineError`. */
export class FileServer {
  readonly #size: number;
  readonly #workers: ProjectWorkers;
  readonly #turns = new Map<string, { length: number; last: Promise<unknown> }>();

  constructor({ workers = WORKERS_PER_CORE * availableParallelism(), retention, log }: FileServerOptions) {
    this.#size = workers;
    // Case names are already relative to the project's folder, so the engine needs no project folder.
    const options = { projectRoot: '/', withoutFiles: true, retention: omitUndefined(retention ?? {}) };
    this.#workers = new ProjectWorkers(workers, options, log);
  }

  /**
   * Returns the calls on a file. The first write creates the file. `locale` is the language of built-in suggestions.
   */
  memory(file: string, locale: Locale): ProjectMemory {
    return new ProjectMemory((name, params, caller) => this.#call(file, locale, name, params, caller));
  }

  /** Stops all threads. Running calls fail, and their changes are rolled back. */
  async close(): Promise<void> {
    await this.#workers.close();
  }

  #call(file: string, locale: Locale, name: CallName, params: object, caller?: Caller): Promise<unknown> {
    const job = { method: 'callFile', file, locale, name, params: omitUndefined(params), caller } as const;
    const work = () =>
      this.#workers.use(MAX_CALL_MS, (worker) => worker.run(job, Date.now() + MAX_CALL_MS, async () => undefined));
    return isWritingCall(name) ? this.#inTurn(file, work) : work();
  }

  /**
   * Runs the writes to a file one after another, so that waiting writes do not occupy threads that other calls need.
   */
  async #inTurn(file: string, work: () => Promise<unknown>): Promise<unknown> {
    const turn = this.#turns.get(file) ?? { length: 0, last: Promise.resolve() };
    if (turn.length > MAX_WAITING_WRITES) throw busyError(this.#size);
    this.#turns.set(file, turn);
    turn.length += 1;
    const mine = turn.last.then(work);
    turn.last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      turn.length -= 1;
      if (turn.length === 0) this.#turns.delete(file);
    }
  }
}
