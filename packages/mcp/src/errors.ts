/**
 * The one error type of this package: a code agents can branch on and a sentence that names the next step. How errors
 * become answers: answer.ts.
 */

/** Codes this package adds to the engine's own. */
export type HostErrorCode =
  | 'SESSION_NOT_FOUND'
  | 'HISTORY_DISABLED'
  | 'PROJECT_NOT_FOUND'
  | 'INVALID_INPUT'
  | 'CONFIG_INVALID'
  | 'NO_TEST_COMMAND'
  | 'COMMAND_FAILED'
  | 'REPORT_NOT_FOUND'
  | 'CANCELLED'
  | 'LOOP_BUSY'
  | 'LOOP_NOT_FOUND'
  | 'STATE_UNREADABLE'
  | 'STATE_NOT_WRITTEN'
  | 'INTERNAL_ERROR';

/** Thrown anywhere, caught once per call. */
export class ArgusError extends Error {
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ArgusError';
    this.code = code;
  }
}

/** The text of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The system's error code (`ENOENT`), where there is one. */
export function systemCodeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
