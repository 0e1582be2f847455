/**
 * The viewer's server: the page, the engine's module, and the memory of one project for anyone with the token. It
 * listens only on this machine and does not log requests.
 */

import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Calls, isPageCall, WRITING_CALLS } from 'argus-engine';
import { ArgusError, systemCodeOf } from '../errors.ts';
import { Events } from '../http/events.ts';
import { FileWatch } from '../http/file-watch.ts';
import { assetPath, contentSecurityPolicy } from '../http/page.ts';
import { Refused, readJson, sendBytes, sendError, sendHead, sendJson } from '../http/responses.ts';
import { Guard } from './guard.ts';
import type { ViewedMemory } from './viewed-memory.ts';

const HOST = '127.0.0.1';

/**
 * A browser sends about twenty. Checked here, because Node would drop further headers silently, for example a second
 * Host.
 */
const MAX_HEADERS = 100;

/** The limit for all headers together. Node refuses larger headers. */
const MAX_HEADER_BYTES = 16 * 1024;

export interface ViewServer {
  port: number;
  /** The address with the token in its fragment, which browsers do not send to servers. */
  url: string;
  /** An address that opens the page once. */
  newTicketUrl(): string;
  close(): Promise<void>;
}

/** The parts that answer a request. */
interface Parts {
  memory: ViewedMemory;
  guard: Guard;
  events: Events;
}

/** Port 0 means any free port. */
export async function startViewServer(memory: ViewedMemory, wantedPort: number): Promise<ViewServer> {
  const guard = new Guard();
  const files = await memory.files();
  const events = new Events((changed) => files.map((file) => new FileWatch(file, changed)));
  const parts = { memory, guard, events };
  // Reads the policy now, so that an incomplete build fails at the start instead of in the browser.
  await contentSecurityPolicy('served');
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    answer(parts, request, response).catch((thrown: unknown) => sendError(response, thrown));
  });
  server.maxHeadersCount = 0;
  const port = await listening(server, wantedPort);
  const home = `http://${HOST}:${port}`;
  return {
    port,
    url: `${home}/#token=${guard.token}`,
    newTicketUrl: () => `${home}/open/${guard.newTicket()}`,
    close: async () => {
      events.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function listening(server: Server, wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (thrown) => reject(notListening(thrown, wanted)));
    server.listen(wanted, HOST, () => {
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : wanted);
    });
  });
}

function notListening(thrown: Error, port: number): Error {
  const reason = { EADDRINUSE: 'is in use', EACCES: 'is for the system alone' }[systemCodeOf(thrown) ?? ''];
  if (reason === undefined) return thrown;
  const advice = 'Choose another with --port, or leave it out for a free one.';
  return new ArgusError('INVALID_INPUT', `Port ${port} ${reason}. ${advice}`, { cause: thrown });
}

async function answer(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { guard } = parts;
  if (request.rawHeaders.length > 2 * MAX_HEADERS) throw new Refused(431, 'INVALID_INPUT', 'Send fewer headers.');
  const pathname = guard.pathAtHome(request, request.socket.localPort ?? 0);
  if (pathname === undefined) {
    throw new Refused(403, 'FORBIDDEN', 'Open the address that argus-mcp view has printed.');
  }
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  if (method === 'GET' && pathname === '/') return sendPage(response);
  if (method === 'GET' && pathname.startsWith('/open/')) return redeem(guard, pathname, response);
  if (!guard.isBearer(request.headers.authorization)) {
    throw new Refused(401, 'UNAUTHORIZED', 'The token is missing or of an earlier start. Run argus-mcp view again.');
  }
  return answerTrusted(parts, method, pathname, request, response);
}

async function answerTrusted(
  { memory, events }: Parts,
  method: string,
  pathname: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  memory.readBy(request.headers['accept-language']);
  switch (`${method} ${pathname}`) {
    case 'GET /engine.wasm':
      return sendBytes(response, 'application/wasm', await readFile(assetPath('engine')));
    case 'GET /api/about':
      return sendJson(response, 200, memory.about());
    case 'GET /api/events':
      return events.add(response);
  }
  const name = /^\/api\/(\w+)$/u.exec(pathname)?.[1] ?? '';
  if (!isPageCall(name)) throw new Refused(404, 'NOT_FOUND', 'There is nothing at this address.');
  if (method !== 'POST') throw new Refused(405, 'INVALID_INPUT', `${name} is asked with POST.`);
  const params = await readJson(request);
  if (typeof params !== 'object' || params === null || Array.isArray(params)) {
    throw new Refused(400, 'INVALID_INPUT', 'The body is no object.');
  }
  if (WRITING_CALLS.some((call) => call === name) && !memory.about().editable) {
    throw new Refused(409, 'DATABASE_READ_ONLY', 'The database cannot be written. Check the permissions of .argus.');
  }
  const engine = await memory.engine();
  // The engine checks every field itself, as it does for every caller.
  sendJson(response, 200, await engine.call(name, params as Calls[typeof name]['params']));
}

async function sendPage(response: ServerResponse): Promise<void> {
  const [page, policy] = await Promise.all([readFile(assetPath('page')), contentSecurityPolicy('served')]);
  sendBytes(response, 'text/html; charset=utf-8', page, policy);
}

/** Redirects to the page with the token in the fragment, which logs and referrers do not contain. */
function redeem(guard: Guard, pathname: string, response: ServerResponse): void {
  if (!guard.redeem(pathname.slice('/open/'.length))) {
    throw new Refused(403, 'FORBIDDEN', 'This address was used already. Open the one that argus-mcp view has printed.');
  }
  sendHead(response, 303, { Location: `/#token=${guard.token}` });
  response.end();
}
