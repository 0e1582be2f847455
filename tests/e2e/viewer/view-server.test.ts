/**
 * The server of `argus-mcp view`: access, the policy for a browser, start and end. tests/e2e/process tests opening a
 * browser, packages/mcp/test/view/view-server.test.ts the check that a request comes from the server's own page, and
 * view-page.test.ts the page.
 */

import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, createServer, IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { argus } from '../argus.ts';
import { createProject } from '../harness.ts';
import { recordFailure, startFileViewer, startTestViewer, type Viewer, withProjectEngine } from './view.ts';

async function createMemory(): Promise<string> {
  const root = createProject();
  await recordFailure(root, 'make part', 'OddError: the red valve does not close');
  return root;
}

const viewedProject = await createMemory();
const viewer = await startFileViewer(viewedProject);

const parseError = (text: string) => JSON.parse(text).error;

test('the page has a strict policy and contains no secret', async () => {
  const page = await viewer.ask('GET', '/', { headers: { Authorization: null } });
  expect(page.status).toBe(200);
  expect(page.text).not.toContain(viewer.token);
  expect(page.text).not.toContain('red valve');
  expect(page.headers).toMatchObject({
    'cache-control': 'no-store',
    'content-type': 'text/html; charset=utf-8',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
  const policy = String(page.headers['content-security-policy']);
  const directives = Object.fromEntries(policy.split('; ').map((one) => [one.split(' ', 1)[0], one]));
  expect(directives).toMatchObject({
    'default-src': "default-src 'none'",
    'connect-src': "connect-src 'self'",
    'worker-src': 'worker-src blob:',
    'base-uri': "base-uri 'none'",
    'form-action': "form-action 'none'",
    'frame-ancestors': "frame-ancestors 'none'",
  });
  expect(directives['script-src']).toMatch(/^script-src (?:'sha256-[\w+/]+=*' )+'wasm-unsafe-eval'$/u);
  expect(policy).not.toMatch(/unsafe-inline|unsafe-eval'? |https?:|\*/u);
  expect(page.headers).not.toHaveProperty('access-control-allow-origin');
});

test('the server sends the project data and the engine to the page', async () => {
  const { status, text } = await viewer.ask('GET', '/api/about');
  expect(status).toBe(200);
  expect(JSON.parse(text)).toEqual({
    project: viewedProject,
    database: path.join(viewedProject, '.argus', 'argus.db'),
    history: true,
    version: expect.any(String),
    locale: expect.stringMatching(/^(?:zh|en)$/u),
    editable: true,
  });
  const wasm = await viewer.ask('GET', '/engine.wasm');
  expect([wasm.status, wasm.headers['content-type']]).toEqual([200, 'application/wasm']);
});

test.each([
  ['en-GB,en;q=0.9', 'en', /^An assertion failed/u],
  ['zh-CN', 'zh', /\p{Script=Han}/u],
])(
  'built-in fixes are in the language of the browser when the machine names none: %s',
  async (accepted, locale, fix) => {
    const it = await startTestViewer(viewedProject, [], { LC_ALL: 'C.UTF-8' });
    const headers = { 'Accept-Language': accepted };
    expect(JSON.parse((await it.ask('GET', '/api/about', { headers })).text)).toMatchObject({ locale });
    const { text } = await it.ask('POST', '/api/viewPatterns', { body: '{"category":"ASSERTION_MISMATCH"}', headers });
    expect(JSON.parse(text).patterns[0].suggestedFix).toMatch(fix);
  },
);

test('a project without recorded runs is not changed', async () => {
  const root = createProject();
  const it = await startTestViewer(root);
  expect(it.database).toBeNull();
  expect(JSON.parse((await it.ask('GET', '/api/about')).text)).toMatchObject({ database: null, editable: false });
  const asked = await it.ask('POST', '/api/viewPatterns', { body: '{}' });
  expect(asked.status).toBe(200);
  expect(JSON.parse(asked.text)).toMatchObject({ patterns: expect.any(Array) });
  expect(readdirSync(root)).toEqual([]);
});

test.each([
  ['no token', null],
  ['a wrong token', 'Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
])('%s is refused', async (_name, authorization) => {
  for (const [method, pathname] of [
    ['GET', '/api/about'],
    ['GET', '/api/events'],
    ['GET', '/engine.wasm'],
    ['GET', '/nothing'],
    ['POST', '/api/viewPatterns'],
    // A token in the address is refused, because servers and proxies log addresses.
    ['GET', `/api/about?token=${viewer.token}`],
  ] as const) {
    const reply = await viewer.ask(method, pathname, { headers: { Authorization: authorization } });
    expect([pathname, reply.status]).toEqual([pathname, 401]);
    const message = expect.stringContaining('argus-mcp view');
    expect(parseError(reply.text)).toMatchObject({ code: 'UNAUTHORIZED', message });
  }
});

test.skipIf(process.platform !== 'linux')('listens only on 127.0.0.1', () => {
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].filter((file) => existsSync(file));
  const sockets = tables
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .map((line) => line.trim().split(/\s+/u));
  const port = viewer.port.toString(16).toUpperCase().padStart(4, '0');
  const listening = sockets.filter(([, local, , state]) => state === '0A' && local?.endsWith(`:${port}`));
  expect(listening.map(([, local]) => local)).toEqual([`0100007F:${port}`]);
});

test.each([
  ['an unknown function', 'POST', '/api/patterns', '{}', 404],
  ['an inherited name', 'POST', '/api/constructor', '{}', 404],
  ['a path outside', 'GET', '/../../etc/passwd', undefined, 404],
  ['a function by GET', 'GET', '/api/viewPatterns', undefined, 405],
  ['no JSON', 'POST', '/api/viewPatterns', '{', 400],
  ['no object', 'POST', '/api/viewPatterns', '[1]', 400],
  ['a field of another type', 'POST', '/api/viewPatterns', '{"limit":"many"}', 400],
  ['a limit out of range', 'POST', '/api/viewPatterns', '{"limit":100000}', 400],
  ['an unknown id', 'POST', '/api/viewPattern', '{"id":"pat-nope"}', 404],
])('%s is refused with a reason', async (_name, method, pathname, body, status) => {
  const reply = await viewer.ask(method, pathname, body === undefined ? {} : { body });
  expect(reply.status).toBe(status);
  expect(parseError(reply.text)).toEqual({ code: expect.stringMatching(/^[A-Z_]+$/u), message: expect.any(String) });
  expect(reply.text).not.toMatch(/ at .*\.m?[jt]s/u);
});

test('request bodies must be JSON and have a limited size', async () => {
  const asked = async (body: string, type = 'application/json') =>
    (await viewer.ask('POST', '/api/viewPatterns', { body, headers: { 'Content-Type': type } })).status;
  expect(await asked('a=b', 'text/plain')).toBe(415);
  // The server may close the connection before everything is sent.
  expect(await asked(JSON.stringify({ text: 'x'.repeat(33 * 1024 * 1024) })).catch(() => 413)).toBe(413);
  expect(await asked('{}')).toBe(200);
});

test('a damaged database is not changed, and the error names the next step', async () => {
  const text = 'this is no database'.repeat(100);
  const root = createProject({ '.argus/argus.db': text });
  const reply = await (await startTestViewer(root)).ask('POST', '/api/viewPatterns', { body: '{}' });
  expect(reply.status).toBe(500);
  expect(parseError(reply.text)).toMatchObject({ code: 'DATABASE_CORRUPT' });
  expect(readFileSync(path.join(root, '.argus/argus.db'), 'utf8')).toBe(text);
});

test('a HEAD request for the event stream ends, and its connection can be reused', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  for (const [method, pathname] of [
    ['HEAD', '/api/events'],
    ['GET', '/api/about'],
  ] as const) {
    const response = await sendRequest(viewer, pathname, { agent, method });
    expect(response.statusCode).toBe(200);
    await once(response.resume(), 'end');
  }
});

async function sendRequest(
  { port, token }: Viewer,
  pathname: string,
  options: { agent?: Agent; method?: string } = {},
): Promise<IncomingMessage> {
  const headers = { Authorization: `Bearer ${token}` };
  const [response] = await once(
    request({ host: '127.0.0.1', port, path: pathname, headers, ...options }).end(),
    'response',
  );
  if (!(response instanceof IncomingMessage)) throw new Error('no response');
  return response;
}

/** Opens the event stream. Resolves after the server has started it. */
async function openEventStream(it: Viewer): Promise<{ next(): Promise<string>; closed: Promise<unknown> }> {
  const response = await sendRequest(it, '/api/events');
  const lines = createInterface({ input: response })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { done, value } = await lines.next();
    if (done) throw new Error('the stream has ended');
    return value === '' ? next() : value;
  };
  return { next, closed: once(response, 'close') };
}

test('every open event stream reports changes, including the first run', async () => {
  const root = createProject();
  const it = await startTestViewer(root);
  const stream = await openEventStream(it);
  expect((await argus(['run', '--project', root, '--', 'sh', '-c', 'echo boom; exit 1'])).status).toBe(1);
  expect(await stream.next()).toBe('{"changed":true}');
  expect(JSON.parse((await it.ask('GET', '/api/about')).text)).toMatchObject({ editable: true });
  const second = await openEventStream(it);
  await argus(['run', '--project', root, '--', 'true']);
  expect(await Promise.all([stream.next(), second.next()])).toEqual(['{"changed":true}', '{"changed":true}']);
  await it.end();
  await Promise.all([stream.closed, second.closed]);
});

test('a new memory and its changes are shown after the old memory was deleted', async () => {
  const root = await createMemory();
  const it = await startTestViewer(root);
  const runs = async () => JSON.parse((await it.ask('POST', '/api/viewRuns', { body: '{}' })).text).total;
  expect(await runs()).toBe(1);
  rmSync(path.join(root, '.argus'), { recursive: true });
  expect(await runs()).toBe(0);
  for (const part of ['a', 'b']) await recordFailure(root, `make ${part}`, `OddError: ${part} is missing`);
  expect(await runs()).toBe(2);
  rmSync(path.join(root, '.argus'), { recursive: true });
  await recordFailure(root, 'make c', 'OddError: c is missing');
  const description = 'The service answers too late';
  const edit = JSON.stringify({ id: 'builtin-timeout', description });
  expect((await it.ask('POST', '/api/editPattern', { body: edit })).status).toBe(200);
  const kept = await withProjectEngine(root, (engine) => engine.viewPattern({ id: 'builtin-timeout' }));
  expect(kept.set.description).toBe(description);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends the server and its event streams', async (signal) => {
  const it = await startTestViewer(viewedProject);
  const stream = await openEventStream(it);
  expect(await it.end(signal)).toBe(0);
  await stream.closed;
  expect(it.output().stderr).toBe('');
});

test('two viewers of a project have different ports and tokens', async () => {
  const other = await startTestViewer(viewedProject);
  expect([other.port === viewer.port, other.token === viewer.token]).toEqual([false, false]);
  expect((await other.ask('GET', '/api/about')).status).toBe(200);
  const headers = { Authorization: `Bearer ${viewer.token}` };
  expect((await other.ask('GET', '/api/about', { headers })).status).toBe(401);
});

test('--port accepts a free port and refuses a port in use', async () => {
  const other = createServer();
  await once(other.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void other.close());
  const address = other.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const taken = await argus(['view', '--project', createProject(), '--port', String(port)]);
  expect(taken.status).toBe(2);
  expect(taken.stderr).toBe(
    `INVALID_INPUT: Port ${port} is in use. Choose another port with --port, or omit --port to get a free port.\n`,
  );
  other.close();
  expect((await startTestViewer(createProject(), ['--port', String(port)])).port).toBe(port);
});

test.each([
  ['--port', '70000'],
  ['--port', '-1'],
  ['--port', 'http'],
  ['--project', path.join(viewedProject, 'nope')],
])('%s %s is refused', async (option, value) => {
  const { status, stderr } = await argus(['view', '--project', viewedProject, option, value]);
  expect(status).toBe(2);
  if (option === '--project') expect(stderr).toContain('PROJECT_NOT_FOUND');
});
