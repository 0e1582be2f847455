/**
 * A call on PostgreSQL that is interrupted at each of its round trips, before and after the server has done what it was
 * sent: it is begun anew, answers as if nothing had been, and is made once. Where the engine traps meanwhile, it is
 * rejected, and made once when it is made again.
 */

import path from 'node:path';
import {
  _trapAtWrite,
  openEngine,
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
import { project } from '../harness.ts';

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

/** Stops the instance that all engines of this process share. */
async function trap(): Promise<void> {
  const engine = await openEngine({ databasePath: path.join(project(), 'argus.db'), projectRoot: '/' });
  _trapAtWrite(1);
  await expect(engine.checkWrite()).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
}

const RESTARTED = { code: 'INTERNAL_ERROR', message: expect.stringContaining('Make it again') };

async function knownFailure(name: string) {
  const shop = server.project(name);
  const { runId, failures } = await shop.callOnce(
    'recordRun',
    { ...RUN, outputTail: 'SomethingBroke: the job could not be done' },
    call(),
  );
  const failure = { runId, caseName: failures[0]?.caseName ?? '' };
  await shop.callOnce('diagnose', failure, call());
  return { shop, failure };
}

test('one during which the engine traps is rejected, and made once when it is made again', async () => {
  const { shop, failure } = await knownFailure('trapped');
  pool.fail = async (connection, statements) => {
    const answers = await connection.send(statements);
    await trap();
    return answers;
  };
  let diagnoses = 1;
  for (let at = 0; ; at += 1) {
    pool.until = at;
    const again = call();
    const asked = shop.callOnce('diagnose', failure, again);
    const outcome = await asked.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const wasInterrupted = pool.until < 0;
    pool.until = -1;
    if (wasInterrupted) expect(outcome).toMatchObject(RESTARTED);
    const { pattern } = await shop.callOnce('diagnose', failure, again);
    diagnoses += 1;
    expect(pattern?.occurrences).toBe(diagnoses);
    if (!wasInterrupted) break;
  }
  expect(diagnoses).toBeGreaterThan(4);
});

test('a trap rejects all calls in flight, and others are answered at once', async () => {
  const { shop, failure } = await knownFailure('flying');
  const { shop: other, failure: ofOther } = await knownFailure('landed');
  const real = new PostgresPool(postgres.url);
  const [writer, onlooker] = [await real.connect(), await real.connect()];
  const statement = (sql: string) => ({ sql, params: [] });
  const waiting = statement("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
  const inFlight = async () => Number((await onlooker.send([waiting]))[0]?.rows[0]?.[0]);
  await writer.send(['BEGIN', 'SELECT * FROM argus_flying.writer FOR UPDATE'].map(statement));
  const calls = Array.from({ length: 6 }, call);
  const asked = Promise.allSettled(calls.map((one) => shop.callOnce('diagnose', failure, one)));
  await expect.poll(inFlight, { timeout: 7_000 }).toBe(calls.length);

  _trapAtWrite(1);
  await expect(server.backup('landed', path.join(project(), 'copy.db'))).rejects.toMatchObject({
    code: 'INTERNAL_ERROR',
  });
  expect((await other.callOnce('diagnose', ofOther, call())).pattern?.occurrences).toBe(2);
  expect(await inFlight(), 'the others still wait for their answer').toBe(calls.length);
  await writer.send([statement('ROLLBACK')]);
  for (const outcome of await asked) expect(outcome).toMatchObject({ status: 'rejected', reason: RESTARTED });

  await Promise.all(calls.map((one) => shop.callOnce('diagnose', failure, one)));
  expect((await shop.patterns({ source: 'learned' })).patterns).toMatchObject([{ occurrences: calls.length + 1 }]);
  for (const connection of [writer, onlooker]) connection.release(false);
  await real.close();
});
