/** The rules of the fix loop: what may happen next. Running, waiting and keeping the state is the host's part. */

import type {
  FileChange,
  FixAdvanced,
  FixError,
  FixEvent,
  FixFailure,
  FixOutlook,
  FixStart,
  FixState,
  Weakening,
} from './generated/contract.ts';
import type { InspectorOptions } from './inspector.ts';
import type { Runtime } from './runtime.ts';
import * as wasm from './wasm/argus_wasm.js';

/** Pure functions over a state that the host keeps; each throws an `EngineError` on a state it does not believe. */
export class FixLoop {
  readonly #runtime: Runtime;
  readonly #options: InspectorOptions;
  #current: { generation: number; loop: wasm.FixLoop } | undefined;

  constructor(runtime: Runtime, options: InspectorOptions = {}) {
    this.#runtime = runtime;
    this.#options = options;
    this.#call(() => undefined);
  }

  /** The state of a new loop; INVALID_INPUT where a value is missing or out of range. */
  begin(start: FixStart): FixState {
    return this.#call((loop) => loop.begin(start));
  }

  /** The state with what may be changed on the way: what is wanted, its test, inputs, `auto` and the time of a run. */
  adjust(state: FixState, wanted: Partial<FixStart>): FixState {
    return this.#call((loop) => loop.adjust(state, wanted));
  }

  /** What a failed run says; without an exit code the text is an error that was given, and all of it counts. */
  understand(failure: FixFailure): FixError {
    return this.#call((loop) => loop.understand(failure));
  }

  /**
   * The state after an event, and what may be done then. An event that is not allowed leaves the state as it is and
   * is answered with the decision `refused`. `random`, in [0, 1), decides on the jitter of a delay; drawn when none.
   */
  advance(state: FixState, event: FixEvent, random?: number): FixAdvanced {
    return this.#call((loop) => loop.advance(state, event, random));
  }

  /** What may be done in a state, without an event. */
  outlook(state: FixState): FixOutlook {
    return this.#call((loop) => loop.outlook(state));
  }

  /**
   * The state in a `state.json`; STATE_UNREADABLE, STATE_NEWER, or STATE_MISMATCH where it is another loop's than
   * the one of `commandHash`.
   */
  readState(text: string, commandHash?: string): FixState {
    return this.#call((loop) => loop.readState(text, commandHash));
  }

  /** The digest of the code that went and came in a unified diff; undefined where comments and layout alone did. */
  changeDigest(diff: string): string | undefined {
    return this.#call((loop) => loop.changeDigest(diff));
  }

  /**
   * What in changed files, and in a unified diff of git with whole files, lets tests pass without the fault being gone.
   * `failing`: the tests that failed, where that is known.
   */
  weakened(changed: readonly FileChange[], diff: string, failing: readonly string[] = []): Weakening[] {
    return this.#call((loop) => loop.weakened(changed, diff, failing));
  }

  /**
   * The prompt at which an output ends, or undefined. `silent`: the program prints nothing more and did not end by
   * itself.
   */
  prompt(output: string, silent: boolean): string | undefined {
    return this.#call((loop) => loop.prompt(output, silent));
  }

  /** A text of any length without secrets. */
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
