/**
 * The HTTP server of a team. It authenticates a request, checks its permissions and chooses the memory that answers.
 * `start-server.ts` starts and stops it.
 */

import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { isIP } from 'node:net';
import { performance } from 'node:perf_hooks';
import { type CallName, type Calls, EngineError, type EngineErrorCode, isPageCall } from 'argus-engine';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { v7 as uuidV7 } from 'uuid';
import { z } from 'zod';
import { toDistantErrorBody } from '../../answer.ts';
import { PROJECT_NAME } from '../../config/project-name.ts';
import { messageOf } from '../../errors.ts';
import { Refused, readJson, sendBytes, sendError, sendJson } from '../../http/responses.ts';
import { log } from '../../log.ts';
import type { Calling } from '../../storage/database.ts';
import { io } from '../../system/io.ts';
import { acceptedLocale } from '../../text/locale.ts';
import { shortLine } from '../../text/untrusted.ts';
import { VERSION } from '../../version.ts';
import { type Hello, OLDEST_PROTOCOL, PROTOCOL, scopeFor, type TeamCall, teamCall } from '../protocol.ts';
import type { Auth, Grant } from './auth.ts';
import { GrantedCalls } from './granted-calls.ts';
import { requireBounded } from './limits.ts';
import { isLoopback, namesLoopback } from './loopback.ts';
import { Metrics } from './metrics.ts';
import { cookieToken, isOwnPage, Pages, readLogin } from './pages.ts';
import type { Projects } from './storage/projects.ts';

/** The limit for all headers together. Node refuses larger headers. */
const MAX_HEADER_BYTES = 16 * 1024;

/** The limit from the first byte of a request to the last byte. */
const REQUEST_MS = 60_000;

/**
 * Longer than clients keep an idle connection, so that the client closes it. Otherwise a client could send a request
 * into a connection that the server has just closed.
 */
const KEEP_ALIVE_MS = 65_000;

const CALL_MS = 30_000;

/** The interval in which idle connections are closed during a shutdown. */
const IDLE_LOOK_MS = 100;

const MAX_CLIENT_CHARS = 100;

/** The limit for wrong tokens from one address. */
const WRONG_TOKENS = { points: 20, duration: 60 };

export interface TeamServerOptions {
  projects: Projects;
  auth: Auth;
  /** Calls per second for one token. */
  callsPerSecond: number;
  /** True when a proxy in front sends the client's address. */
  trustsProxy: boolean;
  tls: { cert: Buffer; key: Buffer } | undefined;
  /** Answers `/mcp`. */
  mcp: McpAnswering;
  /** A call that takes longer is answered as lost. Repeating it returns the result of the first call. */
  callMs?: number;
}

/** Answers an MCP request with the calls that its token may make in one project. */
export type McpAnswering = (
  request: IncomingMessage,
  response: ServerResponse,
  calls: Calling,
  /** The parsed JSON of a POST. */
  body: unknown,
) => Promise<void>;

/** Facts about a request for the log. */
interface Asked {
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
  /** The token. */
  given: string | undefined;
  asked: Asked;
}

export class TeamServer {
  readonly http: Server;
  readonly #options: TeamServerOptions;
  readonly #metrics = new Metrics();
  readonly #calls: RateLimiterMemory;
  readonly #wrongTokens = new RateLimiterMemory(WRONG_TOKENS);
  readonly #schema = teamCall(z);
  readonly #params = this.#schema.shape.params;
  readonly #pages: Pages;
  #isEnding = false;

  constructor(options: TeamServerOptions) {
    this.#options = options;
    this.#pages = new Pages(options.projects, options.tls !== undefined || options.trustsProxy);
    this.#calls = new RateLimiterMemory({ points: options.callsPerSecond, duration: 1 });
    const limits = { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: REQUEST_MS, keepAliveTimeout: KEEP_ALIVE_MS };
    const listener = (request: IncomingMessage, response: ServerResponse) => void this.#answer(request, response);
    this.http =
      options.tls === undefined
        ? createHttpServer(limits, listener)
        : createHttpsServer({ ...limits, ...options.tls }, listener);
  }

