/** Bytes that no browser sends to the viewer's server. Each rule: packages/mcp/test/view/guard.test.ts. */
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { project } from '../e2e/harness.ts';
import { viewerOfFile } from '../e2e/viewer/view.ts';

const viewer = await viewerOfFile(project());
const HOST = `Host: 127.0.0.1:${viewer.port}`;
const EVIL = 'Host: evil.example';
const TOKEN = `Authorization: Bearer ${viewer.token}`;

const get = (target: string, ...headers: string[]) => [`GET ${target} HTTP/1.1`, ...headers, TOKEN];
const many = (count: number) => Array.from({ length: count }, (_, index) => `X${index}: 1`);

test.each<[name: string, lines: readonly string[], status: number]>([
  ['a plain request', get('/api/about', HOST), 200],
  ['a target that names this host', get(`http://127.0.0.1:${viewer.port}/api/about`, HOST), 200],
  ['a target that names another host', get('http://evil.example/api/about', HOST), 403],
  ['a target that names this host, for another one', get(`http://127.0.0.1:${viewer.port}/api/about`, EVIL), 403],
  ['a second host', get('/api/about', HOST, EVIL), 403],
  ['a second host before the first', get('/api/about', EVIL, HOST), 403],
  ['a second host in other letters', get('/api/about', HOST, 'hOST: evil.example'), 403],
  ['the same host twice', get('/', HOST, HOST), 403],
  ['a second token', get('/api/about', HOST, 'Authorization: Bearer none'), 403],
  ['ninety headers', get('/api/about', HOST, ...many(90)), 200],
  ['a hundred headers', get('/api/about', HOST, ...many(100)), 431],
  ['a second host behind 1,500 headers', get('/api/about', HOST, ...many(1_500), EVIL), 431],
  ['a header of 20 kB', get('/api/about', HOST, `X: ${'x'.repeat(20_000)}`), 431],
  ['no host', get('/api/about'), 400],
  ['no host, as HTTP/1.0 allows', ['GET /api/about HTTP/1.0', TOKEN], 403],
  ['no HTTP', ['hello'], 400],
])('%s', async (_name, lines, status) => {
  expect(await statusOf(lines)).toBe(status);
});

/** The status of the answer to these lines. */
async function statusOf(lines: readonly string[]): Promise<number> {
  const socket = connect(viewer.port, '127.0.0.1');
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);
  let answer = '';
  for await (const bytes of socket) answer += String(bytes);
  return Number(/^HTTP\/1\.1 (\d{3}) /u.exec(answer)?.[1]);
}
