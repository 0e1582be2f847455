/** The memories of a server, over a pool of connections that are none of a database. */
import { expect, test } from 'vitest';
import { openProjectServer, type SqlConnection } from '../src/node.ts';

test('a connection that comes after the time of its call goes back to the pool', async () => {
  let connected: (connection: SqlConnection) => void = () => {};
  const connection = new Promise<SqlConnection>((resolve) => {
    connected = resolve;
  });
  const pool = { connect: () => connection, close: async () => {} };
  const server = openProjectServer({ pool, locale: 'en', callMs: 10 });
  await expect(server.state()).rejects.toMatchObject({ code: 'DATABASE_LOCKED' });
  const released = new Promise<boolean>((release) => {
    connected({ send: () => Promise.reject(new Error('the call is over')), release });
  });
  expect(await released).toBe(false);
});
