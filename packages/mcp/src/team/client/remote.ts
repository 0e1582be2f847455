/**
 * Sends calls to a team's server, one POST per call. If no response arrives, the call is sent once more. A response
 * that does not follow the protocol, for example from a captive portal, a proxy or a broken server, counts as no
 * response. `team-store.ts` redacts outgoing texts, and `answers.ts` checks incoming responses.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { type CallName, type Calls, ENGINE_ERROR_CODES, EngineError, type Locale, type Scope } from 'argus-engine';
import { v7 as uuidV7 } from 'uuid';
import { getErrorMessage } from '../../errors.ts';
import { MAX_BODY_BYTES, parseJson, readBody } from '../../http/responses.ts';
import { CallRejectedError } from '../../storage/database.ts';
import { io } from '../../system/io.ts';
import { loadZod, type Zod } from '../../system/zod.ts';
import { mapStringsDeep, quoteLine, toShortLine } from '../../text/untrusted-text.ts';
import { VERSION } from '../../version.ts';
import {
  createAnyHelloSchema,
  createHelloSchema,
  type Hello,
  OLDEST_PROTOCOL_VERSION,
  PROTOCOL_VERSION,
  type TeamCall,
} from '../protocol.ts';
import type { Membership } from './membership.ts';

/** The time limit of a call including the second attempt. It is short because an agent waits. */
const MAX_CALL_MS = 15_000;
const RETRY_DELAY_MS = 200;

/**
 * Printable ASCII. If the header had other characters, the error of `fetch` would quote its value and reveal the token.
 */
const VALID_TOKEN = /^[!-~]+$/u;

/** The time limit of a request for the version of a server that has just responded. */
const MAX_VERSION_REQUEST_MS = 3_000;

/** After a failure, no call is sent for this time. The memory on this machine answers the next calls at once. */
const PAUSE_AFTER_FAILURE_MS = 5_000;

const createErrorSchema = (z: Zod) => z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** The sender of a call. */
interface CallSender {
  locale: Locale;
  by: string | undefined;
  from: string | undefined;
}

/** An error as the wire protocol represents it. */
interface ServerError {
  status: number;
  code: string;
  message: string;
}

/** Engine error codes that a server may send. Only this program creates codes about the connection. */
const CODES_FROM_SERVER = ENGINE_ERROR_CODES.filter((code) => !code.startsWith('TEAM_') && code !== 'INTERNAL_ERROR');

export class TeamServerClient {
  readonly url: string;
  readonly project: string;
  readonly #tokenVariable: string;
  readonly #getSender: () => CallSender;
  #pause: { readonly until: number; readonly error: EngineError } | undefined;

  constructor(
    { url, project, tokenVariable }: Pick<Membership, 'url' | 'project' | 'tokenVariable'>,
    getSender: () => CallSender,
  ) {
    this.url = url;
    this.project = project;
    this.#tokenVariable = tokenVariable;
    this.#getSender = getSender;
  }

  async fetchHello(): Promise<Hello> {
    const answer = await this.#fetch('v1/hello', {}, AbortSignal.timeout(MAX_CALL_MS));
    const z = await loadZod();
    const result = createHelloSchema(z).safeParse(answer);
    if (result.success) {
      const { token, ...server } = result.data;
      return { ...server, token: { ...token, name: toShortLine(token.name).replaceAll("'", '’') } };
    }
    const anyVersion = createAnyHelloSchema(z).safeParse(answer);
    const reason = anyVersion.success
      ? `it runs Argus ${anyVersion.data.version}, which is not compatible with Argus ${VERSION}; update the older program`
      : 'the server at this address is not an Argus server';
    throw this.#createUnreachableError(reason);
  }

