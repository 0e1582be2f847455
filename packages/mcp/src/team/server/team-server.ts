/**
 * The HTTP server of a team. It authenticates a request, checks what the token allows and chooses the memory for the
 * answer. `start-server.ts` starts and stops it.
 */

import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { isIP } from 'node:net';
import { performance } from 'node:perf_hooks';
import { type CallName, type Calls, EngineError, type EngineErrorCode, isPageCall } from 'argus-engine';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { v7 as uuidV7 } from 'uuid';
import { z } from 'zod';
import { toRemoteErrorBody } from '../../answer.ts';
import { getErrorMessage } from '../../errors.ts';
import { RejectedRequest, readJson, sendBytes, sendError, sendJson } from '../../http/responses.ts';
import { log } from '../../log.ts';
import { PROJECT_NAME_PATTERN } from '../../owner/project.ts';
import type { EngineCalls } from '../../storage/database.ts';
import { io } from '../../system/io.ts';
import { findAcceptedLocale } from '../../text/locale.ts';
import { toShortLine } from '../../text/untrusted-text.ts';
import { VERSION } from '../../version.ts';
import {
  createTeamCallSchema,
  getRequiredScope,
  type Hello,
  OLDEST_PROTOCOL_VERSION,
  PROTOCOL_VERSION,
  type TeamCall,
} from '../protocol.ts';
import { type Grant, isLoopback, isLoopbackHeader, type TokenAuthenticator } from './auth.ts';
import { GrantedCalls, requireWithinLimit } from './granted-calls.ts';
import { Metrics } from './metrics.ts';
import { findCookieToken, isFromOwnPage, Pages, readLoginToken } from './pages.ts';
import type { ProjectMemories } from './storage/projects.ts';

/** The maximum size of all headers together. Node rejects larger headers. */
const MAX_HEADER_BYTES = 16 * 1024;

/** The maximum time from the first byte of a request to the last byte. */
const MAX_REQUEST_MS = 60_000;

/**
 * Longer than clients keep an idle connection. The client then closes it first. Otherwise a client could send a request
 * on a connection that the server has just closed.
 */
const KEEP_ALIVE_MS = 65_000;

const MAX_CALL_MS = 30_000;

/** The interval in which idle connections are closed at shutdown. */
const IDLE_CHECK_MS = 100;

const MAX_CLIENT_CHARS = 100;

/** The maximum number of wrong tokens from one address in a minute. */
const WRONG_TOKEN_LIMIT = { points: 20, duration: 60 };

interface TeamServerOptions {
  projects: ProjectMemories;
  auth: TokenAuthenticator;
  /** Calls per second for one token. */
  callsPerSecond: number;
  /** True if a proxy in front of the server sends the address of the client. */
  trustsProxy: boolean;
  tls: { cert: Buffer; key: Buffer } | undefined;
  /** Answers requests to `/mcp`. */
  mcp: McpHandler;
  /** If a call takes longer, the response is an error. Repeating the call returns the result of the first call. */
  callMs?: number;
}

/** Answers an MCP request. `calls` are the calls that the token allows in one project. */
export type McpHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  calls: EngineCalls,
  /** The parsed JSON of a POST. */
  body: unknown,
) => Promise<void>;

/** Facts about a request for the log. */
interface RequestFacts {
  token?: string;
  project?: string;
  call?: string;
}

/** A request for the viewer's page or its data. */
interface PageRequest {
  project: string;
  rest: string;
  method: string | undefined;
  grant: Grant;
  /** The token from the request. */
  token: string | undefined;
  facts: RequestFacts;
}

/** Headers that a proxy adds. */
const PROXY_HEADERS = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'];

export class TeamServer {
  readonly http: Server;
  readonly #options: TeamServerOptions;
  readonly #metrics = new Metrics();
  readonly #callLimiter: RateLimiterMemory;
  readonly #wrongTokenLimiter = new RateLimiterMemory(WRONG_TOKEN_LIMIT);
  readonly #callSchema = createTeamCallSchema(z);
  readonly #paramsSchema = this.#callSchema.shape.params;
  readonly #pages: Pages;
  #isEnding = false;

