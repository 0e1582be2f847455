/** The server of a team on PostgreSQL: who may change its schema, what a project sees, what an operator does with it. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openEngine } from 'argus-engine';
import { v7 as uuidV7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startPostgres } from '../../../.scripts/lib/postgres.mjs';
import { Auth } from '../../../packages/mcp/src/team/server/auth.ts';
import { PostgresPool } from '../../../packages/mcp/src/team/server/storage/postgres-pool.ts';
import { PostgresProjects } from '../../../packages/mcp/src/team/server/storage/postgres-projects.ts';
import { TeamServer } from '../../../packages/mcp/src/team/server/team-server.ts';
import { argus } from '../argus.ts';
import { project, someUser } from '../harness.ts';
import { headers, post, repository, secretOf, startServer, stopServers, token } from './team.ts';

const INCIDENT = { title: 'The boiler is cold', steps: 'Relight the pilot flame.', worked: true, env: {} };
const RUN = { timedOut: false, reports: [], containers: [], notes: [] };
const CASE = { suite: [], name: 'tunes', status: 'failed', flaky: false, attempts: 1 };
const SEARCH = { query_text: 'The boiler is cold', env: {} };

let postgres: Awaited<ReturnType<typeof startPostgres>>;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  stopServers();
  await postgres.stop();
});

async function migrated(): Promise<string> {
  const database = await postgres.newDatabase();
  expect(await argus(['migrate', '--database', database])).toMatchObject({ status: 0 });
  return database;
}

test('serve changes no schema and names the command that does', async () => {
  const database = await postgres.newDatabase();
  const refused = await argus(['serve', '--database', database, '--port', '0']);
  expect(refused).toMatchObject({ status: 2, stdout: '' });
  expect(refused.stderr).toContain("the server's own schema is not there yet. Run: argus migrate --database URL");
  expect((await argus(['token', 'list', '--database', database])).stderr).toContain('argus migrate');
  const first = await argus(['migrate', '--database', database, '--json']);
  expect(JSON.parse(first.stdout)).toEqual({
    database: `postgres://127.0.0.1:${postgres.port}/argus_test_1`,
    projects: [],
  });
  expect((await argus(['migrate', '--database', database, '--json'])).stdout).toBe(first.stdout);
  await (await startServer(database)).stop();
});

test('a database that is not there is said to be so, without its password', async () => {
  const { status, stderr } = await argus(['token', 'list', '--database', 'postgres://ada:hunter2@127.0.0.1:1/argus']);
  expect(status).toBe(2);
  expect(stderr).toContain('The database server does not answer');
  expect(stderr).not.toContain('hunter2');
  expect(stderr).toContain('check host and port of its URL');
});

test('a user of the database that cannot make what is needed is told what it needs', async () => {
  const database = new URL(await postgres.newDatabase());
  const as = async (user: string, name = database.pathname) => {
    const { status, stderr } = await argus(['migrate', '--database', `postgres://${user}@${database.host}${name}`]);
    expect(status).toBe(2);
    return stderr;
  };
  expect(await as('nobody')).toMatch(/does not let this user in.+role "nobody" does not exist/u);
  expect(await as('argus', '/nothing')).toMatch(/name of the database in its URL.+"nothing" does not exist/u);
  await postgres.query('CREATE ROLE weak LOGIN');
  expect(await as('weak')).toMatch(/needs CREATE on the database, CREATEROLE.+\[42501\]/u);
});

test('a user and a database that are made as the manual says are all that is needed', async () => {
  const { host } = new URL(await postgres.newDatabase());
  await postgres.query("CREATE ROLE apart LOGIN CREATEROLE PASSWORD 'secret'");
  await postgres.query('CREATE DATABASE apart OWNER apart');
  await postgres.query('REVOKE CONNECT ON DATABASE apart FROM PUBLIC');
  const database = `postgres://apart@${host}/apart`;
  expect(await argus(['migrate', '--database', database])).toMatchObject({ status: 0 });
  const server = await startServer(database);
  const ada = await token(database, 'Ada');
  expect(await post(server, ada, 'addIncident', INCIDENT)).toMatchObject({ status: 200 });
  await server.stop();
  // Roles are the cluster's: who may log in to another of its databases must not be let into this one.
  await postgres.query('CREATE ROLE second LOGIN CREATEROLE');
  const refused = (await argus(['migrate', '--database', `postgres://second@${host}/apart`])).stderr;
  expect(refused).toMatch(/permission denied for database "apart"/u);
});

test('the memory of a server on a file is carried over by a machine that pulls it and pushes it', async () => {
  const [old, database] = [await startServer(), await migrated()];
  const next = await startServer(database);
  const bearer = await token(old.database, 'Ada');
  await post(old, bearer, 'addIncident', INCIDENT);
  const run = { ...RUN, cases: [{ ...CASE, error: 'Error: the flux capacitor is out of tune' }] };
  const { result } = z
    .object({ result: z.object({ runId: z.string() }) })
    .parse((await post(old, bearer, 'recordRun', run)).body);
  const failure = { runId: result.runId, caseName: 'tunes' };
  await post(old, bearer, 'diagnose', failure);
  await post(old, bearer, 'reportFix', { ...failure, fixDescription: 'Tuned it.', success: true });

  const root = repository();
  const env = { ...someUser(), ARGUS_TEAM_TOKEN: bearer };
  const team = (args: string[], more = env) => argus(['team', ...args, '--project', root], { env: more });
  expect((await team(['join', old.url, '--as', 'shop'])).status).toBe(0);
  expect((await team(['pull'])).stdout).toContain('1 learned pattern copied, 1 of them new');
  await old.stop();
  const moved = { ...env, ARGUS_TEAM_TOKEN: await token(database, 'Ada') };
  expect((await team(['join', next.url, '--as', 'shop'], moved)).status).toBe(0);
  expect(await team(['push'], moved)).toMatchObject({
    status: 0,
    stdout: '1 incident copied, 1 of them new\n1 learned pattern copied, 1 of them new\n',
  });
  const { body } = await post(next, moved.ARGUS_TEAM_TOKEN, 'patterns', { source: 'learned' });
  expect(body).toMatchObject({ result: { patterns: [{ suggestedFix: 'Tuned it.', occurrences: 1, resolutions: 1 }] } });
});

test('a call is made once, whichever of its servers is asked', async () => {
  const database = await migrated();
  const [one, other] = [await startServer(database), await startServer(database)];
  const bearer = await token(database, 'Ada');
  const callId = uuidV7();
  const added = await post(one, bearer, 'addIncident', INCIDENT, { callId });
  expect(added).toMatchObject({ status: 200, body: { result: { created: true } } });
  expect(await post(other, bearer, 'addIncident', INCIDENT, { callId })).toEqual(added);
  expect((await post(other, bearer, 'overview', {})).status).toBe(200);
});

test('a call that takes too long is answered as such while others go on; made again, it was made once', async () => {
  const database = await migrated();
  const bearer = await token(database, 'Ada');
  const projects = new PostgresProjects(database, {});
  const auth = new Auth(() => projects.own());
  const settings = { callsPerSecond: 200, trustsProxy: false, tls: undefined, mcp: async () => {}, callMs: 4_000 };
  const server = new TeamServer({ ...settings, projects, auth });
  await once(server.http.listen(0, '127.0.0.1'), 'listening');
  const address = server.http.address();
  const it = { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}` };
  expect((await post(it, bearer, 'addIncident', INCIDENT)).status).toBe(200);

  // Another writer does not end.
  const pool = new PostgresPool(database);
  const writer = await pool.connect();
  const say = (sql: string) => writer.send([{ sql, params: [] }]);
  await say('BEGIN');
  await say('SELECT * FROM argus_shop.writer FOR UPDATE');
  const late = { title: 'The till is stuck', steps: 'Pull harder.', worked: true, env: {} };
  const again = { callId: uuidV7() };
  const [slow, reading, other] = await Promise.all([
    post(it, bearer, 'addIncident', late, again),
    post(it, bearer, 'memoryExport', {}),
    post(it, bearer, 'addIncident', INCIDENT, { project: 'other' }),
  ]);
  expect(slow).toEqual({
    status: 503,
    body: {
      error: { code: 'DATABASE_LOCKED', message: 'The call takes too long. Make it again with the same callId.' },
    },
  });
  expect(reading).toMatchObject({ status: 200, body: { result: { total: 1 } } });
  expect(other.status).toBe(200);

  await say('ROLLBACK');
  writer.release(false);
  await pool.close();
  const made = await post(it, bearer, 'addIncident', late, again);
  expect(made).toMatchObject({ status: 200, body: { result: { created: true } } });
  expect(await post(it, bearer, 'addIncident', late, again)).toEqual(made);
  expect(await post(it, bearer, 'memoryExport', {})).toMatchObject({ body: { result: { total: 2 } } });
  await server.close(1_000);
});

test('a project is in a schema of its own, and its memory in no other', async () => {
  const database = await migrated();
  const server = await startServer(database);
  const bearer = await token(database, 'Ada', '--scope', 'edit');
  const none = { body: { result: { incidents: [] } } };
  expect(await post(server, bearer, 'rankedSolutions', SEARCH, { project: 'two' })).toMatchObject(none);
  await post(server, bearer, 'addIncident', INCIDENT, { project: 'one' });
  expect(await post(server, bearer, 'rankedSolutions', SEARCH, { project: 'two' })).toMatchObject(none);
  expect(await post(server, bearer, 'rankedSolutions', SEARCH, { project: 'one' })).toMatchObject({
    body: { result: { incidents: [{ title: INCIDENT.title }] } },
  });
  const cookie = { Cookie: `argus_token=${bearer}` };
  const page = await (await fetch(`${server.url}/`, { headers: cookie })).text();
  expect(page.match(/href="[^"]+"/gu)).toEqual(['href="/p/one/"', 'href="/p/two/"']);
  const about = await (await fetch(`${server.url}/p/one/api/about`, { headers: cookie })).json();
  expect(about).toMatchObject({ project: 'one', database: 'one' });
});

test('a page is told when somebody wrote', async () => {
  const database = await migrated();
  const server = await startServer(database);
  const bearer = await token(database, 'Ada');
  await post(server, bearer, 'addIncident', INCIDENT);
  const events = await fetch(`${server.url}/p/shop/api/events`, { headers: headers(bearer) });
  const reader = events.body?.getReader();
  // It is looked at now and then, and what was before is no change.
  await delay(2_500);
  await post(server, bearer, 'addIncident', { ...INCIDENT, title: 'The till is stuck', force: true });
  let said = '';
  while (!said.includes('changed')) said += new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();
});

test('a copy of a project is a memory that argus opens', async () => {
  const database = await migrated();
  const server = await startServer(database);
  await post(server, await token(database, 'Ada'), 'addIncident', INCIDENT);
  const file = path.join(project(), 'copy.db');
  expect(await argus(['backup', 'shop', file, '--database', database])).toMatchObject({ status: 0 });
  const copy = await openEngine({ databasePath: file, projectRoot: '/', locale: 'en' });
  expect((await copy.rankedSolutions({ query_text: INCIDENT.title, env: {} })).incidents).toMatchObject([
    { title: INCIDENT.title },
  ]);
  await copy.addIncident({ ...INCIDENT, title: 'The till is stuck' });
  await copy.close();
  expect(execFileSync('sqlite3', [file, 'pragma integrity_check'], { encoding: 'utf8' })).toBe('ok\n');
  expect((await argus(['backup', 'shop', file, '--database', database])).stderr).toContain('is there already');
  expect((await argus(['backup', 'bank', `${file}2`, '--database', database])).stderr).toContain(
    'Those there are: shop.',
  );
  expect(existsSync(`${file}2`)).toBe(false);
});

test('no secret is in the database or in the log', async () => {
  const database = await migrated();
  const server = await startServer(database);
  const bearer = await token(database, 'Ada');
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  const outputTail = `SomethingBroke: token ${secret} was refused`;
  const run = { command: 'job', exitCode: 1, timedOut: false, reports: [], containers: [], notes: [], outputTail };
  const { body } = await post(server, bearer, 'recordRun', run);
  expect(JSON.stringify(body)).not.toContain(secret);
  await post(server, bearer, 'addIncident', { ...INCIDENT, title: `The token ${secret} is refused` });
  const dump = await postgres.dump(database);
  expect(dump).toContain('SomethingBroke');
  expect(dump).not.toContain(secret);
  expect(dump).not.toContain(secretOf(bearer));
  expect(server.log()).not.toContain(secret);
});

test.skipIf(process.platform === 'win32')(
  'a pooler that gives each transaction another connection is no obstacle',
  async () => {
    const database = await migrated();
    const pooled = await startPgBouncer();
    const server = await startServer(database.replace(String(postgres.port), String(pooled.port)));
    const bearer = await token(database, 'Ada');
    const all = Array.from({ length: 12 }, (_, at) =>
      post(
        server,
        bearer,
        'addIncident',
        { ...INCIDENT, title: `The boiler ${at} is cold`, force: true },
        { project: `p${at % 3}` },
      ),
    );
    for (const answer of await Promise.all(all)) expect(answer, server.log()).toMatchObject({ status: 200 });
    for (const name of ['p0', 'p1', 'p2']) {
      const { body } = await post(server, bearer, 'memoryExport', {}, { project: name });
      expect(body).toMatchObject({ result: { total: 4 } });
    }
    await pooled.stop();
  },
);

test('statements are prepared on a connection of its own, and no more once a pooler was noticed', async () => {
  const statement = { sql: 'SELECT $1::text AS said', params: ['hello'] };
  const prepared = {
    sql: 'SELECT count(*)::text FROM pg_prepared_statements WHERE statement LIKE $1',
    params: ['%said'],
  };
  const pool = new PostgresPool(postgres.url);
  const connection = await pool.connect();
  const countPrepared = async () => (await connection.send([prepared]))[0]?.rows[0]?.[0];
  await connection.send([statement]);
  await connection.send([statement, statement]);
  expect(await countPrepared()).toBe('1');
  // As if the next transaction had another backend.
  await connection.send([{ sql: 'DEALLOCATE ALL', params: [] }]);
  await expect(connection.send([statement])).rejects.toMatchObject({ code: '26000' });
  expect((await connection.send([statement]))[0]?.rows).toEqual([['hello']]);
  expect(await countPrepared()).toBe('0');
  connection.release(false);
  await pool.close();
});

test('behind a pooler no statement is prepared', async () => {
  const pooled = await startPgBouncer();
  const pool = new PostgresPool(postgres.url.replace(String(postgres.port), String(pooled.port)));
  const connection = await pool.connect();
  await connection.send([{ sql: 'SELECT $1::text AS said', params: ['hello'] }]);
  const [answer] = await connection.send([{ sql: 'SELECT count(*)::text FROM pg_prepared_statements', params: [] }]);
  expect(answer?.rows).toEqual([['0']]);
  connection.release(false);
  await pool.close();
  await pooled.stop();
});

/** Debian's, with two connections for all. */
async function startPgBouncer(): Promise<{ port: number; stop(): Promise<void> }> {
  const folder = project();
  const port = postgres.port + 1;
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${postgres.port} user=argus`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 2',
  ];
  const file = path.join(folder, 'pgbouncer.ini');
  writeFileSync(file, settings.join('\n'));
  const asRoot = process.getuid?.() === 0;
  if (asRoot) execFileSync('chown', ['-R', 'postgres', folder]);
  const child = spawn('pgbouncer', [...(asRoot ? ['-u', 'postgres'] : []), file], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (let answers = false; !answers; ) {
    const socket = createConnection(port, '127.0.0.1');
    answers = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (!answers) await delay(50);
  }
  return {
    port,
    stop: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