  /** Accepts no new calls and waits for the calls in flight. */
  async close(withinMs: number): Promise<void> {
    this.#isEnding = true;
    this.#pages.close();
    const closed = new Promise<void>((resolve) => {
      this.http.close(() => resolve());
    });
    // Clients keep a connection open after their last call, so idle connections must be closed here.
    const idle = setInterval(() => this.http.closeIdleConnections(), IDLE_LOOK_MS);
    const cut = setTimeout(() => this.http.closeAllConnections(), withinMs);
    await closed;
    clearInterval(idle);
    clearTimeout(cut);
    await this.#options.projects.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const began = performance.now();
    const asked: Asked = {};
    try {
      await this.#route(request, response, asked);
    } catch (thrown) {
      await this.#deny(thrown, request, asked);
      if (thrown instanceof Refused && thrown.status === 429) response.setHeader('Retry-After', '1');
      await sendError(response, thrown, toDistantErrorBody);
    }
    const seconds = (performance.now() - began) / 1_000;
    this.#metrics.count(asked.call ?? 'other', response.statusCode, seconds);
    // One JSON object per line, without bodies.
    const line = {
      at: new Date(io().now()).toISOString(),
      status: response.statusCode,
      ms: Math.round(seconds * 1_000),
      ...asked,
    };
    io().stdout.write(`${JSON.stringify({ ...line, method: request.method, path: pathOf(request) })}\n`);
  }

