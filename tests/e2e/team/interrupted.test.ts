/**
 * A call on PostgreSQL that is interrupted at each of its round trips, before and after the server has done what it was
 * sent: it is begun anew, answers as if nothing had been, and is made once.
 */

import {
  openProjectServer,
  type ProjectServer,
  type SqlAnswer,
  type SqlConnection,
  SqlError,
  type SqlPool,
  type SqlStatement,
} from 'argus-engine';
import { v7 as uuidV7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPostgres } from '../../../.scripts/lib/postgres.mjs';
import { PostgresPool } from '../../../packages/mcp/src/team/server/storage/postgres-pool.ts';

/** Connections of a real pool; what is sent in the round trip of this number fails once. */
class FailingPool implements SqlPool {
  readonly #pool: SqlPool;
  /** Counted down; none fails below zero. */
  until = -1;
  fail: (connection: SqlConnection, statements: readonly SqlStatement[]) => Promise<readonly SqlAnswer[]> = () =>
    Promise.reject(new SqlError('', 'nothing was said'));

  constructor(pool: SqlPool) {
    this.#pool = pool;
  }

  async connect(): Promise<SqlConnection> {
    const connection = await this.#pool.connect();
    return {
      send: (statements) => {
        const isBegun = this.until >= 0;
        this.until -= 1;
        return isBegun && this.until < 0 ? this.fail(connection, statements) : connection.send(statements);
      },
      release: (isBroken) => connection.release(isBroken),
    };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

const WAYS: Record<string, FailingPool['fail']> = {
  'another transaction came in between': () => Promise.reject(new SqlError('40001', 'could not serialize access')),
  'two waited for one another': () => Promise.reject(new SqlError('40P01', 'deadlock detected')),
  'the connection was lost before': () => Promise.reject(new SqlError('', 'Connection terminated unexpectedly')),
  'the connection was lost after': async (connection, statements) => {
    await connection.send(statements);
    throw new SqlError('', 'Connection terminated unexpectedly');
  },
  'the server was shut down': () => Promise.reject(new SqlError('57P01', 'terminating connection')),
};

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let pool: FailingPool;
let server: ProjectServer;
beforeAll(async () => {
  postgres = await startPostgres();
  pool = new FailingPool(new PostgresPool(postgres.url));
  server = openProjectServer({ pool, locale: 'en' });
  await server.migrate();
});
afterAll(async () => {
  await server.close();
  await postgres.stop();
});

const RUN = { command: 'job', exitCode: 1, timedOut: false, reports: [], containers: [], notes: [] };
const call = () => ({ callId: uuidV7(), now: Date.now(), recorder: {} });

test.each(Object.entries(WAYS))('%s', async (way, fail) => {
  const shop = server.project(`p${Object.keys(WAYS).indexOf(way)}`);
  const outputTail = 'SomethingBroke: the job could not be done';
  const { runId, failures } = await shop.callOnce('recordRun', { ...RUN, outputTail }, call());
  const caseName = failures[0]?.caseName ?? '';
  pool.fail = fail;
  let diagnoses = 0;
  for (let at = 0; ; at += 1) {
    pool.until = at;
    const { pattern, isNewPattern } = await shop.callOnce('diagnose', { runId, caseName }, call());
    const wasInterrupted = pool.until < 0;
    diagnoses += 1;
    expect(isNewPattern).toBe(diagnoses === 1);
    if (diagnoses > 1) expect(pattern?.occurrences).toBe(diagnoses);
    if (!wasInterrupted) break;
  }
  pool.until = -1;
  // As many as there are round trips, the first with its beginning and the last with its COMMIT.
  expect(diagnoses).toBeGreaterThan(8);
  const fix = { runId, caseName, fixDescription: 'Oil it.', success: true };
  for (let at = 0; ; at += 1) {
    pool.until = at;
    await shop.callOnce('reportFix', fix, call());
    if (pool.until >= 0) break;
  }
  pool.until = -1;
  const { patterns } = await shop.patterns({ source: 'learned' });
  expect(patterns).toMatchObject([{ occurrences: diagnoses, resolutions: 1 }]);
});

test('one that goes on being interrupted is answered as such, and leaves no connection open', async () => {
  const hurried = openProjectServer({ pool, locale: 'en', tryAgainMs: 100 });
  const pending = pool.fail;
  pool.fail = () => {
    pool.until = 0;
    return Promise.reject(new SqlError('40001', 'could not serialize access'));
  };
  pool.until = 0;
  await expect(hurried.project('shop').callOnce('checkWrite', {}, call())).rejects.toMatchObject({
    code: 'DATABASE_LOCKED',
  });
  pool.until = -1;
  pool.fail = pending;
  // Ten at most are open at once.
  await Promise.all(Array.from({ length: 20 }, () => server.project('shop').callOnce('checkWrite', {}, call())));
});

test('one that takes too long is answered as such', async () => {
  const hurried = openProjectServer({ pool, locale: 'en', callMs: 300 });
  pool.fail = () => new Promise(() => {});
  pool.until = 1;
  await expect(hurried.project('shop').callOnce('checkWrite', {}, call())).rejects.toMatchObject({
    code: 'DATABASE_LOCKED',
  });
  pool.until = -1;
  await server.project('shop').callOnce('checkWrite', {}, call());
});
