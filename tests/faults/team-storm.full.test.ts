/** Many clients of a team's server, on SQLite and on PostgreSQL. The server is also killed while they work. */

import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Data } from '../e2e/harness.ts';
import { createMigratedDatabase, getPostgres, testOnPostgres } from '../e2e/team/postgres.ts';
import { newDatabasePath, startServer } from '../e2e/team/team.ts';
import { expectKillsLoseNothing } from './killed-server.ts';
import {
  createKnownFailure,
  diagnoseWhileDisturbed,
  expectAllCounted,
  expectCounts,
  makeCall,
  recordSameFailure,
  runClients,
} from './team-storm.ts';

const CLIENT_COUNT = 8;
const KILL_COUNT = 5;
/** A long time limit, because on a busy machine a storm takes minutes. */
const TIMEOUT_MS = 900_000;

/** For a longer storm, start the test with ARGUS_STORM_SECONDS=600. */
const STORM_SECONDS = Number(process.env.ARGUS_STORM_SECONDS ?? 10);
const STORM_CLIENTS = 32;

const DATABASES: [string, () => string | Promise<string>][] = [
  ['a file', newDatabasePath],
  ['PostgreSQL', createMigratedDatabase],
];

testOnPostgres.each(DATABASES)(
  'on %s all concurrent diagnoses and reports are counted',
  { timeout: TIMEOUT_MS },
  async (_, place) => expectAllCounted(await place(), CLIENT_COUNT, STORM_SECONDS > 60 ? 200 : 60),
);

testOnPostgres.each(DATABASES)(
  'on %s a server that is killed repeatedly loses and duplicates nothing',
  { timeout: TIMEOUT_MS },
  async (_, place) => expectKillsLoseNothing(await place(), { clients: CLIENT_COUNT, times: 40, kills: KILL_COUNT }),
);

testOnPostgres('two servers on the same database count all calls', { timeout: TIMEOUT_MS }, async () => {
  const times = 30;
  const database = await createMigratedDatabase();
  const servers = [await startServer(database), await startServer(database)] as const;
  const it = await createKnownFailure(servers[0]);
  await diagnoseWhileDisturbed(servers, it, { clients: CLIENT_COUNT, times });
  await expectCounts(servers[1], it.bearer, CLIENT_COUNT * times + 1);
});

testOnPostgres(
  'a mixed load loses and duplicates nothing while connections are cut and the database is killed',
  { timeout: STORM_SECONDS * 1_000 + TIMEOUT_MS },
  async () => {
    const server = await startServer(await createMigratedDatabase(), ['--port', '0', '--rate-limit', '100000']);
    const { bearer, known } = await createKnownFailure(server);
    const call = (method: string, params: Data) => makeCall(server, bearer, method, params);
    const incident = { title: 'gyroscope drift', steps: 'Calibrate it.', env: { os: 'linux' }, worked: true };
    const search = { query_text: incident.title, env: incident.env };
    const { solution_id } = z.object({ solution_id: z.string() }).parse(await call('addIncident', incident));
    const acknowledged = { runs: 1, diagnoses: 1, fixes: 0, outcomes: 1 };
    const kinds = [
      async () => {
        await call('diagnose', known);
        acknowledged.diagnoses += 1;
      },
      async () => {
        const failed = await recordSameFailure(server, bearer);
        acknowledged.runs += 1;
        await call('diagnose', failed);
        acknowledged.diagnoses += 1;
        await call('reportFix', { ...failed, fixDescription: 'Oil it.', success: true });
        acknowledged.fixes += 1;
      },
      async () => {
        await call('recordOutcome', { solution_id, worked: true, env: incident.env });
        acknowledged.outcomes += 1;
      },
      () => call('patterns', {}),
      () => call('rankedSolutions', search),
    ];
    const end = Date.now() + STORM_SECONDS * 1_000;
    const disturbing = (async () => {
      for (let times = 0; Date.now() < end; times += 1) {
        // The delay is random, so that the moment does not depend on the clients' work.
        await delay(1_000 + Math.random() * 1_000);
        await (times % 3 === 0 ? getPostgres().restart() : getPostgres().cutConnections());
      }
    })();
    const work = async (client: number) => {
      for (let n = client; Date.now() < end; n += 1) await kinds[n % kinds.length]?.();
    };
    await Promise.all([disturbing, runClients(STORM_CLIENTS, work)]);
    await expectCounts(server, bearer, acknowledged.diagnoses, acknowledged.fixes);
    expect(await call('history', {})).toMatchObject({ total: acknowledged.runs });
    expect(await call('rankedSolutions', search)).toMatchObject({
      ranked_solutions: [{ solution_id, worked: acknowledged.outcomes, failed: 0 }],
    });
  },
);

testOnPostgres(
  'a standby that takes over has every call that was acknowledged before the takeover',
  { timeout: TIMEOUT_MS },
  async () => {
    const times = 20;
    const server = await startServer(await createMigratedDatabase());
    const { bearer, known } = await createKnownFailure(server);
    const standby = await getPostgres().startStandby();
    const acknowledged = new Map<string, unknown>();
    let enough = () => {};
    const begun = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const all = runClients(CLIENT_COUNT, async () => {
      for (let n = 0; n < times; n += 1) {
        const callId = uuidV7();
        acknowledged.set(callId, await makeCall(server, bearer, 'diagnose', known, callId));
        if (acknowledged.size > CLIENT_COUNT * 3) enough();
      }
    });
    await begun;
    const before = [...acknowledged];
    await standby.takeOver();
    await all;
    for (const [callId, answer] of before) {
      expect(await makeCall(server, bearer, 'diagnose', known, callId)).toEqual(answer);
    }
    await expectCounts(server, bearer, CLIENT_COUNT * times + 1);
    expect(server.log(), 'the server tries again by itself').not.toMatch(/"status":5/u);
  },
);
