/** Bytes that no browser sends to the viewer's server. packages/mcp/test/view/view-server.test.ts tests each rule. */
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createProject } from '../e2e/harness.ts';
import { startFileViewer } from '../e2e/viewer/view.ts';

const viewer = await startFileViewer(createProject());
const HOST_HEADER = `Host: 127.0.0.1:${viewer.port}`;
const EVIL_HOST_HEADER = 'Host: evil.example';
const TOKEN_HEADER = `Authorization: Bearer ${viewer.token}`;

const getRequest = (target: string, ...headers: string[]) => [`GET ${target} HTTP/1.1`, ...headers, TOKEN_HEADER];
const createHeaders = (count: number) => Array.from({ length: count }, (_, index) => `X${index}: 1`);

test.each<[name: string, lines: readonly string[], status: number]>([
  ['a plain request', getRequest('/api/about', HOST_HEADER), 200],
  ['a target that names this host', getRequest(`http://127.0.0.1:${viewer.port}/api/about`, HOST_HEADER), 200],
  ['a target that names another host', getRequest('http://evil.example/api/about', HOST_HEADER), 403],
  [
    'a target that names this host, with the header of another host',
    getRequest(`http://127.0.0.1:${viewer.port}/api/about`, EVIL_HOST_HEADER),
    403,
  ],
  ['a second host', getRequest('/api/about', HOST_HEADER, EVIL_HOST_HEADER), 403],
  ['a second host before the first', getRequest('/api/about', EVIL_HOST_HEADER, HOST_HEADER), 403],
  ['a second host in other case', getRequest('/api/about', HOST_HEADER, 'hOST: evil.example'), 403],
  ['the same host twice', getRequest('/', HOST_HEADER, HOST_HEADER), 403],
  ['a second token', getRequest('/api/about', HOST_HEADER, 'Authorization: Bearer none'), 403],
  ['ninety headers', getRequest('/api/about', HOST_HEADER, ...createHeaders(90)), 200],
  ['a hundred headers', getRequest('/api/about', HOST_HEADER, ...createHeaders(100)), 431],
  [
    'a second host behind 1,500 headers',
    getRequest('/api/about', HOST_HEADER, ...createHeaders(1_500), EVIL_HOST_HEADER),
    431,
  ],
  ['a header of 20 kB', getRequest('/api/about', HOST_HEADER, `X: ${'x'.repeat(20_000)}`), 431],
  ['no host', getRequest('/api/about'), 400],
  ['no host, as HTTP/1.0 allows', ['GET /api/about HTTP/1.0', TOKEN_HEADER], 403],
  ['no HTTP', ['hello'], 400],
])('%s', async (_name, lines, status) => {
  expect(await sendLines(lines)).toBe(status);
});

/** Returns the status of the answer to these lines. */
async function sendLines(lines: readonly string[]): Promise<number> {
  const socket = connect(viewer.port, '127.0.0.1');
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);
  let answer = '';
  for await (const bytes of socket) answer += String(bytes);
  return Number(/^HTTP\/1\.1 (\d{3}) /u.exec(answer)?.[1]);
}
