/**
 * The error type of this package: a code that agents can check, and a message that ends with the next step. `answer.ts`
 * converts errors to answers.
 */

/** Codes of this package. The engine has more codes. */
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

/** An error with a code. Any code may throw it; `answer.ts` catches it once per call. */
export class ArgusError extends Error {
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ArgusError';
    this.code = code;
  }
}

export function getErrorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Returns the error code of the operating system, such as `ENOENT`, or undefined for other errors. */
export function getSystemCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

const RESOURCE_MESSAGES: Readonly<Record<string, string>> = {
  EMFILE: 'This process cannot open more files (EMFILE). Raise its limit, for example with: ulimit -n 4096',
  ENFILE: 'The system cannot open more files (ENFILE). Close programs that have many open files',
  ENOMEM: 'The system has no memory left (ENOMEM). Close programs that use a lot of memory',
};

/** V8 reports a lack of memory only in the message, without a code. */
const OUT_OF_MEMORY = /could not allocate memory|out of memory|allocation failed/iu;

/**
 * Returns a message about the resource that the system lacks and what to do. Returns undefined if the error has another
 * cause.
 */
export function describeMissingResource(thrown: unknown): string | undefined {
  const message = RESOURCE_MESSAGES[getSystemCode(thrown) ?? ''];
  if (message !== undefined) return `${message}, then call again.`;
  if (!(thrown instanceof Error)) return undefined;
  if (thrown instanceof RangeError && OUT_OF_MEMORY.test(thrown.message))
    return `${RESOURCE_MESSAGES.ENOMEM}, then call again.`;
  return thrown.cause === undefined ? undefined : describeMissingResource(thrown.cause);
}
