/**
 * Sends calls to a team's server: one POST per call, repeated once when the answer was lost. Anything outside the
 * protocol counts as no answer, for example a captive portal, a proxy or a broken server. `team-store.ts` redacts
 * outgoing texts, `answers.ts` checks incoming answers.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { type CallName, type Calls, ENGINE_ERROR_CODES, EngineError, type Locale } from 'argus-engine';
import { v7 as uuidV7 } from 'uuid';
import { messageOf } from '../../errors.ts';
import { MAX_BODY_BYTES, parseJson, readBounded } from '../../http/json-body.ts';
import { NotTakenError } from '../../storage/database.ts';
import { io } from '../../system/io.ts';
import { loadZod, type Zod } from '../../system/zod.ts';
import { mapTexts, quotedLine, shortLine } from '../../text/untrusted.ts';
import { VERSION } from '../../version.ts';
import { anyHello, type Hello, hello, PROTOCOL, type TeamCall } from '../protocol.ts';
import type { Membership } from './membership.ts';

/** The limit for a call with its repetition, because an agent waits. */
const CALL_MS = 15_000;
const AGAIN_AFTER_MS = 200;

/** Printable ASCII. The error of `fetch` would otherwise quote the header value and reveal the token. */
const TOKEN = /^[!-~]+$/u;

/** The limit for asking a server that has just answered for its version. */
const VERSION_MS = 3_000;

/**
 * After a failure the server is not asked for this time, so that the next calls are answered from this machine at once.
 */
const REST_MS = 5_000;

const refusal = (z: Zod) => z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** The sender of a call. */
export interface Asking {
  locale: Locale;
  by: string | undefined;
  from: string | undefined;
}

/** An error in the form of the protocol. */
interface ServerError {
  status: number;
  code: string;
  message: string;
}

/** Engine codes that a server may send. Codes about the connection come from this side only. */
const ANSWERABLE_CODES = ENGINE_ERROR_CODES.filter((code) => !code.startsWith('TEAM_') && code !== 'INTERNAL_ERROR');

