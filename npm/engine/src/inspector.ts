/** Conclusions from one failure text, with nothing stored. */

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

/** The project's own rules. */
export interface InspectorOptions {
  readonly rules?: readonly UserRule[];
  readonly secrets?: readonly UserSecret[];
}

/** A failure, and the qualified name of the case it happened in. */
export type InspectedEvent = FailureEvent & { caseName?: string };

/** Redacts, classifies, normalizes and signs. */
export class Inspector {
  readonly #runtime: Runtime;
  readonly #options: InspectorOptions;
  #current: { generation: number; inspector: wasm.Inspector } | undefined;

  constructor(runtime: Runtime, options: InspectorOptions = {}) {
    this.#runtime = runtime;
    this.#options = options;
    this.#call(() => undefined);
  }

  /** Everything concluded from one event. */
  inspect(event: InspectedEvent): Inspection {
    return this.#call((inspector) => inspector.inspect(event));
  }

  /** The same, and where placeholders stand in the normalized text. */
  explain(event: InspectedEvent): Explanation {
    return this.#call((inspector) => inspector.explain(event));
  }

  /** The category alone. */
  classify(event: FailureEvent): FailureCategory {
    // The engine spells categories exactly as the generated type does.
    return this.#call((inspector) => inspector.classify(event)) as FailureCategory;
  }

  /**
   * Whole lines, one JSON event each, answered as whole lines in the same order. A line that is no JSON answers
   * `{"error":{"code","message"}}`.
   */
  inspectJsonl(chunk: string): string {
    return this.#call((inspector) => inspector.inspectJsonl(chunk));
  }

  /** The same for bytes as they come from a pipe; invalid UTF-8 is replaced. */
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
