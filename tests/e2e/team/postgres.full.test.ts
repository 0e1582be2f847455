/**
 * A team's server on PostgreSQL: rights to change its schema, operation, connections and poolers.
 * crates/store/tests/it/postgres.rs and crates/engine/src/tests/databases test calls on PostgreSQL.
 */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openEngine } from 'argus-engine';
import { expect, onTestFinished } from 'vitest';
import { PostgresPool } from '../../../packages/mcp/src/team/server/storage/postgres-pool.ts';
import { testWith } from '../../programs.ts';
import { argus } from '../argus.ts';
import { createProject } from '../harness.ts';
import { createMigratedDatabase, getPostgres, testOnPostgres } from './postgres.ts';
import { createToken, postCall, requestHeaders, startServer } from './team.ts';

const INCIDENT = { title: 'The boiler is cold', steps: 'Relight the pilot flame.', worked: true, env: {} };
const SEARCH_PARAMS = { query_text: INCIDENT.title, env: {} };

/** Creates a migrated database, a server on it, and a token. */
async function startPostgresServer() {
  const database = await createMigratedDatabase();
  return { database, server: await startServer(database), bearer: await createToken(database, 'Ada') };
}

testOnPostgres('serve and token change no schema and name the command that does', async () => {
  const database = await getPostgres().newDatabase();
  const refused = await argus(['serve', '--database', database, '--port', '0']);
  expect(refused).toMatchObject({ status: 2, stdout: '' });
  expect(refused.stderr).toContain("the server's own schema does not exist yet. Run: argus migrate --database URL");
  expect((await argus(['token', 'list', '--database', database])).stderr).toContain('argus migrate');
  const first = await argus(['migrate', '--database', database, '--json']);
  const { host, pathname } = new URL(database);
  expect(JSON.parse(first.stdout)).toEqual({ database: `postgres://${host}${pathname}`, projects: [] });
  expect((await argus(['migrate', '--database', database, '--json'])).stdout).toBe(first.stdout);
  await startServer(database);
});

testOnPostgres.each([
  ['an unknown user', 'nobody', undefined, /rejects this user.+role "nobody" does not exist/u],
  ['an unknown database', 'argus', '/nothing', /database name in its URL.+"nothing" does not exist/u],
  ['a user without rights', 'weak', undefined, /needs CREATE on the database, CREATEROLE.+\[42501\]/u],
])('migrate refuses %s with what is needed', async (_, user, name, said) => {
  const { host, pathname } = new URL(await getPostgres().newDatabase());
  if (user === 'weak') await getPostgres().query('CREATE ROLE weak LOGIN');
  const refused = await argus(['migrate', '--database', `postgres://${user}@${host}${name ?? pathname}`]);
  expect(refused).toMatchObject({ status: 2, stderr: expect.stringMatching(said) });
});

testOnPostgres("the manual's commands create a sufficient user and database", async () => {
  const { host } = new URL(await getPostgres().newDatabase());
  await getPostgres().query("CREATE ROLE apart LOGIN CREATEROLE PASSWORD 'secret'");
  await getPostgres().query('CREATE DATABASE apart OWNER apart');
  await getPostgres().query('REVOKE CONNECT ON DATABASE apart FROM PUBLIC');
  const database = `postgres://apart@${host}/apart`;
  expect(await argus(['migrate', '--database', database])).toMatchObject({ status: 0 });
  const ada = await createToken(database, 'Ada');
  expect(await postCall(await startServer(database), ada, 'addIncident', INCIDENT)).toMatchObject({ status: 200 });
  // Roles belong to the whole cluster, so a user of another database must not get access to this database.
  await getPostgres().query('CREATE ROLE second LOGIN CREATEROLE');
  const refused = (await argus(['migrate', '--database', `postgres://second@${host}/apart`])).stderr;
  expect(refused).toMatch(/permission denied for database "apart"/u);
});

testOnPostgres('notifies an open page of a write to its project', async () => {
  const { server, bearer } = await startPostgresServer();
  const events = await fetch(`${server.url}/p/shop/api/events`, { headers: requestHeaders(bearer) });
  const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
  // Writes until the change is noticed, because the server polls every two seconds and ignores the first answer.
  let said = '';
  const noticed = (async () => {
    while (!said.includes('changed')) said += (await reader?.read())?.value;
  })();
  for (let at = 0; !said.includes('changed'); at += 1) {
    await postCall(server, bearer, 'addIncident', { ...INCIDENT, title: `The till ${at} is stuck`, force: true });
  }
  await noticed;
  await reader?.cancel();
});

