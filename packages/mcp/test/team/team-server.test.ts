/** Tests the server of a team with a memory of the test itself. `tests/e2e/team/server.test.ts` uses real memories. */

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CallName, type Calls, NamedCalls, openEngine, type Scope } from 'argus-engine';
import { v7 as uuidV7 } from 'uuid';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { generateToken, TokenAuthenticator } from '../../src/team/server/auth.ts';
import type { ServedMemory } from '../../src/team/server/storage/projects.ts';
import { TeamServer } from '../../src/team/server/team-server.ts';

class StuckMemory extends NamedCalls {
  call<N extends CallName>(_: N): Promise<Calls[N]['result']> {
    return new Promise(() => {});
  }

  callOnce<N extends CallName>(name: N): Promise<Calls[N]['result']> {
    return this.call(name);
  }
}

class BrokenMemory extends NamedCalls {
  async call<N extends CallName>(_: N): Promise<Calls[N]['result']> {
    throw new TypeError('cannot open /home/argus/secret-folder/shop.db');
  }

  callOnce<N extends CallName>(name: N): Promise<Calls[N]['result']> {
    return this.call(name);
  }
}

/** Starts a server with a single project `shop`. The project uses the server's own memory unless `memory` is given. */
async function startTestServer({ memory, callMs }: { memory?: ServedMemory; callMs?: number } = {}) {
  const engine = await openEngine({ databasePath: ':memory:', projectRoot: '/', locale: 'en' });
  const listeners: (() => void)[] = [];
  const projects = {
    getServerMemory: async () => engine,
    getProjectMemory: async () => memory ?? engine,
    listProjectNames: async () => ['shop'],
    watch: (_: string, changed: () => void) => {
      listeners.push(changed);
      return { close: () => {} };
    },
    close: () => engine.close(),
  };
  const token = async (scope: Scope) => {
    const { token: bearer, id, digest } = generateToken();
    await engine.createToken({ id, digest, name: 'Ada', scope, projects: null, expiresInDays: null });
    return { bearer, id };
  };
  const options = { callsPerSecond: 200, trustsProxy: false, tls: undefined, mcp: async () => {} };
  const serverOptions = callMs === undefined ? options : { ...options, callMs };
  const server = new TeamServer({ ...serverOptions, projects, auth: new TokenAuthenticator(projects.getServerMemory) });
  onTestFinished(() => server.close(0));
  await once(server.http.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.http.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const post = async (bearer: string, method: string, params: object | string, more = {}) => {
    const call = { protocol: 1, callId: uuidV7(), now: Date.now(), method, params: {}, ...more };
    const text = typeof params === 'string' ? params : JSON.stringify(params);
    const response = await fetch(`${url}/v1/projects/shop/call`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(call).replace('"params":{}', () => `"params":${text}`),
    });
    return { status: response.status, body: await response.json() };
  };
  /** Sends headers that `fetch` does not allow. */
  const ask = async (method: string, path: string, headers: Record<string, string>, body = '') => {
    const outgoingRequest = request(`${url}${path}`, { method, headers });
    outgoingRequest.end(body);
    const [response] = (await once(outgoingRequest, 'response')) as [IncomingMessage];
    return response;
  };
  return { engine, url, token, post, ask, changed: () => listeners.forEach((tell) => void tell()) };
}

test('reports a call that takes too long as lost', async () => {
  const { token, post } = await startTestServer({ memory: new StuckMemory(), callMs: 1 });
  const { bearer } = await token('read');
  const message = 'The call takes too long. Repeat it with the same callId.';
  expect(await post(bearer, 'overview', {})).toEqual({
    status: 503,
    body: { error: { code: 'DATABASE_LOCKED', message } },
  });
});

test('answers a failure of the server with a reference and without a folder name', async () => {
  const { token, post } = await startTestServer({ memory: new BrokenMemory() });
  const { status, body } = await post((await token('read')).bearer, 'overview', {});
  expect([status, body]).toEqual([500, { error: { code: 'INTERNAL_ERROR', message: expect.stringMatching(/err-/u) } }]);
  expect(JSON.stringify(body)).not.toMatch(/\/|\.log|secret-folder/u);
});

