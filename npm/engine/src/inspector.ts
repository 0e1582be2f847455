/** Analysis of a single failure text. Nothing is stored. */

import type {
  Explanation,
  FailureCategory,
  FailureEvent,
  Inspection,
  UserRule,
  UserSecret,
} from './generated/contract.ts';
import type { Runtime } from './runtime.ts';
import * as wasm from './wasm/argus_wasm.js';

/** Rules of the project. */
export interface InspectorOptions {
  readonly rules?: readonly UserRule[];
  readonly secrets?: readonly UserSecret[];
}

/** A failure with the qualified name of its case. */
export type InspectedEvent = FailureEvent & { caseName?: string };

/** Redacts, classifies, normalizes and signs failure texts. */
export class Inspector {
  readonly #runtime: Runtime;
  readonly #options: InspectorOptions;
  #current: { generation: number; inspector: wasm.Inspector } | undefined;

  constructor(runtime: Runtime, options: InspectorOptions = {}) {
    this.#runtime = runtime;
    this.#options = options;
    this.#call(() => undefined);
  }

  /** Returns the whole analysis of an event. */
  inspect(event: InspectedEvent): Inspection {
    return this.#call((inspector) => inspector.inspect(event));
  }

  /** Like `inspect`, with the positions of placeholders in the normalized text. */
  explain(event: InspectedEvent): Explanation {
    return this.#call((inspector) => inspector.explain(event));
  }

  /** Returns only the category. */
  classify(event: FailureEvent): FailureCategory {
    // The engine returns exactly the names of the generated type.
    return this.#call((inspector) => inspector.classify(event)) as FailureCategory;
  }

  /**
   * Analyzes JSON Lines: each line is an event, and the output has a line with its result, in the same order. A line
   * that is not valid JSON results in `{"error":{"code","message"}}`.
   */
  inspectJsonl(chunk: string): string {
    return this.#call((inspector) => inspector.inspectJsonl(chunk));
  }

  /** Like `inspectJsonl` for bytes from a pipe. Invalid UTF-8 is replaced. */
  inspectJsonlBytes(chunk: Uint8Array): Uint8Array {
    return this.#call((inspector) => inspector.inspectJsonlBytes(chunk));
  }

  #call<T>(work: (inspector: wasm.Inspector) => T): T {
    return this.#runtime.call(undefined, () => {
      if (this.#current?.generation !== this.#runtime.generation) {
        const options = { rules: this.#options.rules ?? [], secrets: this.#options.secrets ?? [] };
        this.#current = { generation: this.#runtime.generation, inspector: new wasm.Inspector(options) };
      }
      return work(this.#current.inspector);
    });
  }
}
