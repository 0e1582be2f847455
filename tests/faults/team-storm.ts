/** Many clients of a team's server. killed-server.ts kills the server. */

import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Data } from '../e2e/harness.ts';
import { createToken, requestHeaders, startServer, type TeamServer } from '../e2e/team/team.ts';

type RunningServer = Pick<TeamServer, 'port' | 'database'>;

/**
 * Status that is expected in a storm, because the server limits the calls of a token per second and a fast machine
 * makes more.
 */
const TOO_MANY_REQUESTS = 429;

/** Repeats a call until the server answers it, as a client does. */
export async function makeCall(
  { port }: Pick<RunningServer, 'port'>,
  bearer: string,
  method: string,
  params: Data,
  callId: string = uuidV7(),
): Promise<unknown> {
  const body = JSON.stringify({ protocol: 1, callId, now: Date.now(), method, params });
  const url = `http://127.0.0.1:${port}/v1/projects/shop/call`;
  for (;;) {
    const response = await fetch(url, { method: 'POST', headers: requestHeaders(bearer), body }).catch(() => undefined);
    // The answer may be incomplete, because the server may be killed while it sends the answer.
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
export function runClients<T>(clients: number, work: (client: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
}

/** Records a run with the same failure each time. */
export async function recordSameFailure(server: Pick<RunningServer, 'port'>, bearer: string): Promise<Data> {
  const outputTail = 'SomethingBroke: the job could not be done';
  const run = { command: 'job', exitCode: 1, timedOut: false, reports: [], containers: [], notes: [], outputTail };
  const recorded = await makeCall(server, bearer, 'recordRun', run);
  const answer = z.object({ runId: z.string(), failures: z.tuple([z.object({ caseName: z.string() })]) });
  const { runId, failures } = answer.parse(recorded);
  return { runId, caseName: failures[0].caseName };
}

/** Returns a token and a failure whose pattern was created by a first diagnosis. */
export async function createKnownFailure(server: RunningServer): Promise<{ bearer: string; known: Data }> {
  const bearer = await createToken(server.database, 'Ada');
  const known = await recordSameFailure(server, bearer);
  await makeCall(server, bearer, 'diagnose', known);
  return { bearer, known };
}

const patternsSchema = z.object({
  patterns: z.array(z.object({ occurrences: z.int(), resolutions: z.int() })),
});

/** Expects a single pattern with the given numbers of occurrences and of fixes. */
export async function expectCounts(server: RunningServer, bearer: string, occurrences: number, resolutions = 0) {
  const learned = patternsSchema.parse(await makeCall(server, bearer, 'patterns', { source: 'learned' }));
  expect(learned.patterns).toEqual([{ occurrences, resolutions }]);
}

/**
 * Expects that all concurrent diagnoses and reports are counted, and that an incident that all clients send is added
 * once.
 */
export async function expectAllCounted(database: string, clients: number, diagnoses: number): Promise<void> {
  const server = await startServer(database);
  const { bearer, known } = await createKnownFailure(server);
  await runClients(clients, async (client) => {
    const own = await createToken(database, `client ${client}`);
    const failed = await recordSameFailure(server, own);
    for (let n = 0; n < diagnoses; n += 1) await makeCall(server, own, 'diagnose', known);
    await makeCall(server, own, 'reportFix', { ...failed, fixDescription: `Mended by ${client}.`, success: true });
  });
  await expectCounts(server, bearer, clients * diagnoses + 1, clients);
  const incident = { title: 'gyroscope drift', steps: 'Calibrate it.', env: { os: 'linux' }, worked: true };
  const added = await runClients(clients, () => makeCall(server, bearer, 'addIncident', incident));
  const answer = z.object({ created: z.boolean() });
  expect(added.filter((one) => answer.parse(one).created)).toHaveLength(1);
}

/**
 * Makes all clients diagnose the failure. The first client calls `disturb` between its diagnoses, `disturbances` times.
 */
export async function diagnoseWhileDisturbed(
  servers: readonly Pick<RunningServer, 'port'>[],
  { bearer, known }: { bearer: string; known: Data },
  { clients, times, disturbances = 0, disturb = async () => {} }: DiagnosisCounts,
): Promise<void> {
  const every = Math.ceil(times / (disturbances + 1));
  await runClients(clients, async (client) => {
    const server = servers[client % servers.length] ?? servers[0];
    if (server === undefined) throw new Error('there is no server');
    for (let n = 1; n <= times; n += 1) {
      await makeCall(server, bearer, 'diagnose', known);
      if (client === 0 && n % every === 0 && n < times) await disturb();
    }
  });
}

interface DiagnosisCounts {
  clients: number;
  times: number;
  disturbances?: number;
  disturb?: () => Promise<void>;
}