describe('a call', () => {
  test('rejects a call that nests 200,000 levels', async () => {
    const { token, post } = await startTestServer();
    const params = `{"query_text":"x","env":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}`;
    const { status, body } = await post((await token('write')).bearer, 'rankedSolutions', params);
    const message = 'The body is not JSON, or nests deeper than 64 levels.';
    expect([status, body]).toEqual([400, { error: { code: 'INVALID_INPUT', message } }]);
  });

  test('accepts a call with braces and quotes in its texts', async () => {
    const { token, post } = await startTestServer();
    const params = { query_text: `${'{['.repeat(100)} "\\" \\\\" ${'["'.repeat(100)}`, env: {} };
    expect((await post((await token('write')).bearer, 'rankedSolutions', params)).status).toBe(200);
  });

  test.each([
    ['rankedSolutions', { query_text: 'x'.repeat(600_000), env: {} }, 413],
    ['rankedSolutions', { query_text: 'x'.repeat(400_000), env: {} }, 200],
    ['rankedSolutions', { query_text: 'x', env: { ['x'.repeat(600_000)]: 'linux' } }, 413],
    ['addIncident', { title: 'x', error_signature: 'x'.repeat(600_000), steps: 'y', worked: true, env: {} }, 413],
    ['memoryImport', { lines: 'x'.repeat(3_000_000) }, 413],
    ['recordRun', { command: 'x', outputTail: 'x'.repeat(3_000_000) }, 413],
  ])('%s with large texts gets the right status: %#', async (method, params, status) => {
    const { token, post } = await startTestServer();
    expect((await post((await token('write')).bearer, method, params)).status).toBe(status);
  });

  test('rejects a call of another protocol version with PROTOCOL', async () => {
    const { token, post } = await startTestServer();
    const more = { protocol: 2, method: 'think', priority: 'high' };
    expect(await post((await token('write')).bearer, 'x', {}, more)).toMatchObject({
      status: 400,
      body: { error: { code: 'PROTOCOL' } },
    });
  });
});

describe('requests of a browser', () => {
  const FORM = 'application/x-www-form-urlencoded';

  test.each([
    ['127.0.0.1:7420', 200],
    ['localhost', 200],
    ['[::1]:7420', 200],
    ['evil.example', 401],
    ['127.0.0.1.evil.example:7420', 401],
  ])('a request with the Host header %s gets metrics only if it names this machine', async (Host, status) => {
    const { ask } = await startTestServer();
    expect((await ask('GET', '/metrics', { Host })).statusCode).toBe(status);
  });

  test.each([
    ['the page of the server', { Origin: 'http://127.0.0.1:7420' }, 303],
    [
      'its page, by the headers of current browsers',
      { Origin: 'http://127.0.0.1:7420', 'Sec-Fetch-Site': 'same-origin' },
      303,
    ],
    ['a program', {}, 303],
    ['another site', { Origin: 'http://evil.example' }, 403],
    ['another port', { Origin: 'http://127.0.0.1:8000' }, 403],
    ['a page that hides its origin', { Origin: 'null' }, 403],
    ['another site, by the headers of current browsers', { 'Sec-Fetch-Site': 'cross-site' }, 403],
  ])('a form that %s sends gets the right status', async (_, headers, status) => {
    const { ask, token } = await startTestServer();
    const { bearer } = await token('read');
    const requestHeaders = { Host: '127.0.0.1:7420', 'Content-Type': FORM, ...headers };
    for (const [path, body] of [
      ['/login', `token=${bearer}`],
      ['/logout', ''],
    ] as const) {
      const { statusCode, headers: answered } = await ask('POST', path, requestHeaders, body);
      expect([statusCode, 'set-cookie' in answered], path).toEqual([status, status === 303]);
    }
  });

  test('answers with a login page whose form sends its origin', async () => {
    const { ask } = await startTestServer();
    expect((await ask('GET', '/', {})).headers).toMatchObject({ 'referrer-policy': 'same-origin' });
  });

  test('ends an event stream after its token was revoked', async () => {
    const { ask, token, engine, changed } = await startTestServer();
    const { bearer, id } = await token('read');
    const stream = await ask('GET', '/p/shop/api/events', { Authorization: `Bearer ${bearer}` });
    const lines: string[] = [];
    stream.setEncoding('utf8').on('data', (text: string) => lines.push(text));
    await expect.poll(() => lines.join('')).toBe('\n');
    changed();
    await expect.poll(() => lines.join('')).toBe('\n{"changed":true}\n');
    await engine.revokeToken({ id });
    const now = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => now + 1_001);
    onTestFinished(() => void vi.restoreAllMocks());
    changed();
    await once(stream, 'end');
    expect(lines.join('')).toBe('\n{"changed":true}\n');
  });
});
