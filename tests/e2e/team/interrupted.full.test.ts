/**
 * A call on PostgreSQL that fails at each of its round trips, before and after the server has done its part: the call
 * is tried again, returns the same answer as without the failure, and is made once. If the engine traps at that time,
 * the call is rejected, and is stored once when the caller repeats it. npm/engine/test/project-server.test.ts tests
 * when a call gives up.
 */

import path from 'node:path';
import {
  openProjectServer,
  type SqlAnswer,
  type SqlConnection,
  SqlError,
  type SqlPool,
  type SqlStatement,
} from 'argus-engine';
import { v7 as uuidV7 } from 'uuid';
import { expect, onTestFinished } from 'vitest';
import { PostgresPool } from '../../../packages/mcp/src/team/server/storage/postgres-pool.ts';
import { createProject } from '../harness.ts';
import { getPostgres, testOnPostgres } from './postgres.ts';

type FailingSend = (connection: SqlConnection, statements: readonly SqlStatement[]) => Promise<readonly SqlAnswer[]>;

/** Wraps a real pool so that a chosen round trip fails. */
class FailingPool implements SqlPool {
  readonly #pool: SqlPool;
  readonly #fail: FailingSend;
  /** Number of round trips before the failure. With a negative number, no round trip fails. */
  until = -1;

  constructor(pool: SqlPool, fail: FailingSend) {
    this.#pool = pool;
    this.#fail = fail;
  }

