/** What the engine answers instead of a result. Does not: carry a stack of the engine; that is in the log. */

/** Every code an engine call can answer. */
export const ENGINE_ERROR_CODES = [
  'RUN_NOT_FOUND',
  'CASE_NOT_FOUND',
  'CASE_NOT_FAILED',
  'PATTERN_NOT_FOUND',
  'INCIDENT_NOT_FOUND',
  'SOLUTION_NOT_FOUND',
  'LOOKUP_NOT_FOUND',
  'INVALID_INPUT',
  'REPORT_NOT_FOUND',
  'REPORT_UNREADABLE',
  'REPORT_TOO_LARGE',
  'DATABASE_LOCKED',
  'DATABASE_READONLY',
  'DATABASE_FULL',
  'DATABASE_CORRUPT',
  'DATABASE_NEWER',
  'DATABASE_UNAVAILABLE',
  'STATE_UNREADABLE',
  'STATE_NEWER',
  'STATE_MISMATCH',
  'INTERNAL_ERROR',
] as const;

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

/** The error that the bindings threw, or undefined when it was something else: a trap, a mistake in host code. */
export function asEngineError(thrown: unknown): EngineError | undefined {
  if (thrown instanceof EngineError) return thrown;
  if (typeof thrown !== 'object' || thrown === null || thrown instanceof Error) return undefined;
  if (!('code' in thrown) || !('message' in thrown) || typeof thrown.message !== 'string') return undefined;
  const code = ENGINE_ERROR_CODES.find((known) => known === thrown.code);
  return code === undefined ? undefined : new EngineError(code, thrown.message);
}