  constructor(options: TeamServerOptions) {
    this.#options = options;
    this.#pages = new Pages(options.projects, options.tls !== undefined || options.trustsProxy);
    this.#callLimiter = new RateLimiterMemory({ points: options.callsPerSecond, duration: 1 });
    const limits = { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: MAX_REQUEST_MS, keepAliveTimeout: KEEP_ALIVE_MS };
    const listener = (request: IncomingMessage, response: ServerResponse) =>
      void this.#handleRequest(request, response);
    this.http =
      options.tls === undefined
        ? createHttpServer(limits, listener)
        : createHttpsServer({ ...limits, ...options.tls }, listener);
  }

  /** Accepts no new calls and waits for running calls. */
  async close(withinMs: number): Promise<void> {
    this.#isEnding = true;
    this.#pages.close();
    const closed = new Promise<void>((resolve) => {
      this.http.close(() => resolve());
    });
    // Clients keep a connection open after their last call. Idle connections must therefore be closed here.
    const idleTimer = setInterval(() => this.http.closeIdleConnections(), IDLE_CHECK_MS);
    const deadlineTimer = setTimeout(() => this.http.closeAllConnections(), withinMs);
    await closed;
    clearInterval(idleTimer);
    clearTimeout(deadlineTimer);
    await this.#options.projects.close();
  }

  async #handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const facts: RequestFacts = {};
    try {
      await this.#route(request, response, facts);
    } catch (thrown) {
      await this.#auditDenial(thrown, request, facts);
      if (thrown instanceof RejectedRequest && thrown.status === 429) response.setHeader('Retry-After', '1');
      await sendError(response, thrown, toRemoteErrorBody);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    this.#metrics.recordRequest(facts.call ?? 'other', response.statusCode, seconds);
    // One JSON object per line, without bodies.
    const line = {
      at: new Date(io().now()).toISOString(),
      status: response.statusCode,
      ms: Math.round(seconds * 1_000),
      ...facts,
    };
    io().stdout.write(`${JSON.stringify({ ...line, method: request.method, path: getPath(request) })}\n`);
  }

