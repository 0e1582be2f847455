/**
 * A team's server: the rights of tokens, requests of a browser, and that each call is made once. joining.test.ts tests
 * its use by machines, and pages.full.test.ts its pages in a real browser.
 */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { get } from 'node:https';
import path from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { argus, startArgus } from '../argus.ts';
import { createProject } from '../harness.ts';
import {
  createToken,
  newDatabasePath,
  postCall,
  requestHeaders,
  secretOf,
  startServer,
  type TeamServer,
} from './team.ts';

let teamServer: TeamServer;
beforeAll(async () => {
  teamServer = await startServer();
});

const INCIDENT = { title: 'The boiler is cold', steps: 'Relight the pilot flame.', worked: true, env: {} };
const SEARCH_PARAMS = { query_text: 'The boiler is cold', env: {} };

describe('who may', () => {
  test.each([
    ['read', [200, 403, 403]],
    ['write', [200, 200, 403]],
    ['edit', [200, 200, 404]],
    ['admin', [200, 200, 404]],
  ])('a token with the scope %s', async (scope, [reading, writing, editing]) => {
    const bearer = await createToken(teamServer.database, 'Ada', '--scope', scope);
    expect((await postCall(teamServer, bearer, 'patterns', {})).status).toBe(reading);
    expect((await postCall(teamServer, bearer, 'addIncident', { ...INCIDENT, force: true })).status).toBe(writing);
    // The pattern does not exist, but only a token with the right to edit is told so.
    expect((await postCall(teamServer, bearer, 'editPattern', { id: 'pat-1', description: 'Cold' })).status).toBe(
      editing,
    );
  });

  test('a token opens only its projects, and projects do not share data', async () => {
    const bearer = await createToken(teamServer.database, 'CI', '--project', 'one', 'two');
    await postCall(teamServer, bearer, 'addIncident', INCIDENT, { project: 'one' });
    const two = await postCall(teamServer, bearer, 'rankedSolutions', SEARCH_PARAMS, { project: 'two' });
    expect(two).toMatchObject({ status: 200, body: { result: { incidents: [] } } });
    const bank = await postCall(teamServer, bearer, 'patterns', {}, { project: 'bank' });
    expect(bank).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
  });

  test('a token is refused at most a second after it was revoked', async () => {
    let later = 0;
    const own = await startServer(undefined, undefined, { now: () => Date.now() + later });
    const bearer = await createToken(own.database, 'Bob');
    const status = async () => (await postCall(own, bearer, 'patterns', {})).status;
    const revoke = () => argus(['token', 'revoke', bearer.split('_')[1] ?? '', '--database', own.database]);
    expect(await status()).toBe(200);
    expect((await revoke()).stdout).toContain('revoked');
    later = 1_001;
    expect(await status()).toBe(401);
    expect((await revoke()).status).toBe(2);
  });

  test('a wrong secret, a malformed token, and an expired token are refused', async () => {
    const [, id] = (await createToken(teamServer.database, 'Eve')).split('_');
    const expired = await createToken(teamServer.database, 'Old', '--expires', '0');
    for (const bearer of [`argus_${id}_${'A'.repeat(43)}`, 'argus_0123', expired]) {
      const answer = await postCall(teamServer, bearer, 'patterns', {});
      expect(answer).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
    }
  });

  test('no secret of a token or of a run is in the database, in the log, or in a list', async () => {
    const bearer = await createToken(teamServer.database, 'Ada');
    const leaked = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const run = { command: 'job', exitCode: 1, timedOut: false, reports: [], containers: [], notes: [] };
    const outputTail = `SomethingBroke: token ${leaked} was refused`;
    const recorded = await postCall(teamServer, bearer, 'recordRun', { ...run, outputTail }, { project: 'secrets' });
    const listed = await argus(['token', 'list', '--database', teamServer.database, '--json']);
    const files = [teamServer.database, path.join(`${teamServer.database}.projects`, 'secrets.db')];
    const kept = files.map((file) => readFileSync(file, 'latin1')).join();
    expect(kept).toContain('SomethingBroke');
    for (const text of [kept, teamServer.log(), listed.stdout, JSON.stringify(recorded)]) {
      expect(text).not.toContain(secretOf(bearer));
      expect(text).not.toContain(leaked);
    }
    expect(listed.stdout).not.toMatch(/digest|"token"/u);
  });
});

