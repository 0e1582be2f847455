/** The calls of the engine that a token allows, and the limits of one call. */

import { type CallName, type Calls, EngineError, NamedCalls, TEAM_CALLS } from 'argus-engine';
import { RejectedRequest } from '../../http/responses.ts';
import type { EngineCalls } from '../../storage/database.ts';
import type { TeamCall, TeamCallName } from '../protocol.ts';

export class GrantedCalls extends NamedCalls implements EngineCalls {
  readonly #makeCall: (method: TeamCallName, params: TeamCall['params']) => Promise<unknown>;

  /** `makeCall` checks what the token allows and runs the call. */
  constructor(makeCall: (method: TeamCallName, params: TeamCall['params']) => Promise<unknown>) {
    super();
    this.#makeCall = makeCall;
  }

  async call<N extends CallName>(name: N, params: Calls[N]['params']): Promise<Calls[N]['result']> {
    const method = TEAM_CALLS.find((known) => known === name);
    if (method === undefined) throw new EngineError('INVALID_INPUT', `${name} is not a team call.`);
    const defined = Object.entries(params).filter(([, value]) => value !== undefined);
    return (await this.#makeCall(method, Object.fromEntries(defined))) as Calls[N]['result'];
  }

  attempt<N extends CallName>(name: N, params: Calls[N]['params']): Promise<Calls[N]['result']> {
    return this.call(name, params);
  }
}

/*
 * Limits the texts of one call, because the engine runs on one thread and all other calls wait for it. Only the size of
 * the request limits the cases of a run, because the cases of a finished run cannot be reduced.
 */

/**
 * The maximum number of characters in all names and texts. The engine redacts a whole text before it shortens the text
 * to 64 KiB.
 */
const MAX_CHARACTERS = 512 * 1024;

/** The limit for lists of incidents or patterns, which clients send in batches, and for a run without its cases. */
const MAX_LIST_CHARACTERS = 2 * 1024 * 1024;

const LIST_CALLS: readonly TeamCallName[] = ['memoryImport', 'patternsImport'];
const RUN_CALLS: readonly TeamCallName[] = ['recordRun', 'importRun'];

/** Throws `RejectedRequest` (413) if the params exceed the limit. */
export function requireWithinLimit(method: TeamCallName, params: Readonly<Record<string, unknown>>): void {
  const { cases: _, ...others } = params;
  const limited = RUN_CALLS.includes(method) ? others : params;
  const maxCharacters =
    LIST_CALLS.includes(method) || RUN_CALLS.includes(method) ? MAX_LIST_CHARACTERS : MAX_CHARACTERS;
  if (countCharacters(limited) <= maxCharacters) return;
  throw new RejectedRequest(
    413,
    'INVALID_INPUT',
    `${method} accepts at most ${maxCharacters} characters. Shorten its texts.`,
  );
}

/** A number counts as one character. Recursion is safe because responses.ts limits the nesting. */
function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countCharacters(item), 1);
  return Object.entries(value).reduce((sum, [name, item]) => sum + name.length + countCharacters(item), 1);
}
