// The source of a running server, against a server of the test: calls, errors, changes, a lost connection.
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { splitToken } from '../src/data/live/fragment.ts';
import { LiveSource, Server } from '../src/data/live/live.ts';
import { Problem } from '../src/data/source.ts';

const TOKEN = 'a-token';
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const streams = new EventEmitter<{ open: [ServerResponse] }>();
const http = createServer((request, response) => {
  if (request.headers.authorization !== `Bearer ${TOKEN}`) response.writeHead(401).end();
  else if (request.url === '/api/events') stream(response);
  else answer(request, response);
});
const sources = new Set<LiveSource>();

function stream(response: ServerResponse): void {
  response.writeHead(200).write('\n');
  streams.emit('open', response);
}

/** The next stream of changes that a source opens. */
async function nextStream(): Promise<ServerResponse> {
  const [response] = await once(streams, 'open');
  return response;
}

beforeEach(async () => {
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  const real = globalThis.fetch;
  vi.stubGlobal('fetch', (path: string, options: RequestInit) =>
    real(new URL(path, `http://127.0.0.1:${address.port}/`), options),
  );
});

afterEach(async () => {
  // An open source would connect to the server of the next test.
  for (const source of sources) source.close();
  sources.clear();
  vi.unstubAllGlobals();
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
});

function open(connected: (yes: boolean) => void = () => {}): LiveSource {
  const source = new LiveSource(
    new Server(TOKEN),
    {
      project: 'C:\\work\\webshop',
      database: 'C:\\work\\webshop\\.argus\\argus.db',
      history: true,
      version: '1',
      editable: true,
    },
    connected,
  );
  sources.add(source);
  return source;
}

test('sends the parameters and the token, and returns the result', async () => {
  answer = async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.end(JSON.stringify({ url: request.url, method: request.method, body: JSON.parse(body) }));
  };
  const result: unknown = await open().call('viewRuns', { limit: 5 });
  expect(result).toEqual({ url: '/api/viewRuns', method: 'POST', body: { limit: 5 } });
});

test.each([
  [404, '{"error":{"code":"RUN_NOT_FOUND","message":"gone"}}', 'RUN_NOT_FOUND', 'gone'],
  [500, 'no json', 'INTERNAL_ERROR', 'HTTP 500'],
  [401, '{}', 'UNAUTHORIZED', 'HTTP 401'],
])('converts a response of %i to the problem %s', async (status, body, code, message) => {
  answer = (_, response) => response.writeHead(status).end(body);
  await expect(open().call('viewRun', { id: 'run-x' })).rejects.toEqual(new Problem(code, message));
  await expect(open().call('viewRun', { id: 'run-x' })).rejects.toMatchObject({ code });
});

test('names the source after the folder', () => {
  expect(open().about).toEqual({ name: 'webshop', path: 'C:\\work\\webshop' });
});

test('reports each change and no heartbeat', async () => {
  const told = vi.fn();
  const opened = nextStream();
  const source = open();
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

test('notices a lost server, and reports a change after it reconnects', async () => {
  const seen: (boolean | string)[] = [];
  let opened = nextStream();
  const source = open((isConnected) => seen.push(isConnected));
  const changed = new Promise<void>((resolve) =>
    source.onChange(() => {
      seen.push('changed');
      resolve();
    }),
  );
  const stream = await opened;
  opened = nextStream();
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