describe('a call', () => {
  test('a repeated call returns the first answer and is made once', async () => {
    const bearer = await createToken(teamServer.database, 'Ada');
    const again = { callId: uuidV7(), project: 'again' };
    const first = await postCall(teamServer, bearer, 'addIncident', INCIDENT, again);
    expect(await postCall(teamServer, bearer, 'addIncident', INCIDENT, again)).toEqual(first);
    const other = await postCall(teamServer, bearer, 'rankedSolutions', SEARCH_PARAMS, again);
    expect(other).toMatchObject({ status: 400, body: { error: { code: 'INVALID_INPUT' } } });
  });

  test('a call is recorded with the owner of the token, whatever name the machine sends', async () => {
    const bearer = await createToken(teamServer.database, 'Ada');
    const said = { project: 'who', by: 'some client 1.0', from: 'Bob' };
    const added = await postCall(teamServer, bearer, 'addIncident', INCIDENT, said);
    const { incident_id: id } = z.object({ result: z.object({ incident_id: z.string() }) }).parse(added.body).result;
    const { body } = await postCall(teamServer, bearer, 'incident', { id }, said);
    expect(JSON.stringify(body)).toContain('some client 1.0');
    expect(JSON.stringify(body)).toContain('Ada (Bob)');
  });

  test.each([
    ['an unknown method', 'snapshot', { path: '/tmp/x' }, {}],
    ['tokens', 'createToken', {}, {}],
    ['another protocol', 'patterns', {}, { protocol: 99 }],
    ['a name that is a path', 'patterns', {}, { project: '..%2f..%2fetc' }],
    ['an invalid callId', 'patterns', {}, { callId: 'x' }],
    ['an unknown field', 'patterns', {}, { root: '/' }],
  ])('a call with %s is refused', async (_, method, params, more) => {
    const answer = await postCall(
      teamServer,
      await createToken(teamServer.database, 'Ada', '--scope', 'admin'),
      method,
      params,
      more,
    );
    expect(answer).toMatchObject({ status: 400, body: { error: { message: expect.any(String) } } });
  });

  test('a call of more than 32 MiB is refused and not recorded', async () => {
    const bearer = await createToken(teamServer.database, 'Ada');
    const call = { protocol: 1, callId: uuidV7(), now: Date.now(), method: 'addIncident', params: INCIDENT };
    const body = JSON.stringify(call);
    const send = async (bytes: number) => {
      const asked = { method: 'POST', headers: requestHeaders(bearer), body: body.padStart(bytes) };
      const response = await fetch(`${teamServer.url}/v1/projects/large/call`, asked);
      return { status: response.status, body: await response.json() };
    };
    const limit = 32 * 1024 * 1024;
    expect(await send(limit + 1)).toEqual({
      status: 413,
      body: { error: { code: 'INVALID_INPUT', message: `The body is larger than ${limit} bytes. Shorten the text.` } },
    });
    const found = await postCall(teamServer, bearer, 'rankedSolutions', SEARCH_PARAMS, { project: 'large' });
    expect(found.body).toMatchObject({ result: { incidents: [] } });
    expect(await send(limit)).toMatchObject({ status: 200, body: { result: { created: true } } });
  });

  test('a call reads no file of the server', async () => {
    const reports = [{ path: teamServer.database, format: 'junit' }];
    const run = { command: 'npm test', timedOut: false, reports, cases: [], containers: [], notes: [] };
    const { body } = await postCall(teamServer, await createToken(teamServer.database, 'Ada'), 'recordRun', run);
    expect(body).toMatchObject({ error: { code: 'REPORT_NOT_FOUND' } });
  });
});

