/** What the engine answers instead of a result. A stack of the engine stands in the log only. */

import { ENGINE_ERROR_CODES } from './generated/contract.ts';

export type EngineErrorCode = (typeof ENGINE_ERROR_CODES)[number];

/** An error with a code, and a message that names the next step. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * The error that the bindings threw, or undefined when it was something else: a trap, a mistake in host code. A code
 * that this program does not know is a mistake too, but the engine that answered it is alive.
 */
export function asEngineError(thrown: unknown): EngineError | undefined {
  if (thrown instanceof EngineError) return thrown;
  if (typeof thrown !== 'object' || thrown === null || thrown instanceof Error) return undefined;
  if (!('code' in thrown) || !('message' in thrown) || typeof thrown.message !== 'string') return undefined;
  const code = ENGINE_ERROR_CODES.find((known) => known === thrown.code);
  if (code !== undefined) return new EngineError(code, thrown.message);
  return new EngineError('INTERNAL_ERROR', `The engine answered a code that is not known here: ${thrown.message}`);
}