  async #route(request: IncomingMessage, response: ServerResponse, facts: RequestFacts): Promise<void> {
    const path = getPath(request);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    if (method === 'GET' && path === '/healthz') return sendJson(response, 200, { status: 'ok' });
    if (method === 'GET' && path === '/readyz') return this.#sendReadiness(response);
    if (method === 'GET' && path === '/metrics' && this.#isOnThisMachine(request)) return this.#sendMetrics(response);
    if (path === '/login' || path === '/logout') return this.#handleLogin(request, response, path, facts);
    const token = findBearerToken(request) ?? findCookieToken(request);
    if (method === 'GET' && path === '/') return this.#sendHome(request, response, token, facts);
    const grant = await this.#authenticate(request, token);
    facts.token = grant.id;
    if (path === '/mcp') {
      const calls = this.#createCalls(request, grant, facts);
      const body = method === 'POST' ? await readJson(request) : undefined;
      return this.#options.mcp(request, response, calls, body);
    }
    const projectPath = this.#pages.parseProjectPath(path);
    if (projectPath !== undefined)
      return this.#handlePageRequest(request, response, { ...projectPath, method, grant, token, facts });
    if (method === 'GET' && path === '/metrics') {
      if (!grant.isAllowed('admin')) throw createForbiddenError('Metrics need a token with the scope admin.');
      return this.#sendMetrics(response);
    }
    if (method === 'GET' && path === '/v1/hello') return sendJson(response, 200, await this.#createHello(grant));
    const [, project] = /^\/v1\/projects\/([^/]+)\/call$/u.exec(path) ?? [];
    if (project === undefined) throw new RejectedRequest(404, 'NOT_FOUND', 'This address does not exist.');
    if (method !== 'POST') throw new RejectedRequest(405, 'INVALID_INPUT', 'Use POST for calls.');
    if (!PROJECT_NAME_PATTERN.test(project))
      throw new RejectedRequest(400, 'INVALID_INPUT', `A project name must match ${PROJECT_NAME_PATTERN}.`);
    facts.project = project;
    const call = this.#parseCall(await readJson(request));
    sendJson(response, 200, { result: await this.#makeCall(call, project, grant, facts) });
  }

  /**
   * Sends the list of projects, or the login form if the request has no valid token. A browser may send an expired
   * token.
   */
  async #sendHome(
    request: IncomingMessage,
    response: ServerResponse,
    token: string | undefined,
    facts: RequestFacts,
  ): Promise<void> {
    if (token === undefined) return this.#pages.sendLogin(response);
    try {
      const grant = await this.#authenticate(request, token);
      facts.token = grant.id;
      await this.#pages.sendProjects(response, grant);
    } catch (thrown) {
      if (!(thrown instanceof RejectedRequest)) throw thrown;
      this.#pages.sendLogin(response, thrown.status, thrown.message);
    }
  }

  async #handleLogin(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    facts: RequestFacts,
  ): Promise<void> {
    if (request.method !== 'POST') throw new RejectedRequest(405, 'INVALID_INPUT', 'Open / instead.');
    // Without this check, another site could log in the browser with a token of that site (login CSRF).
    if (!isFromOwnPage(request))
      throw createForbiddenError('The form came from another site. Open / and enter the token there.');
    if (path === '/logout') return this.#pages.logOut(response);
    const token = await readLoginToken(request);
    try {
      facts.token = (await this.#authenticate(request, token)).id;
    } catch (thrown) {
      if (!(thrown instanceof RejectedRequest)) throw thrown;
      await this.#writeAudit(undefined, { call: 'login' }, true);
      return this.#pages.sendLogin(response, thrown.status, thrown.message);
    }
    this.#pages.logIn(response, token);
  }

  async #handlePageRequest(
    request: IncomingMessage,
    response: ServerResponse,
    pageRequest: PageRequest,
  ): Promise<void> {
    const { project, rest, method, grant, token, facts } = pageRequest;
    facts.project = project;
    if (!grant.isAllowed('read', project))
      throw createForbiddenError(`The token '${grant.name}' cannot read '${project}'.`);
    const locale = findAcceptedLocale(request.headers['accept-language']) ?? 'en';
    const isAllowed = async () =>
      (await this.#options.auth.authenticate(token ?? ''))?.isAllowed('read', project) === true;
    if (method === 'GET' && (await this.#pages.sendPage(response, project, rest, { grant, locale, isAllowed }))) return;
    const name = /^api\/(\w+)$/u.exec(rest)?.[1] ?? '';
    if (!isPageCall(name)) throw new RejectedRequest(404, 'NOT_FOUND', 'This address does not exist.');
    if (method !== 'POST') throw new RejectedRequest(405, 'INVALID_INPUT', `Call ${name} with POST.`);
    const params = this.#paramsSchema.safeParse(await readJson(request));
    if (!params.success) throw new RejectedRequest(400, 'INVALID_INPUT', 'The body is not an object.');
    const call = {
      protocol: PROTOCOL_VERSION,
      callId: uuidV7(),
      now: io().now(),
      method: name,
      params: params.data,
      locale,
    };
    sendJson(response, 200, await this.#makeCall({ ...call, by: 'person' }, project, grant, facts));
  }

  async #createHello({ name, scope, projects }: Grant): Promise<Hello> {
    const { recipe } = await (await this.#options.projects.getServerMemory()).recipe();
    return {
      name: 'argus',
      version: VERSION,
      protocol: { oldest: OLDEST_PROTOCOL_VERSION, newest: PROTOCOL_VERSION },
      recipe,
      token: { name, scope, projects: projects === null ? null : [...projects] },
    };
  }

  async #sendReadiness(response: ServerResponse): Promise<void> {
    if (this.#isEnding) throw new RejectedRequest(503, 'UNAVAILABLE', 'The server is shutting down.');
    await (await this.#options.projects.getServerMemory()).tokens();
    sendJson(response, 200, { status: 'ready' });
  }

  async #sendMetrics(response: ServerResponse): Promise<void> {
    sendBytes(response, this.#metrics.contentType, await this.#metrics.format());
  }

  async #authenticate(request: IncomingMessage, token: string | undefined): Promise<Grant> {
    const grant = token === undefined ? undefined : await this.#options.auth.authenticate(token);
    if (grant === undefined) {
      // Only requests with a wrong token are limited, because a whole team may share one address.
      const limiterResult = await this.#wrongTokenLimiter.penalty(this.#findAddress(request));
      if (limiterResult.remainingPoints <= 0) {
        throw new RejectedRequest(
          429,
          'RATE_LIMITED',
          'Too many wrong tokens came from this address. Try again in a minute.',
        );
      }
      const advice = token === undefined ? 'Send Authorization: Bearer TOKEN.' : 'Ask an admin for a new token.';
      throw new RejectedRequest(401, 'UNAUTHORIZED', `The token is missing, unknown, expired or revoked. ${advice}`);
    }
    try {
      await this.#callLimiter.consume(grant.id);
    } catch (thrown) {
      if (!(thrown instanceof RateLimiterRes)) throw thrown;
      throw new RejectedRequest(429, 'RATE_LIMITED', 'This token makes too many calls. Try again in a second.');
    }
    return grant;
  }

  /**
   * True for a program on this machine. False for a browser that a page has sent to this server by DNS rebinding, and
   * for a proxy on this machine. A proxy forwards requests of other machines and names them in a header.
   */
  #isOnThisMachine(request: IncomingMessage): boolean {
    const isProxied = !this.#options.trustsProxy && PROXY_HEADERS.some((name) => name in request.headers);
    return !isProxied && isLoopback(this.#findAddress(request)) && isLoopbackHeader(request.headers.host);
  }

  #findAddress(request: IncomingMessage): string {
    const forwarded = request.headers['x-forwarded-for'];
    const last = (Array.isArray(forwarded) ? forwarded.at(-1) : forwarded)?.split(',').at(-1)?.trim() ?? '';
    const isProxied = this.#options.trustsProxy && isIP(last) > 0;
    return isProxied ? last : (request.socket.remoteAddress ?? '');
  }

  #parseCall(body: unknown): TeamCall {
    // The protocol is checked first, because a call of another protocol may have other fields.
    const { data: withProtocol } = z.object({ protocol: z.int() }).safeParse(body);
    if (withProtocol !== undefined) requireProtocol(withProtocol.protocol);
    const result = this.#callSchema.safeParse(body);
    if (!result.success) {
      const problems = result.error.issues.map(({ path, message }) =>
        toShortLine(`${path.join('.') || 'body'}: ${message}`),
      );
      throw new RejectedRequest(400, 'INVALID_INPUT', problems.join('; '));
    }
    return result.data;
  }

  /**
   * Creates the calls for an agent that has no Argus of its own. The project is the one in the address, or the only
   * project of the token.
   */
  #createCalls(request: IncomingMessage, grant: Grant, facts: RequestFacts): GrantedCalls {
    const specified = new URL(request.url ?? '/', 'http://argus').searchParams.get('project');
    const [only, ...others] = grant.projects ?? [];
    const project = specified ?? (others.length === 0 ? only : undefined);
    if (project === undefined || !PROJECT_NAME_PATTERN.test(project)) {
      throw new RejectedRequest(
        400,
        'INVALID_INPUT',
        'The token covers several projects. Name a project, as in /mcp?project=shop.',
      );
    }
    facts.project = project;
    const by = request.headers['user-agent']?.slice(0, MAX_CLIENT_CHARS) ?? 'an MCP client';
    return new GrantedCalls(async (method, params) => {
      const call = { protocol: PROTOCOL_VERSION, callId: uuidV7(), now: io().now(), method, params, by };
      try {
        return await this.#makeCall(call, project, grant, facts);
      } catch (thrown) {
        await this.#auditDenial(thrown, request, facts);
        // The tool call failed, but the HTTP request succeeded.
        throw thrown instanceof RejectedRequest ? new EngineError(toErrorCode(thrown), thrown.message) : thrown;
      }
    });
  }

  /** Makes the call if the token allows it. */
  async #makeCall(call: TeamCall, project: string, grant: Grant, facts: RequestFacts): Promise<unknown> {
    const { method, callId, now, by, from, locale = 'en' } = call;
    facts.call = method;
    const scope = getRequiredScope(method);
    if (!grant.isAllowed(scope, project)) {
      throw createForbiddenError(
        `The token '${grant.name}' may not ${scope} in '${project}'. An admin can create a token with this scope.`,
      );
    }
    requireWithinLimit(method, call.params);
    const memory = await this.#options.projects.getProjectMemory(project, locale);
    const sender = from === undefined ? grant.name : `${grant.name} (${from})`;
    const recorder = { from: sender, ...(by === undefined ? {} : { by }) };
    // The engine checks every field, as it does for every caller.
    const params = call.params as Calls[CallName]['params'];
    const { callMs = MAX_CALL_MS } = this.#options;
    const result = await withTimeout(callMs, memory.callOnce(method, params, { callId, now, recorder }));
    if (scope === 'edit') await this.#writeAudit(grant.id, facts, false);
    return result;
  }

  /** Writes rejected requests to the audit log. */
  async #auditDenial(thrown: unknown, request: IncomingMessage, facts: RequestFacts): Promise<void> {
    const isDenied = thrown instanceof RejectedRequest && (thrown.status === 401 || thrown.status === 403);
    // Opening a page without a token is not an attack.
    if (isDenied && (thrown.status === 403 || request.headers.authorization !== undefined)) {
      await this.#writeAudit(facts.token, { ...facts, call: facts.call ?? getPath(request) }, true);
    }
  }

