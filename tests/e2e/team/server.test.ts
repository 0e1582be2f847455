/** A team's server: the rights of tokens, and that each call is made once. Its use by machines: joining.test.ts. */

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
import { project } from '../harness.ts';
import { headers, newDatabase, post, secretOf, startServer, type TeamServer, token } from './team.ts';

let server: TeamServer;
beforeAll(async () => {
  server = await startServer();
});

const INCIDENT = { title: 'The boiler is cold', steps: 'Relight the pilot flame.', worked: true, env: {} };
const SEARCH = { query_text: 'The boiler is cold', env: {} };

describe('who may', () => {
  test.each([
    ['read', [200, 403, 403]],
    ['write', [200, 200, 403]],
    ['edit', [200, 200, 404]],
    ['admin', [200, 200, 404]],
  ])('a token with the scope %s', async (scope, [reading, writing, editing]) => {
    const bearer = await token(server.database, 'Ada', '--scope', scope);
    expect((await post(server, bearer, 'patterns', {})).status).toBe(reading);
    expect((await post(server, bearer, 'addIncident', { ...INCIDENT, force: true })).status).toBe(writing);
    // The pattern does not exist, which only a token with the right to edit learns.
    expect((await post(server, bearer, 'editPattern', { id: 'pat-1', description: 'Cold' })).status).toBe(editing);
  });

  test('a token opens only its projects, and projects do not share data', async () => {
    const bearer = await token(server.database, 'CI', '--project', 'one', 'two');
    await post(server, bearer, 'addIncident', INCIDENT, { project: 'one' });
    const two = await post(server, bearer, 'rankedSolutions', SEARCH, { project: 'two' });
    expect(two).toMatchObject({ status: 200, body: { result: { incidents: [] } } });
    const bank = await post(server, bearer, 'patterns', {}, { project: 'bank' });
    expect(bank).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
  });

  test('refuses a token at most a second after it was revoked', async () => {
    let later = 0;
    const own = await startServer(undefined, undefined, { now: () => Date.now() + later });
    const bearer = await token(own.database, 'Bob');
    const status = async () => (await post(own, bearer, 'patterns', {})).status;
    const revoke = () => argus(['token', 'revoke', bearer.split('_')[1] ?? '', '--database', own.database]);
    expect(await status()).toBe(200);
    expect((await revoke()).stdout).toContain('revoked');
    later = 1_001;
    expect(await status()).toBe(401);
    expect((await revoke()).status).toBe(2);
  });

  test('refuses a wrong secret, a malformed token, and an expired token', async () => {
    const [, id] = (await token(server.database, 'Eve')).split('_');
    const expired = await token(server.database, 'Old', '--expires', '0');
    for (const bearer of [`argus_${id}_${'A'.repeat(43)}`, 'argus_0123', expired]) {
      const answer = await post(server, bearer, 'patterns', {});
      expect(answer).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
    }
  });

  test('no secret of a token or of a run is in the database, in the log, or in a list', async () => {
    const bearer = await token(server.database, 'Ada');
    const leaked = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const run = { command: 'job', exitCode: 1, timedOut: false, reports: [], containers: [], notes: [] };
    const outputTail = `SomethingBroke: token ${leaked} was refused`;
    const recorded = await post(server, bearer, 'recordRun', { ...run, outputTail }, { project: 'secrets' });
    const listed = await argus(['token', 'list', '--database', server.database, '--json']);
    const files = [server.database, path.join(`${server.database}.projects`, 'secrets.db')];
    const kept = files.map((file) => readFileSync(file, 'latin1')).join();
    expect(kept).toContain('SomethingBroke');
    for (const text of [kept, server.log(), listed.stdout, JSON.stringify(recorded)]) {
      expect(text).not.toContain(secretOf(bearer));
      expect(text).not.toContain(leaked);
    }
    expect(listed.stdout).not.toMatch(/digest|"token"/u);
  });
});