  async connect(): Promise<SqlConnection> {
    const connection = await this.#pool.connect();
    return {
      send: (statements) => {
        const failsNow = this.until === 0;
        this.until -= 1;
        return failsNow ? this.#fail(connection, statements) : connection.send(statements);
      },
      release: (isBroken) => connection.release(isBroken),
    };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** Opens a server on a new database with round trips that can fail. */
async function openFailingServer(fail: FailingSend, workers = 8) {
  const url = await getPostgres().newDatabase();
  const pool = new FailingPool(new PostgresPool(url), fail);
  const server = openProjectServer({ pool, workers });
  onTestFinished(() => server.close());
  await server.migrate();
  return { pool, server, url };
}

const createCaller = () => ({ callId: uuidV7(), now: Date.now(), recorder: {} });

type Server = Awaited<ReturnType<typeof openFailingServer>>['server'];

async function createProjectWithFailure(server: Server, name: string) {
  const shop = server.project(name);
  const run = { command: 'job', exitCode: 1, timedOut: false, reports: [], containers: [], notes: [] };
  const outputTail = 'SomethingBroke: the job could not be done';
  const { runId, failures } = await shop.callOnce('recordRun', { ...run, outputTail }, createCaller());
  return { shop, failure: { runId, caseName: failures[0]?.caseName ?? '' } };
}

/**
 * Makes a call that fails at its first round trip, then a call that fails at its second, and so on until no round trip
 * fails, and checks each outcome. Resolves with the number of calls.
 */
async function failAtEachRoundTrip<T>(
  pool: FailingPool,
  make: () => Promise<T>,
  check: (outcome: T, hasFailed: boolean) => Promise<void> | void = () => {},
): Promise<number> {
  for (let at = 0; ; at += 1) {
    pool.until = at;
    const outcome = await make();
    const hasFailed = pool.until < 0;
    pool.until = -1;
    await check(outcome, hasFailed);
    if (!hasFailed) return at + 1;
  }
}

const lostConnectionError = () => new SqlError('', 'Connection terminated unexpectedly');

const FAILURE_KINDS: [string, FailingSend][] = [
  ['another transaction came in between', () => Promise.reject(new SqlError('40001', 'could not serialize access'))],
  ['two transactions waited for each other', () => Promise.reject(new SqlError('40P01', 'deadlock detected'))],
  ['the connection was lost before', () => Promise.reject(lostConnectionError())],
  [
    'the connection was lost after',
    async (connection, statements) => {
      await connection.send(statements);
      throw lostConnectionError();
    },
  ],
  ['the server was shut down', () => Promise.reject(new SqlError('57P01', 'terminating connection'))],
];

testOnPostgres.each(FAILURE_KINDS)('a call is made once although %s', async (_, fail) => {
  const { pool, server } = await openFailingServer(fail);
  const { shop, failure } = await createProjectWithFailure(server, 'shop');
  let diagnoses = 0;
  const diagnose = () => shop.callOnce('diagnose', failure, createCaller());
  await failAtEachRoundTrip(pool, diagnose, ({ pattern, isNewPattern }) => {
    diagnoses += 1;
    expect(isNewPattern).toBe(diagnoses === 1);
    if (diagnoses > 1) expect(pattern?.occurrences).toBe(diagnoses);
  });
  expect(diagnoses, 'round trips, from the first one to the COMMIT').toBeGreaterThan(8);
  const fix = { ...failure, fixDescription: 'Oil it.', success: true };
  await failAtEachRoundTrip(pool, () => shop.callOnce('reportFix', fix, createCaller()));
  const { patterns } = await shop.patterns({ source: 'learned' });
  expect(patterns).toMatchObject([{ occurrences: diagnoses, resolutions: 1 }]);
});

const RESTART_ERROR = { code: 'INTERNAL_ERROR', message: expect.stringContaining('No stored data was lost') };

testOnPostgres('a call that traps at any round trip is rejected, and stored once when it is repeated', async () => {
  const { server } = await openFailingServer(() => Promise.reject(lostConnectionError()), 1);
  const { shop, failure } = await createProjectWithFailure(server, 'shop');
  await shop.callOnce('diagnose', failure, createCaller());
  let diagnoses = 1;
  for (let hasTrapped = true; hasTrapped; ) {
    const repeated = createCaller();
    await server._trapAtWrite(diagnoses);
    const outcome = await shop.callOnce('diagnose', failure, repeated).catch((thrown: unknown) => thrown);
    hasTrapped = outcome instanceof Error;
    if (hasTrapped) expect(outcome).toMatchObject(RESTART_ERROR);
    await server._trapAtWrite(0);
    const { pattern } = await shop.callOnce('diagnose', failure, repeated);
    diagnoses += 1;
    expect(pattern?.occurrences).toBe(diagnoses);
  }
  expect(diagnoses, 'round trips, from the first one to the COMMIT').toBeGreaterThan(4);
});

testOnPostgres('a trap rejects only its own call', async () => {
  const { server, url } = await openFailingServer(() => Promise.reject(lostConnectionError()));
  const { shop, failure } = await createProjectWithFailure(server, 'flying');
  const { shop: other, failure: ofOther } = await createProjectWithFailure(server, 'landed');
  for (const [one, of] of [
    [shop, failure],
    [other, ofOther],
  ] as const)
    await one.callOnce('diagnose', of, createCaller());
  const real = new PostgresPool(url);
  const [writer, onlooker] = [await real.connect(), await real.connect()];
  const statement = (sql: string) => ({ sql, params: [] });
  const waiting = statement(
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
  );
  const inFlight = async () => Number((await onlooker.send([waiting]))[0]?.rows[0]?.[0]);
  await writer.send(['BEGIN', 'SELECT * FROM argus_flying.writer FOR UPDATE'].map(statement));
  const calls = Array.from({ length: 6 }, createCaller);
  const asked = Promise.allSettled(calls.map((one) => shop.callOnce('diagnose', failure, one)));
  await expect.poll(inFlight).toBe(calls.length);

  await server._trapAtWrite(1);
  await expect(server.backup('landed', path.join(createProject(), 'copy.db'))).rejects.toMatchObject({
    code: 'INTERNAL_ERROR',
  });
  expect((await other.callOnce('diagnose', ofOther, createCaller())).pattern?.occurrences).toBe(2);
  expect(await inFlight(), 'the others still wait for their answer').toBe(calls.length);
  await writer.send([statement('ROLLBACK')]);
  for (const outcome of await asked) expect(outcome).toMatchObject({ status: 'fulfilled' });
  expect((await shop.patterns({ source: 'learned' })).patterns).toMatchObject([{ occurrences: calls.length + 1 }]);
  for (const connection of [writer, onlooker]) connection.release(false);
  await real.close();
});
