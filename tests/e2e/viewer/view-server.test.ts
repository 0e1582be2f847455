/**
 * The server of `argus-mcp view`: who is let in, what it tells a browser to allow, how it starts and ends. The page:
 * view-page.test.ts.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { argus } from '../argus.ts';
import { project } from '../harness.ts';
import { fail, inMemoryOf, type Viewer, viewerOf } from './view.ts';

async function remembering(): Promise<string> {
  const root = project();
  await fail(root, 'make part', 'OddError: the red valve does not close');
  return root;
}

const error = (text: string) => JSON.parse(text).error;

test('the page, with a strict policy and no secret in it', async () => {
  const it = await viewerOf(await remembering());
  const page = await it.ask('GET', '/', { headers: { Authorization: null } });
  expect(page.status).toBe(200);
  expect(page.text).not.toContain(it.token);
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

test('what it knows of the project', async () => {
  const root = await remembering();
  const it = await viewerOf(root);
  const { status, text } = await it.ask('GET', '/api/about');
  expect(status).toBe(200);
  expect(JSON.parse(text)).toEqual({
    project: root,
    database: path.join(root, '.argus', 'argus.db'),
    history: true,
    version: expect.any(String),
    locale: expect.stringMatching(/^(?:zh|en)$/u),
    editable: true,
  });
  const wasm = await it.ask('GET', '/engine.wasm');
  expect([wasm.status, wasm.headers['content-type']]).toEqual([200, 'application/wasm']);
});

test.each([
  ['en-GB,en;q=0.9', 'en', /^An assertion failed/u],
  ['zh-CN', 'zh', /\p{Script=Han}/u],
])(
  'built-in fixes are in the language of the browser where the machine names none: %s',
  async (accepted, locale, fix) => {
    const it = await viewerOf(await remembering(), [], { LC_ALL: 'C.UTF-8' });
    const headers = { 'Accept-Language': accepted };
    expect(JSON.parse((await it.ask('GET', '/api/about', { headers })).text)).toMatchObject({ locale });
    const { text } = await it.ask('POST', '/api/viewPatterns', { body: '{"category":"ASSERTION_MISMATCH"}', headers });
    expect(JSON.parse(text).patterns[0].suggestedFix).toMatch(fix);
  },
);

test('a project where nothing is recorded stays as it is', async () => {
  const root = project();
  const it = await viewerOf(root);
  expect(it.database).toBeNull();
  expect(JSON.parse((await it.ask('GET', '/api/about')).text)).toMatchObject({ database: null, editable: false });
  const asked = await it.ask('POST', '/api/viewPatterns', { body: '{}' });
  expect(asked.status).toBe(200);
  expect(JSON.parse(asked.text)).toMatchObject({ patterns: expect.any(Array) });
  expect(spawnSync('ls', ['-A', root], { encoding: 'utf8' }).stdout).toBe('');
});

test.each([
  ['no token', null],
  ['an empty one', 'Bearer '],
  ['a wrong one', 'Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  ['another scheme', 'Basic AAAA'],
])('%s is refused', async (_name, authorization) => {
  const it = await viewerOf(await remembering());
  for (const [method, pathname] of [
    ['GET', '/api/about'],
    ['GET', '/api/events'],
    ['GET', '/engine.wasm'],
    ['GET', '/nothing'],
    ['POST', '/api/viewPatterns'],
  ] as const) {
    const reply = await it.ask(method, pathname, { headers: { Authorization: authorization } });
    expect([pathname, reply.status]).toEqual([pathname, 401]);
    expect(error(reply.text)).toMatchObject({
      code: 'UNAUTHORIZED',
      message: expect.stringContaining('argus-mcp view'),
    });
  }
  // Nor where a server or a proxy would log it.
  const inQuery = await it.ask('GET', `/api/about?token=${it.token}`, { headers: { Authorization: authorization } });
  expect(inQuery.status).toBe(401);
});

test('another host or origin is refused, whatever the token', async () => {
  const it = await viewerOf(await remembering());
  const home = `127.0.0.1:${it.port}`;
  for (const headers of [
    { Host: 'evil.example' },
    { Host: `evil.example:${it.port}` },
    { Host: '127.0.0.1' },
    { Host: `127.0.0.1:${it.port + 1}` },
    { Host: home, Origin: 'http://evil.example' },
    { Host: home, Origin: `https://${home}` },
    { Host: home, Origin: `http://127.0.0.1:${it.port + 1}` },
    { Host: home, Origin: 'null' },
    { Host: home, 'Sec-Fetch-Site': 'cross-site' },
    { Host: home, 'Sec-Fetch-Site': 'same-site' },
  ]) {
    for (const pathname of ['/', '/api/about']) {
      const reply = await it.ask('GET', pathname, { headers });
      expect([headers, pathname, reply.status]).toEqual([headers, pathname, 403]);
    }
  }
  for (const headers of [
    { Host: home, Origin: `http://${home}`, 'Sec-Fetch-Site': 'same-origin' },
    { Host: `localhost:${it.port}`, Origin: `http://localhost:${it.port}` },
  ]) {
    expect((await it.ask('GET', '/api/about', { headers })).status).toBe(200);
  }
});

test('it answers on 127.0.0.1 alone', async () => {
  const it = await viewerOf(project());
  const { stdout } = spawnSync(
    'sh',
    ['-c', `cat /proc/net/tcp /proc/net/tcp6 | grep -i ":${it.port.toString(16).padStart(4, '0')} .* 0A "`],
    {
      encoding: 'utf8',
    },
  );
  if (stdout === '') return;
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/u)[1]?.split(':')[0]),
  ).toEqual(['0100007F']);
});

test.each([
  ['an unknown function', 'POST', '/api/patterns', '{}', 404],
  ['a name every object has', 'POST', '/api/constructor', '{}', 404],
  ['a path outside', 'GET', '/../../etc/passwd', undefined, 404],
  ['a function that is asked with GET', 'GET', '/api/viewPatterns', undefined, 405],
  ['no JSON', 'POST', '/api/viewPatterns', '{', 400],
  ['no object', 'POST', '/api/viewPatterns', '[1]', 400],
  ['a field of another type', 'POST', '/api/viewPatterns', '{"limit":"many"}', 400],
  ['a limit out of range', 'POST', '/api/viewPatterns', '{"limit":100000}', 400],
  ['an id that is not there', 'POST', '/api/viewPattern', '{"id":"pat-nope"}', 404],
])('%s is refused with a reason', async (_name, method, pathname, body, status) => {
  const it = await viewerOf(await remembering());
  const reply = await it.ask(method, pathname, body === undefined ? {} : { body });
  expect(reply.status).toBe(status);
  expect(error(reply.text)).toEqual({ code: expect.stringMatching(/^[A-Z_]+$/u), message: expect.any(String) });
  expect(reply.text).not.toMatch(/ at .*\.mjs/u);
});

test('bodies are JSON, and bounded', async () => {
  const it = await viewerOf(await remembering());
  const form = await it.ask('POST', '/api/viewPatterns', { body: 'a=b', headers: { 'Content-Type': 'text/plain' } });
  expect(form.status).toBe(415);
  const long = JSON.stringify({ text: 'x'.repeat(33 * 1024 * 1024) });
  const reply = await it.ask('POST', '/api/viewPatterns', { body: long }).catch(() => ({ status: 413 }));
  expect(reply.status).toBe(413);
  expect((await it.ask('POST', '/api/viewPatterns', { body: '{}' })).status).toBe(200);
});

test('a damaged database is an error that says what to do, and is left as it is', async () => {
  const root = project({ '.argus/argus.db': 'this is no database'.repeat(100) });
  const it = await viewerOf(root);
  const reply = await it.ask('POST', '/api/viewPatterns', { body: '{}' });
  expect(reply.status).toBe(500);
  expect(error(reply.text)).toMatchObject({ code: 'DATABASE_CORRUPT' });
  expect(readFileSync(path.join(root, '.argus/argus.db'), 'utf8')).toBe('this is no database'.repeat(100));
});

test('history that is switched off shows the page alone', async () => {
  const root = await remembering();
  writeFileSync(path.join(root, 'argus.yaml'), 'history: { enabled: false }\n');
  const it = await viewerOf(root);
  expect(it.database).toBeNull();
  expect(JSON.parse((await it.ask('GET', '/api/about')).text)).toMatchObject({ database: null, history: false });
});

test('a look at the head of the stream of changes ends', async () => {
  const it = await viewerOf(await remembering());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ask = (method: string, pathname: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${it.token}` };
      request({ agent, host: '127.0.0.1', port: it.port, method, path: pathname, headers }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      })
        .once('error', reject)
        .end();
    });
  expect(await ask('HEAD', '/api/events')).toBe(200);
  // The same connection answers again.
  expect(await ask('GET', '/api/about')).toBe(200);
});

/** Lines of the stream, as they come. */
async function listening(it: Viewer): Promise<{ next(): Promise<string>; closed: Promise<void> }> {
  const lines: string[] = [];
  const waiting: (() => void)[] = [];
  const headers = { Authorization: `Bearer ${it.token}` };
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port: it.port, path: '/api/events', headers }, resolve).once('error', reject).end();
  });
  response.setEncoding('utf8').on('data', (part) => {
    lines.push(
      ...String(part)
        .split('\n')
        .filter((line) => line !== ''),
    );
    for (const wake of waiting.splice(0)) wake();
  });
  const closed = new Promise<void>((resolve) => response.once('close', () => resolve()));
  return {
    closed,
    async next() {
      while (lines.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      return lines.shift() ?? '';
    },
  };
}