describe('a call', () => {
  test('that is repeated returns the first answer and is made once', async () => {
    const bearer = await token(server.database, 'Ada');
    const again = { callId: uuidV7(), project: 'again' };
    const first = await post(server, bearer, 'addIncident', INCIDENT, again);
    expect(await post(server, bearer, 'addIncident', INCIDENT, again)).toEqual(first);
    const other = await post(server, bearer, 'rankedSolutions', SEARCH, again);
    expect(other).toMatchObject({ status: 400, body: { error: { code: 'INVALID_INPUT' } } });
  });

  test('records the owner of the token, whatever name the machine sends', async () => {
    const bearer = await token(server.database, 'Ada');
    const said = { project: 'who', by: 'some client 1.0', from: 'Bob' };
    const added = await post(server, bearer, 'addIncident', INCIDENT, said);
    const { incident_id: id } = z.object({ result: z.object({ incident_id: z.string() }) }).parse(added.body).result;
    const { body } = await post(server, bearer, 'incident', { id }, said);
    expect(JSON.stringify(body)).toContain('some client 1.0');
    expect(JSON.stringify(body)).toContain('Ada (Bob)');
  });

  test.each([
    ['an unknown method', 'snapshot', { path: '/tmp/x' }, {}],
    ['tokens', 'createToken', {}, {}],
    ['another protocol', 'patterns', {}, { protocol: 99 }],
    ['a name that is a path', 'patterns', {}, { project: '..%2f..%2fetc' }],
    ['a callId that is none', 'patterns', {}, { callId: 'x' }],
    ['a field that there is not', 'patterns', {}, { root: '/' }],
  ])('with %s is refused', async (_, method, params, more) => {
    const answer = await post(server, await token(server.database, 'Ada', '--scope', 'admin'), method, params, more);
    expect(answer).toMatchObject({ status: 400, body: { error: { message: expect.any(String) } } });
  });

  test('of more than 32 MiB is refused and not recorded', async () => {
    const bearer = await token(server.database, 'Ada');
    const call = { protocol: 1, callId: uuidV7(), now: Date.now(), method: 'addIncident', params: INCIDENT };
    const body = JSON.stringify(call);
    const send = async (bytes: number) => {
      const asked = { method: 'POST', headers: headers(bearer), body: body.padStart(bytes) };
      const response = await fetch(`${server.url}/v1/projects/large/call`, asked);
      return { status: response.status, body: await response.json() };
    };
    const limit = 32 * 1024 * 1024;
    expect(await send(limit + 1)).toEqual({
      status: 413,
      body: { error: { code: 'INVALID_INPUT', message: `At most ${limit} bytes are taken; shorten the text.` } },
    });
    const found = await post(server, bearer, 'rankedSolutions', SEARCH, { project: 'large' });
    expect(found.body).toMatchObject({ result: { incidents: [] } });
    expect(await send(limit)).toMatchObject({ status: 200, body: { result: { created: true } } });
  });

  test('reads no file of the server', async () => {
    const reports = [{ path: server.database, format: 'junit' }];
    const run = { command: 'npm test', timedOut: false, reports, cases: [], containers: [], notes: [] };
    const { body } = await post(server, await token(server.database, 'Ada'), 'recordRun', run);
    expect(body).toMatchObject({ error: { code: 'REPORT_NOT_FOUND' } });
  });
});

