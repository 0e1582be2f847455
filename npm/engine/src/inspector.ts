/** Analyzes single failure texts and stores nothing. */

import type {
  Explanation,
  FailureCategory,
  FailureEvent,
  Inspection,
  SecretPattern,
  UserRule,
} from './generated/contract.ts';
import type { Runtime } from './runtime.ts';
import * as wasm from './wasm/argus_wasm.js';

/** The project's rules for errors and secrets. */
export interface InspectorOptions {
  readonly rules?: readonly UserRule[];
  readonly secrets?: readonly SecretPattern[];
}

/** A failure, with the full name of its case. */
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

  /** Returns the complete analysis of a failure. */
  inspect(event: InspectedEvent): Inspection {
    return this.#call((inspector) => inspector.inspect(event));
  }

  /** Like `inspect`, with the positions of placeholders in the normalized text. */
  explain(event: InspectedEvent): Explanation {
    return this.#call((inspector) => inspector.explain(event));
  }

  /** Returns only the category of a failure. */
  classify(event: FailureEvent): FailureCategory {
    // The engine returns only names of the generated type.
    return this.#call((inspector) => inspector.classify(event)) as FailureCategory;
  }

  /**
   * Analyzes JSON Lines: each input line is a failure, and the output has one line with the result of each, in the same
   * order. The result of a line that is not valid JSON is `{"error":{"code","message"}}`.
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
