/**
 * The rules of the fix loop decide which actions are allowed next. The host runs the commands, waits, and stores the
 * state.
 */

import type {
  FileChange,
  FixAdvanced,
  FixError,
  FixEvent,
  FixFailure,
  FixNextStep,
  FixStart,
  FixState,
  Weakening,
} from './generated/contract.ts';
import type { InspectorOptions } from './inspector.ts';
import type { Runtime } from './runtime.ts';
import * as wasm from './wasm/argus_wasm.js';

/**
 * The rules as pure functions over a state that the host stores. Every function throws an `EngineError` if the state is
 * invalid.
 */
export class FixLoop {
  readonly #runtime: Runtime;
  readonly #options: InspectorOptions;
  #current: { generation: number; loop: wasm.FixLoop } | undefined;

  constructor(runtime: Runtime, options: InspectorOptions = {}) {
    this.#runtime = runtime;
    this.#options = options;
    this.#call(() => undefined);
  }

  /** Returns the state of a new loop. Throws INVALID_INPUT if a value is missing or out of range. */
  begin(start: FixStart): FixState {
    return this.#call((loop) => loop.begin(start));
  }

  /**
   * Returns the state with new values for the settings that may change during a loop: the desired result, its test,
   * inputs, `auto` and the time limit of an attempt.
   */
  adjust(state: FixState, wanted: Partial<FixStart>): FixState {
    return this.#call((loop) => loop.adjust(state, wanted));
  }

  /** Returns the conclusions from a failed run. Without an exit code, the whole text counts as the error. */
  understand(failure: FixFailure): FixError {
    return this.#call((loop) => loop.understand(failure));
  }

  /**
   * Returns the state after an event and the actions that are allowed then. An event that is not allowed leaves the
   * state unchanged and returns the decision `refused`. `random` in [0, 1) determines the jitter of a delay; it is
   * drawn if missing.
   */
  advance(state: FixState, event: FixEvent, random?: number): FixAdvanced {
    return this.#call((loop) => loop.advance(state, event, random));
  }

  /** Returns the actions that are allowed in a state. */
  nextStep(state: FixState): FixNextStep {
    return this.#call((loop) => loop.nextStep(state));
  }

  /**
   * Parses the state in a `state.json`. Throws STATE_UNREADABLE, STATE_NEWER, or STATE_MISMATCH if the state belongs to
   * a loop with another `commandHash`.
   */
  readState(text: string, commandHash?: string): FixState {
    return this.#call((loop) => loop.readState(text, commandHash));
  }

  /** Returns a digest of the code changes in a unified diff, or undefined if only comments and layout changed. */
  changeDigest(diff: string): string | undefined {
    return this.#call((loop) => loop.changeDigest(diff));
  }

  /**
   * Returns changes that let tests pass without fixing the fault. Takes the changed files and a unified diff from git
   * with whole files. `failing` has the names of the failed tests, if known.
   */
  weakened(changed: readonly FileChange[], diff: string, failing: readonly string[] = []): Weakening[] {
    return this.#call((loop) => loop.weakened(changed, diff, failing));
  }

  /**
   * Returns the prompt at which an output stops, or undefined. `silent` is true if the program is still running and has
   * stopped printing.
   */
  prompt(output: string, silent: boolean): string | undefined {
    return this.#call((loop) => loop.prompt(output, silent));
  }

  /** Redacts the secrets in a text. The text may have any length. */
  redact(text: string): string {
    return this.#call((loop) => loop.redact(text));
  }

  #call<T>(work: (loop: wasm.FixLoop) => T): T {
    return this.#runtime.call(undefined, () => {
      if (this.#current?.generation !== this.#runtime.generation) {
        const options = { rules: this.#options.rules ?? [], secrets: this.#options.secrets ?? [] };
        this.#current = { generation: this.#runtime.generation, loop: new wasm.FixLoop(options) };
      }
      return work(this.#current.loop);
    });
  }
}
