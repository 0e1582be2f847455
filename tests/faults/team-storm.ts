/** Many clients of a team's server. For a server that is killed see killed-server.ts. */

import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Data } from '../e2e/harness.ts';
import { headers, startServer, type TeamServer, token } from '../e2e/team/team.ts';

type Served = Pick<TeamServer, 'port' | 'database'>;

/** Expected in a storm, because the server limits the calls of a token per second and a fast machine makes more. */
const TOO_MANY_REQUESTS = 429;

/** Repeats a call until the server answers it, as a client does. */
export async function make(
  { port }: Pick<Served, 'port'>,
  bearer: string,
  method: string,
  params: Data,
  callId: string = uuidV7(),
): Promise<unknown> {
  const body = JSON.stringify({ protocol: 1, callId, now: Date.now(), method, params });
  const url = `http://127.0.0.1:${port}/v1/projects/shop/call`;
  for (;;) {
    const response = await fetch(url, { method: 'POST', headers: headers(bearer), body }).catch(() => undefined);
    // The answer may be incomplete, because the server may be killed while it sends it.
    const text = await response?.text().catch(() => undefined);
    if (response !== undefined && text !== undefined) {
      const answer = z.object({ result: z.unknown(), error: z.unknown() }).partial().parse(JSON.parse(text));
      if (response.ok) return answer.result;
      const { status } = response;
      if (status < 500 && status !== TOO_MANY_REQUESTS) throw new Error(JSON.stringify(answer.error));
    }
    await delay(50);
  }
}

/** Runs the work of all clients at the same time. */
export function each<T>(clients: number, work: (client: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
}

/** Records a run with the same failure each time. */
export async function failure(server: Pick<Served, 'port'>, bearer: string): Promise<Data> {
  const outputTail = 'SomethingBroke: the job could not be done';
  const run = { command: 'job', exitCode: 1, timedOut: false, reports: [], containers: [], notes: [], outputTail };
  const recorded = await make(server, bearer, 'recordRun', run);
  const answer = z.object({ runId: z.string(), failures: z.tuple([z.object({ caseName: z.string() })]) });
  const { runId, failures } = answer.parse(recorded);
  return { runId, caseName: failures[0].caseName };
}

/** Returns a token and a failure with a pattern, which a first diagnosis has created. */
export async function knownFailure(server: Served): Promise<{ bearer: string; known: Data }> {
  const bearer = await token(server.database, 'Ada');
  const known = await failure(server, bearer);
  await make(server, bearer, 'diagnose', known);
  return { bearer, known };
}

const patterns = z.object({
  patterns: z.array(z.object({ occurrences: z.int(), resolutions: z.int() })),
});

/** Expects a single pattern with the given numbers of occurrences and of fixes. */
export async function expectCounts(server: Served, bearer: string, occurrences: number, resolutions = 0) {
  const learned = patterns.parse(await make(server, bearer, 'patterns', { source: 'learned' }));
  expect(learned.patterns).toEqual([{ occurrences, resolutions }]);
}

/** Expects that all concurrent diagnoses and reports count, and that an incident sent by all clients is added once. */
export async function expectAllCounted(database: string, clients: number, diagnoses: number): Promise<void> {
  const server = await startServer(database);
  const { bearer, known } = await knownFailure(server);
  await each(clients, async (client) => {
    const own = await token(database, `client ${client}`);
    const failed = await failure(server, own);
    for (let n = 0; n < diagnoses; n += 1) await make(server, own, 'diagnose', known);
    await make(server, own, 'reportFix', { ...failed, fixDescription: `Mended by ${client}.`, success: true });
  });
  await expectCounts(server, bearer, clients * diagnoses + 1, clients);
  const incident = { title: 'gyroscope drift', steps: 'Calibrate it.', env: { os: 'linux' }, worked: true };
  const added = await each(clients, () => make(server, bearer, 'addIncident', incident));
  const answer = z.object({ created: z.boolean() });
  expect(added.filter((one) => answer.parse(one).created)).toHaveLength(1);
}

/**
 * Lets all clients diagnose the failure. The first client calls `disturb` between its diagnoses, `disturbances` times.
 */
export async function diagnoseMeanwhile(
  servers: readonly Pick<Served, 'port'>[],
  { bearer, known }: { bearer: string; known: Data },
  { clients, times, disturbances = 0, disturb = async () => {} }: Disturbed,
): Promise<void> {
  const every = Math.ceil(times / (disturbances + 1));
  await each(clients, async (client) => {
    const server = servers[client % servers.length] ?? servers[0];
    if (server === undefined) throw new Error('there is no server');
    for (let n = 1; n <= times; n += 1) {
      await make(server, bearer, 'diagnose', known);
      if (client === 0 && n % every === 0 && n < times) await disturb();
    }
  });
}

interface Disturbed {
  clients: number;
  times: number;
  disturbances?: number;
  disturb?: () => Promise<void>;
}
