/** What no browser sends to the viewer's server, byte for byte. */
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { project } from '../e2e/harness.ts';
import { startViewer, type Viewer } from '../e2e/viewer/view.ts';

let viewer: Viewer;
beforeAll(async () => {
  viewer = await startViewer(project());
});
afterAll(async () => {
  await viewer?.end();
});

/** The status of the answer to these lines. */
async function status(lines: readonly string[]): Promise<number> {
  const socket = connect(viewer.port, '127.0.0.1');
  socket.setTimeout(10_000, () => socket.destroy(new Error('no answer')));
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);
  let answer = '';
  for await (const bytes of socket) answer += String(bytes);
  return Number(/^HTTP\/1\.1 (\d{3}) /u.exec(answer)?.[1]);
}

const get = (target: string, ...headers: string[]) =>
  status([`GET ${target} HTTP/1.1`, ...headers, `Authorization: Bearer ${viewer.token}`]);

const host = (name = '127.0.0.1') => `Host: ${name}:${viewer.port}`;

test('a plain request is answered, whichever of its names the server has', async () => {
  expect(await get('/api/about', host())).toBe(200);
  expect(await get('/api/about', host('localhost'))).toBe(200);
});

test('two hosts are refused, in whichever order and case', async () => {
  expect(await get('/api/about', host(), 'Host: evil.example')).toBe(403);
  expect(await get('/api/about', 'Host: evil.example', host())).toBe(403);
  expect(await get('/api/about', host(), 'hOST: evil.example')).toBe(403);
  expect(await get('/api/about', host(), host())).toBe(403);
  expect(await get('/', host(), 'Host: evil.example')).toBe(403);
});

test('two of any other header that decides are refused', async () => {
  const origin = `Origin: http://127.0.0.1:${viewer.port}`;
  expect(await get('/api/about', host(), origin)).toBe(200);
  expect(await get('/api/about', host(), origin, origin)).toBe(403);
  expect(await get('/api/about', host(), 'Authorization: Bearer none')).toBe(403);
  expect(await get('/api/about', host(), 'Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site')).toBe(403);
});

test('a target that names another host is refused', async () => {
  expect(await get('http://evil.example/api/about', host())).toBe(403);
  expect(await get(`http://evil.example:${viewer.port}/`, host())).toBe(403);
  expect(await get('//evil.example/api/about', host())).toBe(403);
  expect(await get('/\\evil.example/api/about', host())).toBe(403);
  expect(await get(`http://a:b@127.0.0.1:${viewer.port}/api/about`, host())).toBe(403);
  expect(await get(`https://127.0.0.1:${viewer.port}/api/about`, host())).toBe(403);
  expect(await get('http://127.0.0.1:1/api/about', host())).toBe(403);
  expect(await get('file:///api/about', host())).toBe(403);
});

test('one that names this host is answered', async () => {
  expect(await get(`http://127.0.0.1:${viewer.port}/api/about`, host())).toBe(200);
  expect(await get(`http://127.0.0.1:${viewer.port}/api/about`, 'Host: evil.example')).toBe(403);
});

test('many headers are refused, also where a second host hides among them', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `X${index}: 1`);
  expect(await get('/api/about', host(), ...many(90))).toBe(200);
  expect(await get('/api/about', host(), ...many(100))).toBe(431);
  expect(await get('/api/about', host(), ...many(1_500), 'Host: evil.example')).toBe(431);
  expect(await get('/api/about', host(), `X: ${'x'.repeat(20_000)}`)).toBe(431);
});

test('no host, and no HTTP', async () => {
  expect(await get('/api/about')).toBe(400);
  expect(await status(['GET /api/about HTTP/1.0', `Authorization: Bearer ${viewer.token}`])).toBe(403);
  expect(await status(['hello'])).toBe(400);
});
