/** Errors of the engine. Stack traces of the engine appear only in the log. */

import { ENGINE_ERROR_CODES } from './generated/contract.ts';

export type EngineErrorCode = (typeof ENGINE_ERROR_CODES)[number];

/** An error with a code. The message names the next step. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Converts an error that the bindings have thrown. Returns undefined for anything else, for example a trap or a bug in
 * host code. An unknown code is also a bug, but the engine remains usable.
 */
export function asEngineError(thrown: unknown): EngineError | undefined {
  if (thrown instanceof EngineError) return thrown;
  if (typeof thrown !== 'object' || thrown === null || thrown instanceof Error) return undefined;
  if (!('code' in thrown) || !('message' in thrown) || typeof thrown.message !== 'string') return undefined;
  const code = ENGINE_ERROR_CODES.find((known) => known === thrown.code);
  if (code !== undefined) return new EngineError(code, thrown.message);
  return new EngineError('INTERNAL_ERROR', `The engine returned an unknown error code: ${thrown.message}`);
}
