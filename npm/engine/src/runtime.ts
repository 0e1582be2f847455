/**
 * The one wasm instance of this process, and what happens when it traps.
 */

import { asEngineError, EngineError } from './errors.ts';
import type { Log, Platform, WriteQueue } from './host.ts';
import * as wasm from './wasm/argus_wasm.js';

/** Runs every call of the engine. */
export class Runtime {
  /** Grows with every new instance; objects of an older one are gone. */
  generation = 0;
  readonly #platform: Platform;
  #panic: string | undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /**
   * Runs `work` on a living instance. Errors of the engine are thrown as they are; anything else leaves the
   * instance in an unknown state, so it is replaced: its files are closed, which frees their locks, and SQLite
   * rolls back what was half written when the file is opened next.
   */
  call<T>(log: Log | undefined, work: () => T): T {
    // Whoever is told a line may call the engine in turn, as a redactor does.
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
        'The engine failed unexpectedly and was restarted. Nothing stored is lost; the log has the cause. Call again.';
      throw new EngineError('INTERNAL_ERROR', message, { cause: thrown });
    } finally {
      this.#platform.log = outer;
    }
  }

  /** Where writers of a database wait for one another; undefined where the platform has none. */
  queue(databasePath: string, isImpatient: boolean): WriteQueue | undefined {
    return this.#platform.queue?.(databasePath, isImpatient);
  }

  /** Runs a call that hardly waits for locks, where the platform can do that. */
  briefly<T>(call: () => T): T {
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
    // Last: who is told may call the engine again.
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
