// Tests the data source of a running server with a fake server: calls, errors, changes, and a lost connection.
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LiveSource, ServerConnection, splitToken } from '../src/data/live/live-source.ts';
import { Problem } from '../src/data/source.ts';

const TOKEN = 'a-token';
let answerRequest: (request: IncomingMessage, response: ServerResponse) => void;
const openedStreams = new EventEmitter<{ open: [ServerResponse] }>();
const httpServer = createServer((request, response) => {
  if (request.headers.authorization !== `Bearer ${TOKEN}`) response.writeHead(401).end();
  else if (request.url === '/api/events') startStream(response);
  else answerRequest(request, response);
});
const openSources = new Set<LiveSource>();

function startStream(response: ServerResponse): void {
  response.writeHead(200).write('\n');
  openedStreams.emit('open', response);
}

/** Resolves with the next stream of changes that a source opens. */
async function waitForStream(): Promise<ServerResponse> {
  const [response] = await once(openedStreams, 'open');
  return response;
}

beforeEach(async () => {
  await new Promise<void>((resolve) => httpServer.listen(0, '127.0.0.1', resolve));
  const address = httpServer.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  const real = globalThis.fetch;
  vi.stubGlobal('fetch', (path: string, options: RequestInit) =>
    real(new URL(path, `http://127.0.0.1:${address.port}/`), options),
  );
});

afterEach(async () => {
  // An open source would connect to the server of the next test.
  for (const source of openSources) source.close();
  openSources.clear();
  vi.unstubAllGlobals();
  httpServer.closeAllConnections();
  await new Promise((resolve) => httpServer.close(resolve));
});

function openSource(connected: (yes: boolean) => void = () => {}): LiveSource {
  const source = new LiveSource(
    new ServerConnection(TOKEN),
    {
      project: 'C:\\work\\webshop',
      database: 'C:\\work\\webshop\\.argus\\argus.db',
      history: true,
      version: '1',
      editable: true,
    },
    connected,
  );
  openSources.add(source);
  return source;
}

test('sends the parameters and the token of a call, and returns the result', async () => {
  answerRequest = async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.end(JSON.stringify({ url: request.url, method: request.method, body: JSON.parse(body) }));
  };
  const result: unknown = await openSource().call('viewRuns', { limit: 5 });
  expect(result).toEqual({ url: '/api/viewRuns', method: 'POST', body: { limit: 5 } });
});

test.each([
  [404, '{"error":{"code":"RUN_NOT_FOUND","message":"gone"}}', 'RUN_NOT_FOUND', 'gone'],
  [500, 'no json', 'INTERNAL_ERROR', 'HTTP 500'],
  [401, '{}', 'UNAUTHORIZED', 'HTTP 401'],
])('converts a response of %i to the problem %s', async (status, body, code, message) => {
  answerRequest = (_, response) => response.writeHead(status).end(body);
  await expect(openSource().call('viewRun', { id: 'run-x' })).rejects.toEqual(new Problem(code, message));
  await expect(openSource().call('viewRun', { id: 'run-x' })).rejects.toMatchObject({ code });
});

test("gives the source the name of the project's folder", () => {
  expect(openSource().about).toEqual({ name: 'webshop', path: 'C:\\work\\webshop' });
});

test('reports each change, but no heartbeat', async () => {
  const told = vi.fn();
  const opened = waitForStream();
  const source = openSource();
  source.onChange(told);
  const stream = await opened;
  for (const [text, changes] of [
    ['\n\n', 0],
    ['{"changed":true}\n', 1],
    ['\n{"changed":', 1],
    ['true}\n', 2],
  ] as const) {
    // The next change is reported after this text was read.
    const changed = new Promise<void>((resolve) => source.onChange(resolve));
    stream.write(text);
    if (changes > told.mock.calls.length) await changed;
    expect(told).toHaveBeenCalledTimes(changes);
  }
});

test('notices a lost server, and reports a change after it has reconnected', async () => {
  const seen: (boolean | string)[] = [];
  let opened = waitForStream();
  const source = openSource((isConnected) => seen.push(isConnected));
  const changed = new Promise<void>((resolve) =>
    source.onChange(() => {
      seen.push('changed');
      resolve();
    }),
  );
  const stream = await opened;
  opened = waitForStream();
  stream.destroy();
  await opened;
  await changed;
  expect(seen).toEqual([true, false, true, 'changed']);
});

test('reads the token only from the beginning of the fragment', () => {
  expect(splitToken('#token=abc-_9.~')).toEqual({ token: 'abc-_9.~', rest: '' });
  expect(splitToken('#token=abc&/runs?status=failed')).toEqual({ token: 'abc', rest: '#/runs?status=failed' });
  expect(splitToken('#/patterns?text=token=abc')).toBeUndefined();
  expect(splitToken('#token=a"><script>')).toBeUndefined();
});
