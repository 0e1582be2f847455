/** Holds the single wasm instance of this process, and replaces it after a trap. */

import { asEngineError, EngineError } from './errors.ts';
import type { Log, Platform, WriteQueue } from './host.ts';
import * as wasm from './wasm/argus_wasm.js';

/** Runs all calls of the engine. */
export class Runtime {
  /**
   * Number of the current instance. It increases with every new instance. Objects of an earlier instance are invalid.
   */
  generation = 0;
  readonly #platform: Platform;
  #panic: string | undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /**
   * Runs `work` on a working instance. Errors of the engine are rethrown. Any other error leaves the instance in an
   * unknown state, so the instance is replaced: its files are closed, which releases their locks, and SQLite rolls back
   * a partial write when the file is opened next.
   */
  call<T>(log: Log | undefined, work: () => T): T {
    // A log function may call the engine itself, for example to redact, so the outer log is restored afterwards.
    const outer = this.#platform.log;
    this.#platform.log = log;
    try {
      if (this.generation === 0) this.#start();
      return work();
    } catch (thrown) {
      const error = asEngineError(thrown);
      if (error !== undefined) throw error;
      this.#replace(thrown, log);
      const message =
        'The engine failed unexpectedly and was restarted. No stored data was lost; the log has the cause. Call again.';
      throw new EngineError('INTERNAL_ERROR', message, { cause: thrown });
    } finally {
      this.#platform.log = outer;
    }
  }

  /** Returns the queue for writers of a database, or undefined if the platform has none. */
  queue(databasePath: string, isImpatient: boolean): WriteQueue | undefined {
    return this.#platform.queue?.(databasePath, isImpatient);
  }

  /** Runs a call with short waits for locks, if the platform supports that. */
  runWithShortWaits<T>(call: () => T): T {
    return this.#platform.briefly === undefined ? call() : this.#platform.briefly(call);
  }

  #start(): void {
    wasm.initSync({ module: this.#platform.load() });
    this.#introduce();
  }

  #replace(thrown: unknown, log: Log | undefined): void {
    const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    const line = `engine: instance ${this.generation} failed: ${this.#panic ?? reason}`;
    this.#panic = undefined;
    this.#platform.files.closeAll();
    if (this.generation > 0) {
      wasm.__wbg_reset_state();
      this.#introduce();
    }
    // Comes last, because the log function may call the engine.
    log?.(line);
  }

  #introduce(): void {
    this.generation += 1;
    this.#platform.files.panicked = (message) => {
      this.#panic = message;
    };
    wasm.start(this.#platform.files);
  }
}