test('changes by other processes are told, from the first one on', async () => {
  const root = project();
  const it = await viewerOf(root);
  const stream = await listening(it);
  const made = stream.next();
  expect((await argus(['run', '--project', root, '--', 'sh', '-c', 'echo boom; exit 1'])).status).toBe(1);
  expect(await made).toBe('{"changed":true}');
  expect(JSON.parse((await it.ask('GET', '/api/about')).text)).toMatchObject({ editable: true });
  const second = await listening(it);
  const [one, other] = [stream.next(), second.next()];
  await argus(['run', '--project', root, '--', 'true']);
  expect(await Promise.all([one, other])).toEqual(['{"changed":true}', '{"changed":true}']);
  await it.end();
  await Promise.all([stream.closed, second.closed]);
});

test('a memory that was deleted and made anew is the one that is shown and changed', async () => {
  const root = await remembering();
  const it = await viewerOf(root);
  const total = async (what: string) => JSON.parse((await it.ask('POST', `/api/${what}`, { body: '{}' })).text).total;
  expect(await total('viewRuns')).toBe(1);
  rmSync(path.join(root, '.argus'), { recursive: true });
  expect(await total('viewRuns')).toBe(0);
  for (const part of ['a', 'b']) await fail(root, `make ${part}`, `OddError: ${part} is missing`);
  expect(await total('viewRuns')).toBe(2);
  rmSync(path.join(root, '.argus'), { recursive: true });
  await fail(root, 'make c', 'OddError: c is missing');
  const edit = JSON.stringify({ id: 'builtin-timeout', description: 'Somebody waits for too long' });
  expect((await it.ask('POST', '/api/editPattern', { body: edit })).status).toBe(200);
  const kept = await inMemoryOf(root, (engine) => engine.viewPattern({ id: 'builtin-timeout' }));
  expect(kept.set.description).toBe('Somebody waits for too long');
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends it, whoever listens', async (signal) => {
  const it = await viewerOf(await remembering());
  const stream = await listening(it);
  expect(await it.end(signal)).toBe(0);
  await stream.closed;
  expect(it.output().stderr).toBe('');
});

