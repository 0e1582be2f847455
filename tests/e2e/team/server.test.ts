/** The server of a team: who may do what, and that a call is made once. What a machine does with it: joining.test.ts. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { get } from 'node:https';
import path from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { argus } from '../argus.ts';
import { project } from '../harness.ts';
import { headers, newDatabase, post, secretOf, startServer, stopServers, type TeamServer, token } from './team.ts';

let server: TeamServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(stopServers);

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
    // There is no such pattern, which only who may edit is told.
    expect((await post(server, bearer, 'editPattern', { id: 'pat-1', description: 'Cold' })).status).toBe(editing);
  });

  test('a token for one project is none for another', async () => {
    const bearer = await token(server.database, 'CI', '--project', 'shop', 'till');
    expect((await post(server, bearer, 'patterns', {}, { project: 'till' })).status).toBe(200);
    const { status, body } = await post(server, bearer, 'patterns', {}, { project: 'bank' });
    expect({ status, body }).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
  });

  test('what one project has learned is not in another', async () => {
    const bearer = await token(server.database, 'Ada');
    await post(server, bearer, 'addIncident', INCIDENT, { project: 'one' });
    expect((await post(server, bearer, 'rankedSolutions', SEARCH, { project: 'two' })).body).toMatchObject({
      result: { incidents: [] },
    });
  });

  test('a revoked token opens nothing, on a server that runs', async () => {
    const bearer = await token(server.database, 'Bob');
    expect((await post(server, bearer, 'patterns', {})).status).toBe(200);
    const [, id = ''] = bearer.split('_');
    expect((await argus(['token', 'revoke', id, '--database', server.database])).stdout).toContain('revoked');
    await expect.poll(async () => (await post(server, bearer, 'patterns', {})).status, { timeout: 10_000 }).toBe(401);
    expect((await argus(['token', 'revoke', id, '--database', server.database])).status).toBe(2);
  });

  test('an expired one neither; a wrong secret, and none, are the same', async () => {
    const [, id] = (await token(server.database, 'Eve')).split('_');
    for (const bearer of [
      `argus_${id}_${'A'.repeat(43)}`,
      'argus_0123',
      await token(server.database, 'Old', '--expires', '0'),
    ]) {
      expect(await post(server, bearer, 'patterns', {})).toMatchObject({
        status: 401,
        body: { error: { code: 'UNAUTHORIZED' } },
      });
    }
  });

  test('the secret is kept nowhere', async () => {
    const bearer = await token(server.database, 'Ada');
    const secret = secretOf(bearer);
    await post(server, bearer, 'addIncident', INCIDENT);
    const kept = [readFileSync(server.database), Buffer.from(server.log())];
    expect(kept.some((bytes) => bytes.includes(secret))).toBe(false);
    expect((await argus(['token', 'list', '--database', server.database, '--json'])).stdout).not.toMatch(
      /digest|"token"/u,
    );
  });
});

describe('a call', () => {
  test('that is made again answers what it answered, and is made once', async () => {
    const bearer = await token(server.database, 'Ada');
    const again = { callId: uuidV7(), project: 'again' };
    const first = await post(server, bearer, 'addIncident', INCIDENT, again);
    expect(await post(server, bearer, 'addIncident', INCIDENT, again)).toEqual(first);
    const other = await post(server, bearer, 'rankedSolutions', SEARCH, again);
    expect(other).toMatchObject({ status: 400, body: { error: { code: 'INVALID_INPUT' } } });
    const { body } = await post(server, bearer, 'rankedSolutions', SEARCH, { project: 'again' });
    expect(body).toMatchObject({ result: { incidents: [{ title: INCIDENT.title }] } });
  });

  test('carries whose token it was, whatever the machine says of itself', async () => {
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
    const { status, body } = await post(
      server,
      await token(server.database, 'Ada', '--scope', 'admin'),
      method,
      params,
      more,
    );
    expect({ status, body }).toMatchObject({ status: 400, body: { error: { message: expect.any(String) } } });
  });

  test('of more than 32 MiB is refused, and nothing of it recorded', async () => {
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
  test('says what it is to whoever has a token', async () => {
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

  test('says that it lives, and counts', async () => {
    expect(await (await fetch(`${server.url}/healthz`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ status: 'ready' });
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/argus_requests_total\{call="patterns",status="200"\} \d+/u);
  });

  test('shows metrics to nobody behind a proxy but an admin', async () => {
    const proxied = await startServer(newDatabase(), ['--port', '0', '--trust-proxy']);
    const forwarded = { 'X-Forwarded-For': '203.0.113.7' };
    const asked = (bearer: string) =>
      fetch(`${proxied.url}/metrics`, { headers: { ...forwarded, Authorization: `Bearer ${bearer}` } });
    expect((await asked(await token(proxied.database, 'Ada'))).status).toBe(403);
    expect((await asked(await token(proxied.database, 'Root', '--scope', 'admin'))).status).toBe(200);
  });

  test('takes only so many calls of one token, and so many wrong ones of one address', async () => {
    const limited = await startServer(newDatabase(), ['--port', '0', '--rate-limit', '3']);
    const bearer = await token(limited.database, 'Ada');
    const calls = Array.from({ length: 12 }, () => post(limited, bearer, 'patterns', {}));
    expect((await Promise.all(calls)).map(({ status }) => status)).toContain(429);
    const wrong = Array.from({ length: 25 }, () => post(limited, 'argus_0123', 'patterns', {}));
    expect((await Promise.all(wrong)).map(({ status }) => status)).toContain(429);
    // The others of the same office go on.
    const other = await token(limited.database, 'Bob');
    expect((await post(limited, other, 'patterns', {})).status).toBe(200);
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
    expect((await argus(['serve', '--tls-cert', cert])).stderr).toContain('--tls-key');
  });

  test('says where it cannot keep anything', async () => {
    const folder = path.join(project({ taken: '' }), 'taken');
    const { status, stderr } = await argus(['serve', '--port', '0', '--database', path.join(folder, 'argus.db')]);
    expect(status).toBe(2);
    expect(stderr).toContain(`DATABASE_UNAVAILABLE: ${folder} cannot be written`);
  });

  test('listens where others can read along only when told so', async () => {
    const args = ['serve', '--database', newDatabase(), '--host', '0.0.0.0', '--port', '0'];
    const { status, stderr } = await argus(args);
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('--tls-cert') });
  });

  test('logs no body, and denials are in the audit log', async () => {
    const bearer = await token(server.database, 'Ada', '--scope', 'read');
    await post(server, bearer, 'addIncident', { ...INCIDENT, title: 'Planted title of a body' });
    expect(server.log()).not.toContain('Planted title');
    expect(server.log()).toMatch(/"status":403.*"call":"addIncident"/u);
    const { entries } = JSON.parse((await argus(['token', 'audit', '--database', server.database, '--json'])).stdout);
    const denied = { action: 'addIncident', isDenied: true, project: 'shop', tokenId: bearer.split('_')[1] };
    expect(entries).toEqual(expect.arrayContaining([expect.objectContaining(denied)]));
    expect(entries).toEqual(expect.arrayContaining([expect.objectContaining({ action: 'token create' })]));
  });

  test('ends when it is told to, with the calls in flight', async () => {
    const ending = await startServer();
    const bearer = await token(ending.database, 'Ada');
    const slow = request(`${ending.url}/v1/projects/shop/call`, { method: 'POST', headers: headers(bearer) });
    const body = { protocol: 1, callId: uuidV7(), now: Date.now(), method: 'patterns', params: {} };
    const answered = new Promise<number | undefined>((resolve, reject) => {
      slow.once('response', (response) => resolve(response.statusCode));
      slow.once('error', reject);
    });
    slow.write(JSON.stringify(body).slice(0, 20));
    await expect.poll(() => ending.log()).toContain('listening');
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    const stopped = ending.stop();
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    slow.end(JSON.stringify(body).slice(20));
    expect(await answered).toBe(200);
    const began = Date.now();
    expect(await stopped).toBe(0);
    // Not for as long as the client would keep its connection.
    expect(Date.now() - began).toBeLessThan(4_000);
  });
});
