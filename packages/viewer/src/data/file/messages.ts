/** The messages between the page and its worker. */

import type { Locale } from 'argus-engine/browser';
import type { Method, Params } from '../source.ts';

export type Request =
  | {
      readonly id: number;
      readonly do: 'open';
      readonly wasm: Uint8Array;
      /** Undefined: an empty memory, for inspecting a text. */
      readonly file: Blob | undefined;
      readonly locale: Locale;
    }
  | { readonly id: number; readonly do: 'call'; readonly method: Method; readonly params: Params<Method> };

export type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: { readonly code: string; readonly message: string } };