test('a second one goes beside the first', async () => {
  const root = await remembering();
  const [one, two] = [await viewerOf(root), await viewerOf(root)];
  expect(one.port).not.toBe(two.port);
  expect(one.token).not.toBe(two.token);
  for (const it of [one, two]) expect((await it.ask('GET', '/api/about')).status).toBe(200);
  expect((await one.ask('GET', '/api/about', { headers: { Authorization: `Bearer ${two.token}` } })).status).toBe(401);
});

test('a port that is wished for, and one that is in use', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const address = other.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const taken = await argus(['view', '--project', project(), '--port', String(port)]);
  expect(taken.status).toBe(2);
  expect(taken.stderr).toBe(
    `INVALID_INPUT: Port ${port} is in use. Choose another with --port, or leave it out for a free one.\n`,
  );
  other.close();
  const it = await viewerOf(project(), ['--port', String(port)]);
  expect(it.port).toBe(port);
  for (const wrong of ['70000', '-1', 'http']) {
    expect((await argus(['view', '--project', project(), '--port', wrong])).status).toBe(2);
  }
});

test('a project that does not exist', async () => {
  const { status, stderr } = await argus(['view', '--project', path.join(project(), 'nope')]);
  expect(status).toBe(2);
  expect(stderr).toContain('PROJECT_NOT_FOUND');
});

/** Stands in for the desktop's own program. */
function desktop(script: string): { env: Record<string, string>; folder: string } {
  const folder = project({ 'bin/xdg-open': `#!/bin/sh\n${script}\n` });
  chmodSync(path.join(folder, 'bin/xdg-open'), 0o755);
  mkdirSync(path.join(folder, 'seen'));
  return { env: { PATH: `${path.join(folder, 'bin')}${path.delimiter}${process.env.PATH}` }, folder };
}

test.skipIf(process.platform !== 'linux')('--open gives the browser an address for one use', async () => {
  const { env, folder } = desktop('printf %s "$1" > "$(dirname "$0")/../seen/address"');
  const it = await viewerOf(await remembering(), ['--open'], env);
  const file = path.join(folder, 'seen/address');
  await expect.poll(() => spawnSync('cat', [file], { encoding: 'utf8' }).stdout, { timeout: 20_000 }).not.toBe('');
  const address = new URL(readFileSync(file, 'utf8'));
  // Arguments of a program are no secret on a machine with other users.
  expect(address.href).not.toContain(it.token);
  expect(address.port).toBe(String(it.port));
  const first = await it.ask('GET', address.pathname, { headers: { Authorization: null } });
  expect([first.status, first.headers.location]).toEqual([303, `/#token=${it.token}`]);
  const again = await it.ask('GET', address.pathname, { headers: { Authorization: null } });
  expect(again.status).toBe(403);
  const guessed = await it.ask('GET', '/open/AAAA', { headers: { Authorization: null } });
  expect(guessed.status).toBe(403);
});

test.skipIf(process.platform !== 'linux').each([
  ['no program', () => ({ PATH: path.join(project(), 'nothing') })],
  ['a program that finds no browser', () => desktop('exit 3').env],
])('%s to open a browser is said, and the server goes on', async (_name, env) => {
  const it = await viewerOf(await remembering(), ['--open'], env());
  await expect.poll(() => it.output().stderr, { timeout: 60_000 }).toContain('open the address above');
  expect((await it.ask('GET', '/api/about')).status).toBe(200);
  expect(it.output().stderr).not.toContain(it.token);
});
