/**
 * The team's server as a machine reaches it: one POST a call, made again once where the answer was lost. What leaves is
 * redacted by the caller: team-store.ts.
 */

import { setTimeout as delay } from 'node:timers/promises';
import {
  type CallName,
  type Calls,
  ENGINE_ERROR_CODES,
  EngineError,
  type EngineErrorCode,
  type Locale,
} from 'argus-engine';
import { v7 as uuidV7 } from 'uuid';
import { messageOf } from '../../errors.ts';
import { io } from '../../system/io.ts';
import { loadZod, type Zod } from '../../system/zod.ts';
import { VERSION } from '../../version.ts';
import { type Hello, hello, PROTOCOL, type TeamCall } from '../protocol.ts';
import type { Membership } from './membership.ts';

/** A server that does not answer must not stop an agent's work for long. */
const CALL_MS = 15_000;
const AGAIN_AFTER_MS = 200;

/** After a failure nobody is asked for this time: what follows is answered from this machine at once. */
const REST_MS = 5_000;

const answered = (z: Zod) =>
  z.union([
    z.object({ result: z.unknown() }),
    z.object({ error: z.object({ code: z.string(), message: z.string() }) }),
  ]);

/** Who asks, for whom. */
export interface Asking {
  locale: Locale;
  by: string | undefined;
  from: string | undefined;
}

export class Remote {
  readonly url: string;
  readonly project: string;
  readonly #tokenVariable: string;
  readonly #asking: () => Asking;
  #restUntil = 0;

  constructor(
    { url, project, tokenVariable }: Pick<Membership, 'url' | 'project' | 'tokenVariable'>,
    asking: () => Asking,
  ) {
    this.url = url;
    this.project = project;
    this.#tokenVariable = tokenVariable;
    this.#asking = asking;
  }

  async hello(): Promise<Hello> {
    const answer = await this.#fetch('v1/hello', {});
    const read = hello(await loadZod()).safeParse(answer);
    if (read.success) return read.data;
    throw this.#unreachable('what answers there is no server of Argus, or of another version');
  }

  /** Throws TEAM_UNREACHABLE, TEAM_DENIED, or what the server's engine has thrown. */
  async call<N extends CallName>(
    method: N,
    params: Calls[N]['params'],
    callId: string = uuidV7(),
    now: number = io().now(),
  ): Promise<Calls[N]['result']> {
    const rest = this.#restUntil - io().now();
    if (rest > 0) throw this.#unreachable(`it did not answer; asked again in ${Math.ceil(rest / 1_000)} s`);
    const { locale, by, from } = this.#asking();
    const call = { protocol: PROTOCOL, callId, now, method, params, locale, by, from };
    const post = { method: 'POST', body: JSON.stringify(call satisfies Record<keyof TeamCall, unknown>) };
    const address = `v1/projects/${encodeURIComponent(this.project)}/call`;
    try {
      const answer = await this.#twice(address, post);
      const z = await loadZod();
      const { result } = z.object({ result: z.unknown() }).parse(answer);
      return result as Calls[N]['result'];
    } catch (thrown) {
      if (isOutOfReach(thrown)) this.#restUntil = io().now() + REST_MS;
      throw thrown;
    }
  }

  /** The server may have made a call whose answer was lost: it answers the same when asked by the same callId. */
  async #twice(address: string, post: RequestInit): Promise<unknown> {
    try {
      return await this.#fetch(address, post);
    } catch (thrown) {
      if (!(thrown instanceof EngineError) || thrown.code !== 'TEAM_UNREACHABLE') throw thrown;
      await delay(AGAIN_AFTER_MS);
      return this.#fetch(address, post);
    }
  }

  async #fetch(address: string, request: RequestInit): Promise<unknown> {
    const token = io().env[this.#tokenVariable] ?? '';
    if (token === '') throw denied(`${this.#tokenVariable} holds no token. Set it for Argus; an admin makes one.`);
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'User-Agent': `argus/${VERSION}`,
    };
    const response = await this.#send(new URL(address, withSlash(this.url)), {
      ...request,
      headers,
      // It would take the token elsewhere.
      redirect: 'manual',
      signal: AbortSignal.timeout(CALL_MS),
    });
    return this.#read(response);
  }

  async #send(address: URL, request: RequestInit): Promise<Response> {
    try {
      return await fetch(address, request);
    } catch (thrown) {
      const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
      throw this.#unreachable(messageOf(cause));
    }
  }

  async #read(response: Response): Promise<unknown> {
    const { status } = response;
    if (status >= 300 && status < 400) throw this.#unreachable('it redirects, and a token is not taken elsewhere');
    const body: unknown = await response.json().catch(() => undefined);
    if (status === 200) return body;
    const read = answered(await loadZod()).safeParse(body);
    const error = read.success && 'error' in read.data ? read.data.error : undefined;
    if (status === 401 || status === 403) throw denied(error?.message ?? `it answers ${status}.`);
    if (error === undefined || status === 429 || status === 503) {
      throw this.#unreachable(error?.message ?? `it answers ${status}`);
    }
    if (isAboutServer(error.code)) {
      throw new EngineError('TEAM_UNREACHABLE', `The team's server ${this.url} takes nothing now: ${error.message}`);
    }
    throw new EngineError(codeOf(error.code), error.message);
  }

  #unreachable(reason: string): EngineError {
    return new EngineError('TEAM_UNREACHABLE', `The team's server ${this.url} cannot be reached: ${reason}.`);
  }
}

/** What is to be stored can be stored later. */
export function isOutOfReach(thrown: unknown): thrown is EngineError {
  return thrown instanceof EngineError && (thrown.code === 'TEAM_UNREACHABLE' || thrown.code === 'TEAM_DENIED');
}

/** Its database is away or of another version, or it is: mended there, and then it takes the same call. */
function isAboutServer(code: string): boolean {
  return code.startsWith('DATABASE_') || code === 'PROTOCOL';
}

function denied(reason: string): EngineError {
  return new EngineError('TEAM_DENIED', `The team's server does not take the token: ${reason}`);
}

/** A newer server may have codes that this program does not know. */
function codeOf(code: string): EngineErrorCode {
  return ENGINE_ERROR_CODES.find((known) => known === code) ?? 'INTERNAL_ERROR';
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}
