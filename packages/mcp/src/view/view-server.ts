/**
 * The viewer's server. It serves the page, the engine's module, and the memory of one project to anyone who has the
 * token. It listens only on this machine and does not log requests.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Calls, isPageCall, WRITING_CALLS } from 'argus-engine';
import { ArgusError, getSystemCode } from '../errors.ts';
import { ChangeStream, FileWatcher } from '../http/file-watch.ts';
import { createContentSecurityPolicy, findAsset } from '../http/page.ts';
import { RejectedRequest, readJson, sendBytes, sendError, sendHead, sendJson } from '../http/responses.ts';
import { io } from '../system/io.ts';
import type { ViewedMemory } from './viewed-memory.ts';

const HOST = '127.0.0.1';

/**
 * A browser sends about twenty. The number is checked here, because Node would ignore further headers silently, for
 * example a second Host.
 */
const MAX_HEADERS = 100;

/** The maximum size of all headers together. Node rejects larger headers. */
const MAX_HEADER_BYTES = 16 * 1024;

interface ViewServer {
  port: number;
  /** The address with the token in its fragment. Browsers do not send fragments to servers. */
  url: string;
  /** Returns an address that opens the page once. */
  newTicketUrl(): string;
  close(): Promise<void>;
}

/** The parts of the server that handle a request. */
interface ServerParts {
  memory: ViewedMemory;
  guard: RequestGuard;
  events: ChangeStream;
}

/** Port 0 means any free port. */
export async function startViewServer(memory: ViewedMemory, wantedPort: number): Promise<ViewServer> {
  const guard = new RequestGuard();
  const files = await memory.listWatchedFiles();
  const events = new ChangeStream((onChange) => files.map((file) => new FileWatcher(file, onChange)));
  const parts = { memory, guard, events };
  // Reads the policy now. An incomplete build then fails at the start and not in the browser.
  await createContentSecurityPolicy('served');
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    handleRequest(parts, request, response).catch((thrown: unknown) => sendError(response, thrown));
  });
  server.maxHeadersCount = 0;
  const port = await listen(server, wantedPort);
  const home = `http://${HOST}:${port}`;
  return {
    port,
    url: `${home}/#token=${guard.token}`,
    newTicketUrl: () => `${home}/open/${guard.createTicket()}`,
    close: async () => {
      events.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function listen(server: Server, wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (thrown) => reject(toListenError(thrown, wanted)));
    server.listen(wanted, HOST, () => {
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : wanted);
    });
  });
}

function toListenError(thrown: Error, port: number): Error {
  const reason = { EADDRINUSE: 'is in use', EACCES: 'is reserved for the system' }[getSystemCode(thrown) ?? ''];
  if (reason === undefined) return thrown;
  const advice = 'Choose another port with --port, or omit --port to get a free port.';
  return new ArgusError('INVALID_INPUT', `Port ${port} ${reason}. ${advice}`, { cause: thrown });
}

async function handleRequest(parts: ServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { guard } = parts;
  if (request.rawHeaders.length > 2 * MAX_HEADERS)
    throw new RejectedRequest(431, 'INVALID_INPUT', 'Send fewer headers.');
  const pathname = guard.parseSameOriginPath(request, request.socket.localPort ?? 0);
  if (pathname === undefined) {
    throw new RejectedRequest(403, 'FORBIDDEN', 'Open the address that argus-mcp view printed.');
  }
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  if (method === 'GET' && pathname === '/') return sendPage(response);
  if (method === 'GET' && pathname.startsWith('/open/')) return redeemTicket(guard, pathname, response);
  if (!guard.hasValidToken(request.headers.authorization)) {
    throw new RejectedRequest(
      401,
      'UNAUTHORIZED',
      'The token is missing or from an earlier start. Run argus-mcp view again.',
    );
  }
  return handleTrustedRequest(parts, method, pathname, request, response);
}

async function handleTrustedRequest(
  { memory, events }: ServerParts,
  method: string,
  pathname: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  memory.setReaderLanguage(request.headers['accept-language']);
  switch (`${method} ${pathname}`) {
    case 'GET /engine.wasm':
      return sendBytes(response, 'application/wasm', await readFile(findAsset('engine')));
    case 'GET /api/about':
      return sendJson(response, 200, memory.getMemoryInfo());
    case 'GET /api/events':
      return events.addListener(response);
  }
  const name = /^\/api\/(\w+)$/u.exec(pathname)?.[1] ?? '';
  if (!isPageCall(name)) throw new RejectedRequest(404, 'NOT_FOUND', 'This address does not exist.');
  if (method !== 'POST') throw new RejectedRequest(405, 'INVALID_INPUT', `Call ${name} with POST.`);
  const params = await readJson(request);
  if (typeof params !== 'object' || params === null || Array.isArray(params)) {
    throw new RejectedRequest(400, 'INVALID_INPUT', 'The body is not an object.');
  }
  if (WRITING_CALLS.some((call) => call === name) && !memory.getMemoryInfo().editable) {
    throw new RejectedRequest(
      409,
      'DATABASE_READ_ONLY',
      'The database cannot be written. Check the permissions of .argus.',
    );
  }
  sendJson(response, 200, await memory.call(name, params as Calls[typeof name]['params']));
}