export class Remote {
  readonly url: string;
  readonly project: string;
  readonly #tokenVariable: string;
  readonly #asking: () => Asking;
  #rest: { readonly until: number; readonly error: EngineError } | undefined;

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
    const answer = await this.#fetch('v1/hello', {}, AbortSignal.timeout(CALL_MS));
    const z = await loadZod();
    const read = hello(z).safeParse(answer);
    if (read.success) {
      const { token, ...server } = read.data;
      return { ...server, token: { ...token, name: shortLine(token.name).replaceAll("'", '’') } };
    }
    const any = anyHello(z).safeParse(answer);
    const reason = any.success
      ? `it is Argus ${any.data.version}, which Argus ${VERSION} does not understand; update the older one`
      : 'what answers there is no server of Argus';
    throw this.#unreachable(reason);
  }

  /** Throws TEAM_UNREACHABLE, TEAM_DENIED, or the error of the server's engine. */
  async call<N extends CallName>(
    method: N,
    params: Calls[N]['params'],
    callId: string = uuidV7(),
    now: number = io().now(),
  ): Promise<Calls[N]['result']> {
    this.#requireRested();
    const { locale, by, from } = this.#asking();
    const call = { protocol: PROTOCOL, callId, now, method, params, locale, by, from };
    const body = JSON.stringify(call satisfies Record<keyof TeamCall, unknown>);
    try {
      // Checked here because the server would close the connection early, and its refusal could be lost.
      if (Buffer.byteLength(body) > MAX_BODY_BYTES) throw tooLarge();
      const answer = await this.#twice(`v1/projects/${encodeURIComponent(this.project)}/call`, {
        method: 'POST',
        body,
      });
      const { resultIn } = await import('./answers.ts');
      const result = resultIn(method, answer, sentencesIn(params));
      if (result !== undefined) return result;
      throw this.#unreachable(`its answer is none that is understood here${await this.#versions()}`);
    } catch (thrown) {
      if (!isOutOfReach(thrown)) throw await this.#explained(thrown);
      // A refusal of this call does not affect the next call.
      const isOfCall = thrown instanceof NotTakenError && thrown.isOfCall;
      if (!isOfCall) this.#rest = { until: io().now() + REST_MS, error: thrown };
      throw thrown;
    }
  }

  #requireRested(): void {
    const rest = this.#rest;
    const restMs = (rest?.until ?? 0) - io().now();
    if (rest === undefined || restMs <= 0) return;
    if (rest.error instanceof NotTakenError) throw rest.error;
    throw this.#unreachable(`it did not answer; asked again in ${Math.ceil(restMs / 1_000)} s`);
  }

  /**
   * Repeats a call whose answer was lost. This is safe because the server returns the first result for the same callId.
   */
  async #twice(address: string, post: RequestInit): Promise<unknown> {
    const signal = AbortSignal.timeout(CALL_MS);
    try {
      return await this.#fetch(address, post, signal);
    } catch (thrown) {
      const isLost = thrown instanceof EngineError && thrown.code === 'TEAM_UNREACHABLE';
      if (!isLost || thrown instanceof NotTakenError || signal.aborted) throw thrown;
      await delay(AGAIN_AFTER_MS);
      return this.#fetch(address, post, signal);
    }
  }

  async #fetch(address: string, request: RequestInit, signal: AbortSignal): Promise<unknown> {
    const token = io().env[this.#tokenVariable]?.trim() ?? '';
    if (token === '') {
      const reason = `${this.#tokenVariable} holds no token. Set it for Argus; an admin makes one.`;
      throw new EngineError('TEAM_DENIED', denial(reason));
    }
    if (!TOKEN.test(token)) {
      const reason = `${this.#tokenVariable} holds a line break, a space or a letter that no token has. Set it again.`;
      throw new EngineError('TEAM_DENIED', denial(reason));
    }
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'User-Agent': `argus/${VERSION}`,
    };
    // A redirect would send the token to another server.
    const asked = { ...request, headers, redirect: 'manual' as const, signal };
    try {
      const response = await fetch(new URL(address, withSlash(this.url)), asked);
      return await this.#read(response, (text) => text.replaceAll(token, '[REDACTED:team-token]'));
    } catch (thrown) {
      if (thrown instanceof EngineError) throw thrown;
      const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
      throw this.#unreachable(shortLine(messageOf(cause)));
    }
  }

  /** `hide` removes the token from a text, because a server may send it back. */
  async #read(response: Response, hide: (text: string) => string): Promise<unknown> {
    const { status } = response;
    if (status >= 300 && status < 400) throw this.#unreachable('it redirects, and a token is not taken elsewhere');
    const bytes = response.body === null ? Buffer.alloc(0) : await readBounded(response.body);
    if (bytes === undefined) throw this.#unreachable(`its answer has more than ${MAX_BODY_BYTES} bytes`);
    const body = mapTexts(parsed(bytes), hide);
    if (status === 200 && body !== undefined) return body;
    const read = refusal(await loadZod()).safeParse(body);
    // Proxies have limits of their own and do not use this protocol.
    if (status === 413) throw tooLarge();
    if (!read.success) throw this.#unreachable(`what answers there is no server of Argus (status ${status})`);
    throw this.#refused({ status, ...read.data.error });
  }

  #refused({ status, code, message }: ServerError): EngineError {
    if (status === 401) return deniedToken('it is unknown, expired or revoked. An admin makes a new one.');
    if (status === 403) return deniedToken(`it may not do this in '${this.project}'. An admin makes one that may.`);
    if (isAboutServer(code) || status === 429 || status === 503) {
      return new EngineError('TEAM_UNREACHABLE', this.#saying('takes nothing now', message));
    }
    if (code === 'NOT_FOUND') {
      const advice = `argus team join URL --as ${this.project} names another one.`;
      const text = `The team's server ${this.url} has nothing at the address of a call. ${advice}`;
      return new NotTakenError('TEAM_UNREACHABLE', text, { isRefused: true, isOfCall: false });
    }
    const known = ANSWERABLE_CODES.find((one) => one === code);
    if (known !== undefined) return new EngineError(known, this.#saying('refuses this', message));
    const isRefused = status < 500;
    const text = this.#saying(isRefused ? 'refuses this' : 'failed at this call', message);
    return new NotTakenError(isRefused ? 'TEAM_DENIED' : 'TEAM_UNREACHABLE', text, { isRefused, isOfCall: true });
  }

  #saying(what: string, message: string): string {
    return `The team's server ${this.url} ${what}: ${quotedLine(message)}`;
  }

  /** An older server refuses new fields and calls. An update of the server fixes that, so the call waits. */
  async #explained(thrown: unknown): Promise<unknown> {
    if (!(thrown instanceof EngineError) || thrown.code !== 'INVALID_INPUT') return thrown;
    const versions = await this.#versions();
    return versions === '' ? thrown : new EngineError('TEAM_UNREACHABLE', `${thrown.message}${versions}.`);
  }

  /** The end of a sentence with both versions. Empty when they are equal. */
  async #versions(): Promise<string> {
    const answer = await this.#fetch('v1/hello', {}, AbortSignal.timeout(VERSION_MS)).catch(() => undefined);
    const { data: { version } = { version: VERSION } } = anyHello(await loadZod()).safeParse(answer);
    return version === VERSION ? '' : `. It is Argus ${version}, and this is Argus ${VERSION}; update the older one`;
  }

  #unreachable(reason: string): EngineError {
    return new EngineError('TEAM_UNREACHABLE', `The team's server ${this.url} cannot be reached: ${reason}.`);
  }
}

/** True when the team cannot be used now and the call can be stored later. */
export function isOutOfReach(thrown: unknown): thrown is EngineError {
  return thrown instanceof EngineError && (thrown.code === 'TEAM_UNREACHABLE' || thrown.code === 'TEAM_DENIED');
}

/** Converts an engine error about a run, because a run cannot be corrected and sent again. */
export function asNotTaken(thrown: unknown): unknown {
  if (!(thrown instanceof EngineError) || thrown.code.startsWith('TEAM_')) return thrown;
  return new NotTakenError('TEAM_DENIED', thrown.message, { isRefused: true, isOfCall: true });
}

/** True when the database or version of the server is the cause. After a repair the server accepts the same call. */
function isAboutServer(code: string): boolean {
  return code.startsWith('DATABASE_') || code === 'PROTOCOL';
}

function deniedToken(reason: string): EngineError {
  return new NotTakenError('TEAM_DENIED', denial(reason), { isRefused: true, isOfCall: false });
}

function denial(reason: string): string {
  return `The team's server does not take the token: ${reason}`;
}

function tooLarge(): EngineError {
  const text = `The team's server takes no call of this size; at most ${MAX_BODY_BYTES} bytes.`;
  return new NotTakenError('TEAM_DENIED', text, { isRefused: true, isOfCall: true });
}

/** Returns undefined for text that is not JSON. */
function parsed(bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch {
    return undefined;
  }
}

/** The notes of a run, which its answer repeats. */
function sentencesIn(params: object): readonly string[] {
  return 'notes' in params && Array.isArray(params.notes) ? params.notes.map(String) : [];
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}