describe('the server', () => {
  test('describes itself to clients with a token', async () => {
    const bearer = await token(server.database, 'Ada', '--project', 'shop');
    const hello = await (await fetch(`${server.url}/v1/hello`, { headers: headers(bearer) })).json();
    expect(hello).toMatchObject({
      name: 'argus',
      protocol: { oldest: 1, newest: 1 },
      recipe: expect.any(String),
      token: { name: 'Ada', scope: 'write', projects: ['shop'] },
    });
    expect((await fetch(`${server.url}/v1/hello`)).status).toBe(401);
  });

  test('reports its health and counts requests', async () => {
    expect(await (await fetch(`${server.url}/healthz`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ status: 'ready' });
    await post(server, await token(server.database, 'Ada'), 'patterns', {});
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/argus_requests_total\{call="patterns",status="200"\} \d+/u);
  });

  test('shows metrics behind a proxy only to an admin', async () => {
    const proxied = await startServer(newDatabase(), ['--port', '0', '--trust-proxy']);
    const status = async (scope: string) => {
      const bearer = await token(proxied.database, 'Ada', '--scope', scope);
      const forwarded = { 'X-Forwarded-For': '203.0.113.7', Authorization: `Bearer ${bearer}` };
      return (await fetch(`${proxied.url}/metrics`, { headers: forwarded })).status;
    };
    expect([await status('write'), await status('admin')]).toEqual([403, 200]);
  });

  test('limits the calls of a token, and the wrong tokens of an address', async () => {
    const limited = await startServer(newDatabase(), ['--port', '0', '--rate-limit', '3']);
    const statuses = (bearer: string, calls: number) =>
      Promise.all(Array.from({ length: calls }, async () => (await post(limited, bearer, 'patterns', {})).status));
    expect(await statuses(await token(limited.database, 'Ada'), 12)).toContain(429);
    expect(await statuses('argus_0123', 25)).toContain(429);
    // Others at the same address are not limited.
    expect(await statuses(await token(limited.database, 'Bob'), 1)).toEqual([200]);
  });

  test('speaks TLS', async () => {
    const folder = project();
    const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2', '-nodes'];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-keyout', key, '-out', cert, ...subject], {
      stdio: 'pipe',
    });
    const args = ['--port', '0', '--host', '0.0.0.0', '--tls-cert', cert, '--tls-key', key];
    const secure = await startServer(newDatabase(), args);
    const asked = get({ host: '127.0.0.1', port: secure.port, path: '/healthz', ca: readFileSync(cert) });
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
  });

  test.each([
    ['an unwritable database', ['--database', 'README.md/argus.db'], 'DATABASE_UNAVAILABLE: '],
    ['an address that others can read along', ['--host', '0.0.0.0'], '--tls-cert'],
    ['a certificate without its key', ['--tls-cert', 'cert.pem'], '--tls-key'],
  ])('does not start with %s, and names the fix', async (_, args, said) => {
    const cwd = project({ 'README.md': '' });
    const { status, stderr } = await argus(['serve', '--port', '0', '--database', 'server.db', ...args], { cwd });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(said) });
  });

  test.each([
    [['migrate'], 'This is for a database on PostgreSQL'],
    [['backup', 'shop', 'copy.db'], 'This is for a database on PostgreSQL'],
  ])('argus %j refuses a database in a file', async (args, said) => {
    const { status, stderr } = await argus([...args, '--database', newDatabase()]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(said) });
  });

  test('names an unreachable PostgreSQL without its password', async () => {
    const database = 'postgres://ada:hunter2@127.0.0.1:1/argus';
    const { status, stderr } = await argus(['token', 'list', '--database', database]);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('check host and port of its URL'),
    });
    expect(stderr).toContain('The database server does not answer');
    expect(stderr).not.toContain('hunter2');
  });

  test('logs no bodies, and denials appear in the audit log', async () => {
    const bearer = await token(server.database, 'Ada', '--scope', 'read');
    await post(server, bearer, 'addIncident', { ...INCIDENT, title: 'Planted title of a body' });
    expect(server.log()).not.toContain('Planted title');
    expect(server.log()).toMatch(/"status":403.*"call":"addIncident"/u);
    const { entries } = JSON.parse((await argus(['token', 'audit', '--database', server.database, '--json'])).stdout);
    const denied = { action: 'addIncident', isDenied: true, project: 'shop', tokenId: bearer.split('_')[1] };
    expect(entries).toEqual(expect.arrayContaining([expect.objectContaining(denied)]));
    expect(entries).toEqual(expect.arrayContaining([expect.objectContaining({ action: 'token create' })]));
  });

  test('ends after the calls in flight, and waits for no idle connection', async () => {
    const database = newDatabase();
    const serving = startArgus(['serve', '--database', database, '--port', '0']);
    const [, url = ''] = await serving.prints(/"url":"([^"]+)"/u);
    const bearer = await token(database, 'Ada');
    const call = { protocol: 1, callId: uuidV7(), now: Date.now(), method: 'patterns', params: {} };
    const body = JSON.stringify(call);
    // The server answers 100 after it has read the headers; from then on the call is in flight.
    const slow = request(`${url}/v1/projects/shop/call`, {
      method: 'POST',
      headers: { ...headers(bearer), Expect: '100-continue', 'Content-Length': body.length },
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
    // The server closes a connection that stays open after 10 seconds.
    expect(performance.now() - began).toBeLessThan(8_000);
  });
});