  async #route(request: IncomingMessage, response: ServerResponse, asked: Asked): Promise<void> {
    const path = pathOf(request);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    if (method === 'GET' && path === '/healthz') return sendJson(response, 200, { status: 'ok' });
    if (method === 'GET' && path === '/readyz') return this.#ready(response);
    if (method === 'GET' && path === '/metrics' && this.#isOnThisMachine(request)) return this.#show(response);
    if (path === '/login' || path === '/logout') return this.#logInOrOut(request, response, path, asked);
    const given = bearerOf(request) ?? cookieToken(request);
    if (method === 'GET' && path === '/') return this.#home(request, response, given, asked);
    const grant = await this.#authenticate(request, given);
    asked.token = grant.id;
    if (path === '/mcp') {
      const calls = this.#callsOf(request, grant, asked);
      const body = method === 'POST' ? await readJson(request) : undefined;
      return this.#options.mcp(request, response, calls, body);
    }
    const place = this.#pages.placeOf(path);
    if (place !== undefined) return this.#page(request, response, { ...place, method, grant, given, asked });
    if (method === 'GET' && path === '/metrics') {
      if (!grant.may('admin')) throw denied('Metrics are for a token with the scope admin.');
      return this.#show(response);
    }
    if (method === 'GET' && path === '/v1/hello') return sendJson(response, 200, await this.#hello(grant));
    const [, project] = /^\/v1\/projects\/([^/]+)\/call$/u.exec(path) ?? [];
    if (project === undefined) throw new Refused(404, 'NOT_FOUND', 'There is nothing at this address.');
    if (method !== 'POST') throw new Refused(405, 'INVALID_INPUT', 'Calls are made with POST.');
    if (!PROJECT_NAME.test(project))
      throw new Refused(400, 'INVALID_INPUT', `A project's name is like ${PROJECT_NAME}.`);
    asked.project = project;
    const call = this.#read(await readJson(request));
    sendJson(response, 200, { result: await this.#make(call, project, grant, asked) });
  }

  /** Sends the projects, or the login form if the request has no valid token. A browser may send an expired token. */
  async #home(
    request: IncomingMessage,
    response: ServerResponse,
    given: string | undefined,
    asked: Asked,
  ): Promise<void> {
    if (given === undefined) return this.#pages.sendLogin(response);
    try {
      const grant = await this.#authenticate(request, given);
      asked.token = grant.id;
      await this.#pages.sendProjects(response, grant);
    } catch (thrown) {
      if (!(thrown instanceof Refused)) throw thrown;
      this.#pages.sendLogin(response, thrown.status, thrown.message);
    }
  }

  async #logInOrOut(request: IncomingMessage, response: ServerResponse, path: string, asked: Asked): Promise<void> {
    if (request.method !== 'POST') throw new Refused(405, 'INVALID_INPUT', 'Open / instead.');
    // Without this check another site could log a browser in with the site's own token (login CSRF).
    if (!isOwnPage(request)) throw denied('The form of another site was sent. Open / and enter the token there.');
    if (path === '/logout') return this.#pages.logOut(response);
    const token = await readLogin(request);
    try {
      asked.token = (await this.#authenticate(request, token)).id;
    } catch (thrown) {
      if (!(thrown instanceof Refused)) throw thrown;
      await this.#audit(undefined, { call: 'login' }, true);
      return this.#pages.sendLogin(response, thrown.status, thrown.message);
    }
    this.#pages.logIn(response, token);
  }

  async #page(request: IncomingMessage, response: ServerResponse, asking: PageRequest): Promise<void> {
    const { project, rest, method, grant, given, asked } = asking;
    asked.project = project;
    if (!grant.may('read', project)) throw denied(`The token '${grant.name}' may not see '${project}'.`);
    const locale = acceptedLocale(request.headers['accept-language']) ?? 'en';
    const isAllowed = async () => (await this.#options.auth.grantOf(given ?? ''))?.may('read', project) === true;
    if (method === 'GET' && (await this.#pages.send(response, project, rest, { grant, locale, isAllowed }))) return;
    const name = /^api\/(\w+)$/u.exec(rest)?.[1] ?? '';
    if (!isPageCall(name)) throw new Refused(404, 'NOT_FOUND', 'There is nothing at this address.');
    if (method !== 'POST') throw new Refused(405, 'INVALID_INPUT', `${name} is asked with POST.`);
    const params = this.#params.safeParse(await readJson(request));
    if (!params.success) throw new Refused(400, 'INVALID_INPUT', 'The body is no object.');
    const call = { protocol: PROTOCOL, callId: uuidV7(), now: io().now(), method: name, params: params.data, locale };
    sendJson(response, 200, await this.#make({ ...call, by: 'person' }, project, grant, asked));
  }

  async #hello({ name, scope, projects }: Grant): Promise<Hello> {
    const { recipe } = await (await this.#options.projects.own()).recipe();
    return {
      name: 'argus',
      version: VERSION,
      protocol: { oldest: OLDEST_PROTOCOL, newest: PROTOCOL },
      recipe,
      token: { name, scope, projects: projects === null ? null : [...projects] },
    };
  }

  async #ready(response: ServerResponse): Promise<void> {
    if (this.#isEnding) throw new Refused(503, 'UNAVAILABLE', 'The server is ending.');
    await (await this.#options.projects.own()).tokens();
    sendJson(response, 200, { status: 'ready' });
  }

  async #show(response: ServerResponse): Promise<void> {
    sendBytes(response, this.#metrics.contentType, await this.#metrics.text());
  }

  async #authenticate(request: IncomingMessage, given: string | undefined): Promise<Grant> {
    const grant = given === undefined ? undefined : await this.#options.auth.grantOf(given);
    if (grant === undefined) {
      // Only requests with a wrong token are limited, because a whole team may share one address.
      const wrong = await this.#wrongTokens.penalty(this.#addressOf(request));
      if (wrong.remainingPoints <= 0) {
        throw new Refused(429, 'RATE_LIMITED', 'Too many wrong tokens came from this address. Try again in a minute.');
      }
      const advice = given === undefined ? 'Send Authorization: Bearer TOKEN.' : 'Ask an admin for a new one.';
      throw new Refused(401, 'UNAUTHORIZED', `The token is missing, unknown, expired or revoked. ${advice}`);
    }
    try {
      await this.#calls.consume(grant.id);
    } catch (thrown) {
      if (!(thrown instanceof RateLimiterRes)) throw thrown;
      throw new Refused(429, 'RATE_LIMITED', 'The token makes too many calls. Try again in a second.');
    }
    return grant;
  }

  /** True for a program on this machine. False for a browser that a page has sent here by DNS rebinding. */
  #isOnThisMachine(request: IncomingMessage): boolean {
    return isLoopback(this.#addressOf(request)) && namesLoopback(request.headers.host);
  }

  #addressOf(request: IncomingMessage): string {
    const forwarded = request.headers['x-forwarded-for'];
    const last = (Array.isArray(forwarded) ? forwarded.at(-1) : forwarded)?.split(',').at(-1)?.trim() ?? '';
    const isProxied = this.#options.trustsProxy && isIP(last) > 0;
    return isProxied ? last : (request.socket.remoteAddress ?? '');
  }

  #read(body: unknown): TeamCall {
    // The protocol is checked first, because a call of another protocol can have other fields.
    const { data: spoken } = z.object({ protocol: z.int() }).safeParse(body);
    if (spoken !== undefined) requireProtocol(spoken.protocol);
    const read = this.#schema.safeParse(body);
    if (!read.success) {
      const problems = read.error.issues.map(({ path, message }) =>
        shortLine(`${path.join('.') || 'body'}: ${message}`),
      );
      throw new Refused(400, 'INVALID_INPUT', problems.join('; '));
    }
    return read.data;
  }

  /**
   * The calls for an agent without its own Argus. The project is the project of its token or the project in the
   * address.
   */
  #callsOf(request: IncomingMessage, grant: Grant, asked: Asked): GrantedCalls {
    const named = new URL(request.url ?? '/', 'http://argus').searchParams.get('project');
    const [only, ...others] = grant.projects ?? [];
    const project = named ?? (others.length === 0 ? only : undefined);
    if (project === undefined || !PROJECT_NAME.test(project)) {
      throw new Refused(
        400,
        'INVALID_INPUT',
        'The token is for more than one project: name one, as in /mcp?project=shop.',
      );
    }
    asked.project = project;
    const by = request.headers['user-agent']?.slice(0, MAX_CLIENT_CHARS) ?? 'an MCP client';
    return new GrantedCalls(async (method, params) => {
      const call = { protocol: PROTOCOL, callId: uuidV7(), now: io().now(), method, params, by };
      try {
        return await this.#make(call, project, grant, asked);
      } catch (thrown) {
        await this.#deny(thrown, request, asked);
        // The tool call failed, but the HTTP request succeeded.
        throw thrown instanceof Refused ? new EngineError(codeOf(thrown), thrown.message) : thrown;
      }
    });
  }

  /** Makes the call if the token allows it. */
  async #make(call: TeamCall, project: string, grant: Grant, asked: Asked): Promise<unknown> {
    const { method, callId, now, by, from, locale = 'en' } = call;
    asked.call = method;
    const scope = scopeFor(method);
    if (!grant.may(scope, project)) {
      throw denied(`The token '${grant.name}' may not ${scope} in '${project}'. An admin can make one that may.`);
    }
    requireBounded(method, call.params);
    const engine = await this.#options.projects.memoryOf(project, locale);
    const who = from === undefined ? grant.name : `${grant.name} (${from})`;
    const recorder = { from: who, ...(by === undefined ? {} : { by }) };
    // The engine checks every field itself, as it does for every caller.
    const params = call.params as Calls[CallName]['params'];
    const { callMs = CALL_MS } = this.#options;
    const result = await within(callMs, engine.callOnce(method, params, { callId, now, recorder }));
    if (scope === 'edit') await this.#audit(grant.id, asked, false);
    return result;
  }

  /** Writes refused requests to the audit log. */
  async #deny(thrown: unknown, request: IncomingMessage, asked: Asked): Promise<void> {
    const isDenied = thrown instanceof Refused && (thrown.status === 401 || thrown.status === 403);
    // Opening a page without a token is not an attack.
    if (isDenied && (thrown.status === 403 || request.headers.authorization !== undefined)) {
      await this.#audit(asked.token, { ...asked, call: asked.call ?? pathOf(request) }, true);
    }
  }

