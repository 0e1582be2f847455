/**
 * The one error type of this package: a code that agents can branch on, and a message that ends with the next step. See
 * `answer.ts` for how errors become answers.
 */

/** Codes that this package adds to the engine's codes. */
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

/** Can be thrown anywhere; `answer.ts` catches it once per call. */
export class ArgusError extends Error {
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ArgusError';
    this.code = code;
  }
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Returns the system's error code, for example `ENOENT`, or undefined for other errors. */
export function systemCodeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

const LACKS: Readonly<Record<string, string>> = {
  EMFILE: 'This process may open no more files (EMFILE). Raise its limit, as with: ulimit -n 4096',
  ENFILE: 'The system can open no more files (ENFILE). End programs that have many open',
  ENOMEM: 'The system has no memory left (ENOMEM). End programs that use much',
};

/** V8 reports a lack of memory by message, without a code. */
const NO_MEMORY = /could not allocate memory|out of memory|allocation failed/iu;

/** Names the resource that the system lacks and what to do, or undefined when the error has another cause. */
export function lackBehind(thrown: unknown): string | undefined {
  const lack = LACKS[systemCodeOf(thrown) ?? ''];
  if (lack !== undefined) return `${lack}, then call again.`;
  if (!(thrown instanceof Error)) return undefined;
  if (thrown instanceof RangeError && NO_MEMORY.test(thrown.message)) return `${LACKS.ENOMEM}, then call again.`;
  return thrown.cause === undefined ? undefined : lackBehind(thrown.cause);
}