describe('operation of the server', () => {
  test('the server describes itself to clients with a token', async () => {
    const bearer = await createToken(teamServer.database, 'Ada', '--project', 'shop');
    const hello = await (await fetch(`${teamServer.url}/v1/hello`, { headers: requestHeaders(bearer) })).json();
    expect(hello).toMatchObject({
      name: 'argus',
      protocol: { oldest: 1, newest: 1 },
      recipe: expect.any(String),
      token: { name: 'Ada', scope: 'write', projects: ['shop'] },
    });
    expect((await fetch(`${teamServer.url}/v1/hello`)).status).toBe(401);
  });

  test('the server reports its health and counts requests', async () => {
    expect(await (await fetch(`${teamServer.url}/healthz`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${teamServer.url}/readyz`)).json()).toEqual({ status: 'ready' });
    await postCall(teamServer, await createToken(teamServer.database, 'Ada'), 'patterns', {});
    const metrics = await (await fetch(`${teamServer.url}/metrics`)).text();
    expect(metrics).toMatch(/argus_requests_total\{call="patterns",status="200"\} \d+/u);
  });

  test('requests from a proxy that the server does not trust get no metrics', async () => {
    for (const name of ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'Via']) {
      const { status } = await fetch(`${teamServer.url}/metrics`, { headers: { [name]: '203.0.113.7' } });
      expect(status, name).toBe(401);
    }
  });

  test('the server shows metrics behind a proxy only to an admin', async () => {
    const proxied = await startServer(newDatabasePath(), ['--port', '0', '--trust-proxy']);
    const status = async (scope: string) => {
      const bearer = await createToken(proxied.database, 'Ada', '--scope', scope);
      const forwarded = { 'X-Forwarded-For': '203.0.113.7', Authorization: `Bearer ${bearer}` };
      return (await fetch(`${proxied.url}/metrics`, { headers: forwarded })).status;
    };
    expect([await status('write'), await status('admin')]).toEqual([403, 200]);
  });

  test('the server limits the calls of a token, and the wrong tokens of an address', async () => {
    const limited = await startServer(newDatabasePath(), ['--port', '0', '--rate-limit', '3']);
    const statuses = (bearer: string, calls: number) =>
      Promise.all(Array.from({ length: calls }, async () => (await postCall(limited, bearer, 'patterns', {})).status));
    expect(await statuses(await createToken(limited.database, 'Ada'), 12)).toContain(429);
    expect(await statuses('argus_0123', 25)).toContain(429);
    // Other tokens at the same address are not limited.
    expect(await statuses(await createToken(limited.database, 'Bob'), 1)).toEqual([200]);
  });

  test('the server supports TLS', async () => {
    const folder = createProject();
    const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2', '-nodes'];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-keyout', key, '-out', cert, ...subject], {
      stdio: 'pipe',
    });
    const args = ['--port', '0', '--host', '0.0.0.0', '--tls-cert', cert, '--tls-key', key];
    const secure = await startServer(newDatabasePath(), args);
    const asked = get({ host: '127.0.0.1', port: secure.port, path: '/healthz', ca: readFileSync(cert) });
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
  });

  test.each([
    ['an unwritable database', ['--database', 'README.md/argus.db'], 'DATABASE_UNAVAILABLE: '],
    ['a public address without TLS', ['--host', '0.0.0.0'], '--tls-cert'],
    ['a certificate without its key', ['--tls-cert', 'cert.pem'], '--tls-key'],
  ])('the server does not start with %s, and names the fix', async (_, args, said) => {
    const cwd = createProject({ 'README.md': '' });
    const { status, stderr } = await argus(['serve', '--port', '0', '--database', 'server.db', ...args], { cwd });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(said) });
  });

  test.each([
    [['migrate'], 'This command is only for PostgreSQL'],
    [['backup', 'shop', 'copy.db'], 'This command is only for PostgreSQL'],
  ])('argus %j refuses a database in a file', async (args, said) => {
    const { status, stderr } = await argus([...args, '--database', newDatabasePath()]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(said) });
  });

  test('the server reports an unreachable PostgreSQL without its password', async () => {
    const database = 'postgres://ada:hunter2@127.0.0.1:1/argus';
    const { status, stderr } = await argus(['token', 'list', '--database', database]);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('check the host and port in its URL'),
    });
    expect(stderr).toContain('The database server does not answer');
    expect(stderr).not.toContain('hunter2');
  });

  test('the server logs no bodies, and denied calls appear in the audit log', async () => {
    const bearer = await createToken(teamServer.database, 'Ada', '--scope', 'read');
    await postCall(teamServer, bearer, 'addIncident', { ...INCIDENT, title: 'Planted title of a body' });
    expect(teamServer.log()).not.toContain('Planted title');
    expect(teamServer.log()).toMatch(/"status":403.*"call":"addIncident"/u);
    const { entries } = JSON.parse(
      (await argus(['token', 'audit', '--database', teamServer.database, '--json'])).stdout,
    );
    const denied = { action: 'addIncident', isDenied: true, project: 'shop', tokenId: bearer.split('_')[1] };
    expect(entries).toEqual(expect.arrayContaining([expect.objectContaining(denied)]));
    expect(entries).toEqual(expect.arrayContaining([expect.objectContaining({ action: 'token create' })]));
  });

  test('the server ends after the running calls, and does not wait for idle connections', async () => {
    const database = newDatabasePath();
    const serving = startArgus(['serve', '--database', database, '--port', '0']);
    const [, url = ''] = await serving.prints(/"url":"([^"]+)"/u);
    const bearer = await createToken(database, 'Ada');
    const call = { protocol: 1, callId: uuidV7(), now: Date.now(), method: 'patterns', params: {} };
    const body = JSON.stringify(call);
    // The server answers 100 after it has read the headers. From then on, the call is running.
    const slow = request(`${url}/v1/projects/shop/call`, {
      method: 'POST',
      headers: { ...requestHeaders(bearer), Expect: '100-continue', 'Content-Length': body.length },
    });
    slow.flushHeaders();
    await once(slow, 'continue');
    slow.write(body.slice(0, 20));
    serving.signal('SIGTERM');
    await serving.prints(/"event":"ending"/u);
    const began = performance.now();
    slow.end(body.slice(20));
    const [response] = (await once(slow, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    response.resume();
    expect((await serving.done).status).toBe(0);
    // The server closes a connection that stays open for more than 10 seconds.
    expect(performance.now() - began).toBeLessThan(8_000);
  });
});

test("a cookie gives access to a project's pages, but scripts and other sites cannot use it", async () => {
  const ada = await createToken(teamServer.database, 'Ada', '--project', 'shop');
  const form = { method: 'POST', body: new URLSearchParams({ token: ada }), redirect: 'manual' } as const;
  const answer = await fetch(`${teamServer.url}/login`, form);
  const cookie = answer.headers.get('set-cookie') ?? '';
  expect(answer.status).toBe(303);
  expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/u);
  await postCall(teamServer, ada, 'addIncident', INCIDENT);
  const status = async (place: string, more: Record<string, string> = {}) => {
    const own = { Cookie: cookie.split(';')[0] ?? '', 'Content-Type': 'application/json', ...more };
    return (await fetch(`${teamServer.url}/p/${place}/api/viewIncidents`, { method: 'POST', body: '{}', headers: own }))
      .status;
  };
  expect(await status('shop')).toBe(200);
  expect(await status('bank')).toBe(403);
  expect(await status('shop', { Origin: 'https://evil.example.com' })).toBe(401);
  expect(await status('shop', { 'Sec-Fetch-Site': 'cross-site' })).toBe(401);
  expect(await status('shop', { 'Content-Type': 'text/plain' })).toBe(415);
});

test('a cookie with an unknown token redirects to the login form', async () => {
  const answer = await fetch(teamServer.url, {
    headers: { Cookie: `argus_token=argus_012345678901_${'A'.repeat(43)}` },
  });
  expect(answer.status).toBe(401);
  expect(await answer.text()).toContain('<form method="post" action="/login">');
});

test('a token with the scope read changes nothing', async () => {
  const own = requestHeaders(await createToken(teamServer.database, 'Eve', '--scope', 'read'));
  const status = async (call: string) => {
    const body = JSON.stringify({ id: 'pat-1', description: 'Mine' });
    return (await fetch(`${teamServer.url}/p/shop/api/${call}`, { method: 'POST', body, headers: own })).status;
  };
  expect([await status('editPattern'), await status('createToken')]).toEqual([403, 404]);
  const about = await (await fetch(`${teamServer.url}/p/shop/api/about`, { headers: own })).json();
  expect(about).toMatchObject({ editable: false });
});

test('an open page is notified of a write to its project', async () => {
  const ada = await createToken(teamServer.database, 'Ada');
  const events = await fetch(`${teamServer.url}/p/live/api/events`, { headers: requestHeaders(ada) });
  const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
  await postCall(teamServer, ada, 'addIncident', INCIDENT, { project: 'live' });
  let said = '';
  while (!said.includes('changed')) said += (await reader?.read())?.value;
  await reader?.cancel();
});