  async #audit(tokenId: string | undefined, { project, call = '' }: Asked, isDenied: boolean): Promise<void> {
    try {
      const engine = await this.#options.projects.own();
      await engine.noteAudit({ tokenId: tokenId ?? null, project: project ?? null, action: call, isDenied });
    } catch (thrown) {
      log(`The audit log could not be written: ${messageOf(thrown)}`);
    }
  }
}

/** Converts a refusal of this server into an engine error code. */
function codeOf({ status }: Refused): EngineErrorCode {
  if (status === 503) return 'DATABASE_LOCKED';
  return status === 403 ? 'TEAM_DENIED' : 'INVALID_INPUT';
}

function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer (\S+)$/u.exec(headers.authorization ?? '')?.[1];
}

/** The path of a request without its query. */
function pathOf({ url = '/' }: IncomingMessage): string {
  return URL.canParse(url, 'http://argus') ? new URL(url, 'http://argus').pathname : '/';
}

function requireProtocol(protocol: number): void {
  if (protocol >= OLDEST_PROTOCOL && protocol <= PROTOCOL) return;
  const range = `${OLDEST_PROTOCOL} to ${PROTOCOL}`;
  const message = `This server speaks the protocols ${range}, not ${protocol}. Update the older side.`;
  throw new Refused(400, 'PROTOCOL', message);
}

function denied(message: string): Refused {
  return new Refused(403, 'FORBIDDEN', message);
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Refused(503, 'DATABASE_LOCKED', 'The call takes too long. Make it again with the same callId.');
    timer = setTimeout(() => reject(error), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
