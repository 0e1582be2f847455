/**
 * Many clients of a team's server, and a server or a database that is killed meanwhile: nothing acknowledged is lost or
 * doubled.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startPostgres } from '../../.scripts/lib/postgres.mjs';
import { argus } from '../e2e/argus.ts';
import type { Data } from '../e2e/harness.ts';
import { headers, newDatabase, startServer, stopServers, type TeamServer, token } from '../e2e/team/team.ts';

let postgres: Awaited<ReturnType<typeof startPostgres>>;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  stopServers();
  await postgres.stop();
});

/** Where a server keeps what it has. */
const PLACES = {
  'a file': async () => newDatabase(),
  PostgreSQL: async () => {
    const database = await postgres.newDatabase();
    expect(await argus(['migrate', '--database', database])).toMatchObject({ status: 0 });
    return database;
  },
};

const CLIENTS = 8;
const KILLS = 5;

/** By hand for longer: ARGUS_STORM_SECONDS=600. */
const STORM_SECONDS = Number(process.env.ARGUS_STORM_SECONDS ?? 10);
const DIAGNOSES = STORM_SECONDS > 60 ? 200 : 60;
const STORM_CLIENTS = 32;
/** A token has so many calls a second, and a quick machine makes more. */
const TOO_MANY_REQUESTS = 429;

const counted = z.object({
  patterns: z.array(z.object({ source: z.string(), occurrences: z.int(), resolutions: z.int() })),
});

const RUN = {
  command: 'job',
  exitCode: 1,
  timedOut: false,
  reports: [],
  containers: [],
  notes: [],
  outputTail: 'SomethingBroke: the job could not be done',
};

/** One call, made until it is answered, as a client makes it. */
async function make(
  port: number,
  bearer: string,
  method: string,
  params: Data,
  callId: string = uuidV7(),
): Promise<unknown> {
  const body = JSON.stringify({ protocol: 1, callId, now: Date.now(), method, params });
  for (;;) {
    try {
      const url = `http://127.0.0.1:${port}/v1/projects/shop/call`;
      const response = await fetch(url, { method: 'POST', headers: headers(bearer), body });
      const answer = z
        .object({ result: z.unknown(), error: z.unknown() })
        .partial()
        .parse(await response.json());
      if (response.ok) return answer.result;
      const isToWait = response.status >= 500 || response.status === TOO_MANY_REQUESTS;
      if (!isToWait) throw new Error(JSON.stringify(answer.error));
    } catch (thrown) {
      // The server is away; whatever else is wrong is a failure of the test.
      if (!(thrown instanceof TypeError || thrown instanceof SyntaxError)) throw thrown;
    }
    await delay(50);
  }
}

async function failure(server: TeamServer, bearer: string): Promise<{ runId: string; caseName: string }> {
  const recorded = await make(server.port, bearer, 'recordRun', RUN);
  const run = z.object({ runId: z.string(), failures: z.tuple([z.object({ caseName: z.string() })]) }).parse(recorded);
  return { runId: run.runId, caseName: run.failures[0].caseName };
}

async function counts(server: TeamServer, bearer: string) {
  const { patterns } = counted.parse(await make(server.port, bearer, 'patterns', { source: 'learned' }));
  return patterns.map(({ occurrences, resolutions }) => ({ occurrences, resolutions }));
}

function each<T>(work: (client: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client)));
}

describe.each(Object.entries(PLACES))('on %s', (_, place) => {
  test('clients that diagnose and report at once are all counted', async () => {
    const server = await startServer(await place());
    const tokens = await each((client) => token(server.database, `client ${client}`));
    const [first = ''] = tokens;
    const known = await failure(server, first);
    await make(server.port, first, 'diagnose', known);
    const runs = await each(async (client) => failure(server, tokens[client] ?? ''));
    await each(async (client) => {
      const bearer = tokens[client] ?? '';
      for (let n = 0; n < DIAGNOSES; n += 1) await make(server.port, bearer, 'diagnose', known);
      const fix = { ...(runs[client] ?? known), fixDescription: `Mended by ${client}.`, success: true };
      await make(server.port, bearer, 'reportFix', fix);
    });
    // The first diagnosis made the pattern.
    expect(await counts(server, first)).toEqual([{ occurrences: CLIENTS * DIAGNOSES + 1, resolutions: CLIENTS }]);
  });

  test('of the same incident from all at once there is one', async () => {
    const server = await startServer(await place());
    const bearer = await token(server.database, 'Ada');
    const incident = { title: 'gyroscope drift', steps: 'Calibrate it.', env: { os: 'linux' }, worked: true };
    const added = await each(() => make(server.port, bearer, 'addIncident', incident));
    expect(added.filter((one) => z.object({ created: z.literal(true) }).safeParse(one).success)).toHaveLength(1);
  });

  test('a server that is killed again and again loses and doubles nothing', async () => {
    const times = 40;
    const database = await place();
    let server = await startServer(database);
    const { port } = server;
    const bearer = await token(database, 'Ada');
    const known = await failure(server, bearer);
    await make(port, bearer, 'diagnose', known);
    const killing = (async () => {
      for (let kills = 0; kills < KILLS; kills += 1) {
        await delay(150 + Math.random() * 300);
        await server.kill();
        server = await startServer(database, ['--port', String(port)]);
      }
    })();
    await each(async () => {
      for (let n = 0; n < times; n += 1) await make(port, bearer, 'diagnose', known);
    });
    await killing;
    expect(await counts(server, bearer)).toEqual([{ occurrences: CLIENTS * times + 1, resolutions: 0 }]);
  });
});