  /** Throws TEAM_UNREACHABLE, TEAM_DENIED or the error of the server's engine. */
  async call<N extends CallName>(
    method: N,
    params: Calls[N]['params'],
    callId: string = uuidV7(),
    now: number = io().now(),
  ): Promise<Calls[N]['result']> {
    this.#requireNotPaused();
    const { locale, by, from } = this.#getSender();
    const call = { protocol: PROTOCOL_VERSION, callId, now, method, params, locale, by, from };
    const body = JSON.stringify(call satisfies Record<keyof TeamCall, unknown>);
    try {
      // Checked here, because the server would close the connection early and its error response could be lost.
      if (Buffer.byteLength(body) > MAX_BODY_BYTES) throw createCallTooLargeError();
      const answer = await this.#fetchWithRetry(`v1/projects/${encodeURIComponent(this.project)}/call`, {
        method: 'POST',
        body,
      });
      const { parseResult } = await import('./answers.ts');
      const result = parseResult(method, answer, getNotes(params));
      if (result !== undefined) return result;
      throw this.#createUnreachableError(`its answer is not valid${await this.#describeVersions()}`);
    } catch (thrown) {
      if (!isTeamUnavailable(thrown)) throw await this.#addVersionsToError(thrown);
      // An error of only this call does not affect the next call.
      const isAboutCall = thrown instanceof CallRejectedError && thrown.isOfCall;
      if (!isAboutCall) this.#pause = { until: io().now() + PAUSE_AFTER_FAILURE_MS, error: thrown };
      throw thrown;
    }
  }

  #requireNotPaused(): void {
    const pause = this.#pause;
    const pauseMs = (pause?.until ?? 0) - io().now();
    if (pause === undefined || pauseMs <= 0) return;
    if (pause.error instanceof CallRejectedError) throw pause.error;
    throw this.#createUnreachableError(`it did not answer; next try in ${Math.ceil(pauseMs / 1_000)} s`);
  }

  /**
   * Sends a call again if no response arrived. This is safe because the server returns the first result for the same
   * callId.
   */
  async #fetchWithRetry(address: string, request: RequestInit): Promise<unknown> {
    const signal = AbortSignal.timeout(MAX_CALL_MS);
    try {
      return await this.#fetch(address, request, signal);
    } catch (thrown) {
      const isLost = thrown instanceof EngineError && thrown.code === 'TEAM_UNREACHABLE';
      if (!isLost || thrown instanceof CallRejectedError || signal.aborted) throw thrown;
      await delay(RETRY_DELAY_MS);
      return this.#fetch(address, request, signal);
    }
  }

  async #fetch(address: string, request: RequestInit, signal: AbortSignal): Promise<unknown> {
    const token = io().env[this.#tokenVariable]?.trim() ?? '';
    if (token === '') {
      const reason = `${this.#tokenVariable} is not set. Set it to a token from an admin.`;
      throw new EngineError('TEAM_DENIED', formatTokenDenial(reason));
    }
    if (!VALID_TOKEN.test(token)) {
      const reason = `${this.#tokenVariable} contains a line break, a space or another invalid character. Set it again.`;
      throw new EngineError('TEAM_DENIED', formatTokenDenial(reason));
    }
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'User-Agent': `argus/${VERSION}`,
    };
    // A redirect would send the token to another server.
    const options = { ...request, headers, redirect: 'manual' as const, signal };
    try {
      const response = await fetch(new URL(address, addTrailingSlash(this.url)), options);
      return await this.#readResponse(response, (text) => text.replaceAll(token, '[REDACTED:team-token]'));
    } catch (thrown) {
      if (thrown instanceof EngineError) throw thrown;
      const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
      throw this.#createUnreachableError(toShortLine(getErrorMessage(cause)));
    }
  }

  /** `hide` removes the token from a text, because a server may include it in its response. */
  async #readResponse(response: Response, hide: (text: string) => string): Promise<unknown> {
    const { status } = response;
    if (status >= 300 && status < 400)
      throw this.#createUnreachableError('it redirects, and Argus does not send the token to another address');
    const bytes = response.body === null ? Buffer.alloc(0) : await readBody(response.body);
    if (bytes === undefined) throw this.#createUnreachableError(`its answer has more than ${MAX_BODY_BYTES} bytes`);
    const body = mapStringsDeep(parseBody(bytes), hide);
    if (status === 200 && body !== undefined) return body;
    const result = createErrorSchema(await loadZod()).safeParse(body);
    // Proxies have their own limits and do not use this protocol.
    if (status === 413) throw createCallTooLargeError();
    if (!result.success)
      throw this.#createUnreachableError(`the server at this address is not an Argus server (status ${status})`);
    throw this.#toError({ status, ...result.data.error });
  }

  #toError({ status, code, message }: ServerError): EngineError {
    if (status === 401)
      return createTokenDeniedError('it is unknown, expired or revoked. Ask an admin for a new token.');
    if (status === 403)
      return createTokenDeniedError(
        `it does not permit this in '${this.project}'. Ask an admin for a token with the needed scope.`,
      );
    if (isServerProblem(code) || status === 429 || status === 503) {
      return new EngineError('TEAM_UNREACHABLE', this.#formatServerMessage('accepts no calls now', message));
    }
    if (code === 'NOT_FOUND') {
      const advice = `Check the URL: argus team join URL --as ${this.project}.`;
      const text = `The team's server ${this.url} does not accept calls at this address. ${advice}`;
      return new CallRejectedError('TEAM_UNREACHABLE', text, { isRefused: true, concernsCallOnly: false });
    }
    const known = CODES_FROM_SERVER.find((one) => one === code);
    if (known !== undefined) return new EngineError(known, this.#formatServerMessage('rejected this call', message));
    const isRefused = status < 500;
    const text = this.#formatServerMessage(isRefused ? 'rejected this call' : 'failed to handle this call', message);
    return new CallRejectedError(isRefused ? 'TEAM_DENIED' : 'TEAM_UNREACHABLE', text, {
      isRefused,
      concernsCallOnly: true,
    });
  }

  #formatServerMessage(what: string, message: string): string {
    return `The team's server ${this.url} ${what}: ${quoteLine(message)}`;
  }

  /**
   * An older server rejects new fields and calls. Reports both versions in that case. The call then waits until the
   * server is updated.
   */
  async #addVersionsToError(thrown: unknown): Promise<unknown> {
    if (!(thrown instanceof EngineError) || thrown.code !== 'INVALID_INPUT') return thrown;
    const versions = await this.#describeVersions();
    return versions === '' ? thrown : new EngineError('TEAM_UNREACHABLE', `${thrown.message}${versions}.`);
  }

  /** Returns the end of a sentence with both versions, or an empty text if the versions are equal. */
  async #describeVersions(): Promise<string> {
    const answer = await this.#fetch('v1/hello', {}, AbortSignal.timeout(MAX_VERSION_REQUEST_MS)).catch(
      () => undefined,
    );
    const { data: { version } = { version: VERSION } } = createAnyHelloSchema(await loadZod()).safeParse(answer);
    return version === VERSION
      ? ''
      : `. It runs Argus ${version}, and this is Argus ${VERSION}; update the older program`;
  }

  #createUnreachableError(reason: string): EngineError {
    return new EngineError('TEAM_UNREACHABLE', `The team's server ${this.url} cannot be reached: ${reason}.`);
  }
}

