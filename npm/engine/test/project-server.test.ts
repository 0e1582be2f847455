/**
 * Tests time limits and retries of calls, and the release of their connections. tests/e2e/team/interrupted.full.test.ts
 * tests them on PostgreSQL.
 */
import { expect, test } from 'vitest';
import { openProjectServer, type SqlConnection, SqlError } from '../src/node.ts';

const LOCKED_ERROR = { code: 'DATABASE_LOCKED' };

/**
 * Creates a pool whose connections use `send`. `open` counts the connections that were not released, and `broken`
 * counts those that were released as broken.
 */
function fakePool(send: SqlConnection['send']) {
  const seen = { open: 0, broken: 0 };
  const release = (isBroken: boolean) => {
    seen.open -= 1;
    seen.broken += isBroken ? 1 : 0;
  };
  const connect = async () => {
    seen.open += 1;
    return { send, release };
  };
  return { seen, pool: { connect, close: async () => {} } };
}

test.each([
  ['no answer came', '', true],
  ['another transaction came in between', '40001', true],
  ['two transactions waited for each other', '40P01', true],
  ['the server shuts down', '57P01', true],
  ['the server is a standby', '25006', true],
  ['the statement is wrong', '42601', false],
])('if %s, repeats the call: %s %s', async (_, code, isTriedAgain) => {
  let sent = 0;
  const { pool } = fakePool(async () => {
    sent += 1;
    throw sent === 1 ? new SqlError(code, 'the first time') : new Error('the second time');
  });
  const server = openProjectServer({ pool });
  await expect(server.state()).rejects.toThrow(isTriedAgain ? 'the second time' : 'the first time');
});

test('refuses a call that keeps failing, and releases its connection', async () => {
  const { pool, seen } = fakePool(() => Promise.reject(new SqlError('40001', 'could not serialize access')));
  const server = openProjectServer({ pool, tryAgainMs: 50 });
  await expect(server.state()).rejects.toMatchObject(LOCKED_ERROR);
  await expect.poll(() => seen.open).toBe(0);
});

test('closes the connection of a call that exceeds its time limit', async () => {
  const { pool, seen } = fakePool(() => new Promise(() => {}));
  const server = openProjectServer({ pool, callMs: 10 });
  await expect(server.state()).rejects.toMatchObject(LOCKED_ERROR);
  expect(seen).toEqual({ open: 0, broken: 1 });
});

test('returns a connection that arrives too late to the pool', async () => {
  let connected: (connection: SqlConnection) => void = () => {};
  const connection = new Promise<SqlConnection>((resolve) => {
    connected = resolve;
  });
  const pool = { connect: () => connection, close: async () => {} };
  const server = openProjectServer({ pool, callMs: 10 });
  await expect(server.state()).rejects.toMatchObject(LOCKED_ERROR);
  const released = new Promise<boolean>((release) => {
    connected({ send: () => Promise.reject(new Error('the call is over')), release });
  });
  expect(await released).toBe(false);
});

test('rejects the running call and the waiting calls when the server closes', async () => {
  let isAsked: () => void = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const connect = () => {
    isAsked();
    return new Promise<SqlConnection>(() => {});
  };
  const server = openProjectServer({ pool: { connect, close: async () => {} }, workers: 1 });
  const calls = Promise.allSettled([server.state(), server.state()]);
  await asked;
  await server.close();
  expect(await calls).toMatchObject([
    { status: 'rejected', reason: { code: 'INTERNAL_ERROR' } },
    { status: 'rejected', reason: { code: 'DATABASE_UNAVAILABLE' } },
  ]);
  await expect(server.state()).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
});

test('refuses a call that finds no free thread in time', async () => {
  const pool = { connect: () => new Promise<SqlConnection>(() => {}), close: async () => {} };
  const server = openProjectServer({ pool, workers: 1, callMs: 50 });
  const calls = await Promise.allSettled([server.state(), server.state()]);
  expect(calls).toMatchObject([
    { reason: LOCKED_ERROR },
    { reason: { message: expect.stringContaining('All 1 threads') } },
  ]);
  await server.close();
});