test('a database that is killed again and again loses and doubles nothing', async () => {
  const times = 40;
  const server = await startServer(await PLACES.PostgreSQL());
  const bearer = await token(server.database, 'Ada');
  const known = await failure(server, bearer);
  await make(server.port, bearer, 'diagnose', known);
  const killing = (async () => {
    for (let kills = 0; kills < KILLS; kills += 1) {
      await delay(300 + Math.random() * 300);
      await postgres.restart();
    }
  })();
  await each(async () => {
    for (let n = 0; n < times; n += 1) await make(server.port, bearer, 'diagnose', known);
  });
  await killing;
  expect(await counts(server, bearer)).toEqual([{ occurrences: CLIENTS * times + 1, resolutions: 0 }]);
});

test(
  'a mixed load loses and doubles nothing while connections are cut and the database is killed',
  async () => {
    const server = await startServer(await PLACES.PostgreSQL(), ['--port', '0', '--rate-limit', '100000']);
    const { port } = server;
    const bearer = await token(server.database, 'Ada');
    const known = await failure(server, bearer);
    await make(port, bearer, 'diagnose', known);
    const incident = { title: 'gyroscope drift', steps: 'Calibrate it.', env: { os: 'linux' }, worked: true };
    const { solution_id } = z
      .object({ solution_id: z.string() })
      .parse(await make(port, bearer, 'addIncident', incident));
    const acknowledged = { runs: 1, diagnoses: 1, fixes: 0, outcomes: 1 };
    const kinds = [
      async () => {
        await make(port, bearer, 'diagnose', known);
        acknowledged.diagnoses += 1;
      },
      async () => {
        const failed = await failure(server, bearer);
        acknowledged.runs += 1;
        await make(port, bearer, 'diagnose', failed);
        acknowledged.diagnoses += 1;
        await make(port, bearer, 'reportFix', { ...failed, fixDescription: 'Oil it.', success: true });
        acknowledged.fixes += 1;
      },
      async () => {
        await make(port, bearer, 'recordOutcome', { solution_id, worked: true, env: { os: 'linux' } });
        acknowledged.outcomes += 1;
      },
      () => make(port, bearer, 'patterns', {}),
      () => make(port, bearer, 'rankedSolutions', { query_text: incident.title, env: incident.env }),
    ];
    const end = Date.now() + STORM_SECONDS * 1_000;
    const disturbing = (async () => {
      for (let times = 0; Date.now() < end; times += 1) {
        await delay(1_000 + Math.random() * 1_000);
        await (times % 3 === 0 ? postgres.restart() : postgres.cutConnections());
      }
    })();
    const work = async (client: number) => {
      for (let n = client; Date.now() < end; n += 1) await kinds[n % kinds.length]?.();
    };
    await Promise.all([disturbing, ...Array.from({ length: STORM_CLIENTS }, (_, client) => work(client))]);
    const { runs, diagnoses, fixes, outcomes } = acknowledged;
    expect(await counts(server, bearer)).toEqual([{ occurrences: diagnoses, resolutions: fixes }]);
    expect(await make(port, bearer, 'history', {})).toMatchObject({ total: runs });
    const ranked = { query_text: incident.title, env: incident.env };
    expect(await make(port, bearer, 'rankedSolutions', ranked)).toMatchObject({
      ranked_solutions: [{ solution_id, worked: outcomes, failed: 0 }],
    });
  },
  STORM_SECONDS * 1_000 + 120_000,
);

test('a standby that takes the place of the database has all that was acknowledged', async () => {
  const times = 20;
  const server = await startServer(await PLACES.PostgreSQL());
  const bearer = await token(server.database, 'Ada');
  const known = await failure(server, bearer);
  await make(server.port, bearer, 'diagnose', known);
  const standby = await postgres.startStandby();
  const acknowledged = new Map<string, unknown>();
  const all = each(async () => {
    for (let n = 0; n < times; n += 1) {
      const callId = uuidV7();
      acknowledged.set(callId, await make(server.port, bearer, 'diagnose', known, callId));
    }
  });
  await expect.poll(() => acknowledged.size).toBeGreaterThan(CLIENTS * 3);
  const before = [...acknowledged];
  await standby.takeOver();
  await all;
  for (const [callId, answer] of before) {
    expect(await make(server.port, bearer, 'diagnose', known, callId)).toEqual(answer);
  }
  expect(await counts(server, bearer)).toEqual([{ occurrences: CLIENTS * times + 1, resolutions: 0 }]);
  expect(server.log(), 'the server tries again by itself').not.toMatch(/"status":5/u);
});

test('servers of one database count together', async () => {
  const times = 30;
  const database = await PLACES.PostgreSQL();
  const servers = [await startServer(database), await startServer(database)] as const;
  const [first] = servers;
  const bearer = await token(database, 'Ada');
  const known = await failure(first, bearer);
  await make(first.port, bearer, 'diagnose', known);
  await each(async (client) => {
    const { port } = servers[client % 2] ?? first;
    for (let n = 0; n < times; n += 1) await make(port, bearer, 'diagnose', known);
  });
  expect(await counts(first, bearer)).toEqual([{ occurrences: CLIENTS * times + 1, resolutions: 0 }]);
});