/** True if the team's server cannot be used now and the call can be stored for later. */
export function isTeamUnavailable(thrown: unknown): thrown is EngineError {
  return thrown instanceof EngineError && (thrown.code === 'TEAM_UNREACHABLE' || thrown.code === 'TEAM_DENIED');
}

/** Converts an engine error about a run to CallRejectedError. A run cannot be corrected and sent again. */
export function toCallRejectedError(thrown: unknown): unknown {
  if (!(thrown instanceof EngineError) || thrown.code.startsWith('TEAM_')) return thrown;
  return new CallRejectedError('TEAM_DENIED', thrown.message, { isRefused: true, concernsCallOnly: true });
}

/**
 * True if the database or the version of the server caused the error. After that is fixed, the server accepts the same
 * call.
 */
function isServerProblem(code: string): boolean {
  return code.startsWith('DATABASE_') || code === 'PROTOCOL';
}

function createTokenDeniedError(reason: string): EngineError {
  return new CallRejectedError('TEAM_DENIED', formatTokenDenial(reason), { isRefused: true, concernsCallOnly: false });
}

function formatTokenDenial(reason: string): string {
  return `The team's server rejects the token: ${reason}`;
}

function createCallTooLargeError(): EngineError {
  const text = `The call is too large for the team's server: at most ${MAX_BODY_BYTES} bytes.`;
  return new CallRejectedError('TEAM_DENIED', text, { isRefused: true, concernsCallOnly: true });
}

/** Returns undefined for text that is not JSON. */
function parseBody(bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the notes of a run. The response repeats them. */
function getNotes(params: object): readonly string[] {
  return 'notes' in params && Array.isArray(params.notes) ? params.notes.map(String) : [];
}

function addTrailingSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

type TeamServerCheck =
  | { reachable: true; version: string; token: string; scope: Scope }
  /** `problem` ends with the command that solves it. */
  | { reachable: false; problem: string };

/**
 * Checks whether a team's server accepts runs from this machine. If not, returns the problem and the command that
 * solves it.
 */
export async function checkTeamServer(
  remote: TeamServerClient,
  { url, project, tokenVariable }: Pick<Membership, 'url' | 'project' | 'tokenVariable'>,
): Promise<TeamServerCheck> {
  try {
    const hello = await remote.fetchHello();
    const problem = findProtocolProblem(hello) ?? findProjectProblem(hello, url, project);
    if (problem !== undefined) return { reachable: false, problem };
    const { version, token } = hello;
    return { reachable: true, version, token: token.name, scope: token.scope };
  } catch (thrown) {
    if (!isTeamUnavailable(thrown)) throw thrown;
    const advice =
      thrown.code === 'TEAM_DENIED'
        ? `Run argus token create NAME --project ${project} on the server and set ${tokenVariable}`
        : `Run argus serve on its machine (after an update, first argus migrate). If the server has moved, run argus team join URL --as ${project}`;
    return { reachable: false, problem: `${thrown.message} ${advice}` };
  }
}

/** Returns undefined if both programs support a common protocol. */
export function findProtocolProblem({ protocol: { oldest, newest } }: Pick<Hello, 'protocol'>): string | undefined {
  if (oldest <= PROTOCOL_VERSION && newest >= OLDEST_PROTOCOL_VERSION) return undefined;
  const difference = `The team's server supports protocols ${oldest} to ${newest}, but this program supports ${PROTOCOL_VERSION}.`;
  const update = 'npm install --global argus-mcp@latest';
  return oldest > PROTOCOL_VERSION
    ? `${difference} Update this program: ${update}`
    : `${difference} Update the server: ${update}, then argus migrate`;
}

/** Returns undefined if the token is valid for this project. */
export function findProjectProblem({ token }: Pick<Hello, 'token'>, url: string, project: string): string | undefined {
  if (token.projects === null || token.projects.includes(project)) return undefined;
  const [first] = token.projects;
  return `The token is for ${token.projects.join(', ')}, not '${project}'. Join one of its projects: argus team join ${url} --as ${first}`;
}