async function sendPage(response: ServerResponse): Promise<void> {
  const [page, policy] = await Promise.all([readFile(findAsset('page')), createContentSecurityPolicy('served')]);
  sendBytes(response, 'text/html; charset=utf-8', page, policy);
}

/** Redirects to the page with the token in the fragment. Logs and referrers do not contain fragments. */
function redeemTicket(guard: RequestGuard, pathname: string, response: ServerResponse): void {
  if (!guard.redeem(pathname.slice('/open/'.length))) {
    throw new RejectedRequest(
      403,
      'FORBIDDEN',
      'This address was already used. Open the address that argus-mcp view printed.',
    );
  }
  sendHead(response, 303, { Location: `/#token=${guard.token}` });
  response.end();
}

/** 256 bits cannot be guessed. */
const TOKEN_BYTES = 32;

/** Longer than a browser needs to start. */
const MAX_TICKET_AGE_MS = 60_000;

/** Headers that affect the decision or the body. Each may occur only once. */
const SINGLE_HEADERS = ['host', 'origin', 'authorization', 'sec-fetch-site', 'content-length', 'content-type'];

/** Creates a new secret that can be part of a URL. */
function createSecret(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The parts of a request that name its target. */
type RequestTarget = Pick<IncomingMessage, 'url' | 'headers' | 'headersDistinct'>;

/**
 * Decides which requests the viewer's server accepts: only requests of its own page, in a browser that has the token.
 */
export class RequestGuard {
  readonly token = createSecret();
  #ticket: { readonly digest: Buffer; readonly until: number } | undefined;

  /**
   * Returns the path of a request to this server. Returns undefined for another host (DNS rebinding) or another origin,
   * because a malicious page sends such requests.
   */
  parseSameOriginPath({ url = '/', headers, headersDistinct }: RequestTarget, port: number): string | undefined {
    // `URL.host` omits the default port, as browsers do.
    const hosts = ['127.0.0.1', 'localhost'].map((name) => new URL(`http://${name}:${port}`).host);
    // If there are two headers, a proxy may have used the one that this server ignores.
    if (SINGLE_HEADERS.some((name) => (headersDistinct[name]?.length ?? 0) > 1)) return undefined;
    if (headers.host === undefined || !hosts.includes(headers.host)) return undefined;
    if (headers.origin !== undefined && !hosts.some((host) => headers.origin === `http://${host}`)) return undefined;
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return undefined;
    return parsePath(url, hosts);
  }

  /** True if the header `Authorization: Bearer …` has the token. Compares in constant time. */
  hasValidToken(authorization: string | undefined): boolean {
    const given = /^Bearer (\S+)$/u.exec(authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(hash(given), hash(this.token));
  }

  /**
   * Creates a ticket to start a browser. Every user of the machine can see the arguments of the browser. A ticket can
   * be exchanged for the token once and only for a short time.
   */
  createTicket(): string {
    const ticket = createSecret();
    this.#ticket = { digest: hash(ticket), until: io().now() + MAX_TICKET_AGE_MS };
    return ticket;
  }

  /** Returns true only once per ticket. */
  redeem(ticket: string): boolean {
    const known = this.#ticket;
    if (known === undefined || !timingSafeEqual(hash(ticket), known.digest)) return false;
    this.#ticket = undefined;
    return io().now() <= known.until;
  }
}

/**
 * A target may contain a host, as in requests to a proxy. A target that starts with two slashes also contains a host.
 */
function parsePath(target: string, hosts: readonly string[]): string | undefined {
  const origin = `http://${hosts[0]}`;
  if (!URL.canParse(target, origin)) return undefined;
  const { protocol, host, username, password, pathname } = new URL(target, origin);
  const isHere = protocol === 'http:' && hosts.includes(host) && username === '' && password === '';
  return isHere ? pathname : undefined;
}

/** Gives texts the same length for `timingSafeEqual`. */
function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