  async #writeAudit(
    tokenId: string | undefined,
    { project, call = '' }: RequestFacts,
    isDenied: boolean,
  ): Promise<void> {
    try {
      const engine = await this.#options.projects.getServerMemory();
      await engine.noteAudit({ tokenId: tokenId ?? null, project: project ?? null, action: call, isDenied });
    } catch (thrown) {
      log(`The audit log could not be written: ${getErrorMessage(thrown)}`);
    }
  }
}

/** Converts an error of this server to an engine error code. */
function toErrorCode({ status }: RejectedRequest): EngineErrorCode {
  if (status === 503) return 'DATABASE_LOCKED';
  return status === 403 ? 'TEAM_DENIED' : 'INVALID_INPUT';
}

function findBearerToken({ headers }: IncomingMessage): string | undefined {
  return /^Bearer (\S+)$/u.exec(headers.authorization ?? '')?.[1];
}

/** Returns the path of a request without the query. */
function getPath({ url = '/' }: IncomingMessage): string {
  return URL.canParse(url, 'http://argus') ? new URL(url, 'http://argus').pathname : '/';
}

function requireProtocol(protocol: number): void {
  if (protocol >= OLDEST_PROTOCOL_VERSION && protocol <= PROTOCOL_VERSION) return;
  const range = `${OLDEST_PROTOCOL_VERSION} to ${PROTOCOL_VERSION}`;
  const message = `This server supports protocols ${range}, not ${protocol}. Update the older program.`;
  throw new RejectedRequest(400, 'PROTOCOL', message);
}

function createForbiddenError(message: string): RejectedRequest {
  return new RejectedRequest(403, 'FORBIDDEN', message);
}

async function withTimeout<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const error = new RejectedRequest(
      503,
      'DATABASE_LOCKED',
      'The call takes too long. Repeat it with the same callId.',
    );
    timer = setTimeout(() => reject(error), milliseconds);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