testWith('PostgreSQL', 'sqlite3')(
  'backup writes a copy of a project that argus opens, and overwrites nothing',
  async () => {
    const { database, server, bearer } = await startPostgresServer();
    await postCall(server, bearer, 'addIncident', INCIDENT);
    const file = path.join(createProject(), 'copy.db');
    const backup = (name: string, to: string) => argus(['backup', name, to, '--database', database]);
    expect(await backup('shop', file)).toMatchObject({ status: 0 });
    const copy = await openEngine({ databasePath: file, projectRoot: '/', locale: 'en' });
    expect((await copy.rankedSolutions(SEARCH_PARAMS)).incidents).toMatchObject([{ title: INCIDENT.title }]);
    await copy.addIncident({ ...INCIDENT, title: 'The till is stuck' });
    await copy.close();
    expect(execFileSync('sqlite3', [file, 'pragma integrity_check'], { encoding: 'utf8' })).toBe('ok\n');
    expect((await backup('shop', file)).stderr).toContain('already exists');
    expect((await backup('bank', `${file}2`)).stderr).toContain('The projects are shop.');
    expect(existsSync(`${file}2`)).toBe(false);
  },
);

const testBehindPooler = testWith('PostgreSQL', 'pgbouncer');

testBehindPooler('a pooler that gives each transaction another connection loses no call', async () => {
  const pooled = await startPgBouncer();
  const database = await createMigratedDatabase();
  const server = await startServer(pooled(database));
  const bearer = await createToken(database, 'Ada');
  const all = Array.from({ length: 12 }, (_, at) => {
    const incident = { ...INCIDENT, title: `The boiler ${at} is cold`, force: true };
    return postCall(server, bearer, 'addIncident', incident, { project: `p${at % 3}` });
  });
  for (const answer of await Promise.all(all)) expect(answer, server.log()).toMatchObject({ status: 200 });
  for (const name of ['p0', 'p1', 'p2']) {
    const { body } = await postCall(server, bearer, 'memoryExport', {}, { project: name });
    expect(body).toMatchObject({ result: { total: 4 } });
  }
});

const HELLO_STATEMENT = { sql: 'SELECT $1::text AS said', params: ['hello'] };

/** Takes a connection of a pool. `prepared` returns how often the connection has prepared `HELLO_STATEMENT`. */
async function connectToPool(url: string) {
  const pool = new PostgresPool(url);
  const connection = await pool.connect();
  onTestFinished(async () => {
    connection.release(false);
    await pool.close();
  });
  const sql = "SELECT count(*)::text FROM pg_prepared_statements WHERE statement LIKE '%said'";
  return { connection, prepared: async () => (await connection.send([{ sql, params: [] }]))[0]?.rows[0]?.[0] };
}

testOnPostgres('statements are prepared on a direct connection, until a pooler is noticed', async () => {
  const { connection, prepared } = await connectToPool(getPostgres().url);
  await connection.send([HELLO_STATEMENT]);
  await connection.send([HELLO_STATEMENT, HELLO_STATEMENT]);
  expect(await prepared()).toBe('1');
  // Simulates a pooler that gives the next transaction another backend.
  await connection.send([{ sql: 'DEALLOCATE ALL', params: [] }]);
  await expect(connection.send([HELLO_STATEMENT])).rejects.toMatchObject({ code: '26000' });
  expect((await connection.send([HELLO_STATEMENT]))[0]?.rows).toEqual([['hello']]);
  expect(await prepared()).toBe('0');
});

testBehindPooler('prepares no statement behind a pooler', async () => {
  const pooled = await startPgBouncer();
  const { connection, prepared } = await connectToPool(pooled(getPostgres().url));
  await connection.send([HELLO_STATEMENT]);
  expect(await prepared()).toBe('0');
});

/**
 * Starts a pooler with two connections. Resolves with a function that converts a database URL to a URL of the pooler.
 */
async function startPgBouncer(): Promise<(database: string) => string> {
  const folder = createProject();
  const { port: behind } = getPostgres();
  const port = behind + 1;
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${behind} user=argus`,
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
  const child = spawn('pgbouncer', [...(asRoot ? ['-u', 'postgres'] : []), file], { stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const socket = createConnection(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  // Polls, because PgBouncer does not report when it listens.
  while (!(await answers())) await delay(50);
  return (database) => database.replace(`:${behind}/`, `:${port}/`);
}
