/** A team's server as a separate process that is killed while clients use it. */

import { expect } from 'vitest';
import { z } from 'zod';
import { startProgram } from '../e2e/argus.ts';
import { createKnownFailure, diagnoseWhileDisturbed, expectCounts } from './team-storm.ts';

async function startServerProcess(database: string, port = 0) {
  const { child, ended, printed, prints } = startProgram(['serve', '--database', database, '--port', String(port)]);
  await prints(/\n/u);
  const [line = ''] = printed().stdout.split('\n');
  const { url } = z.object({ url: z.string() }).parse(JSON.parse(line));
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { database, port: Number(new URL(url).port), kill };
}

/** Expects that a server that is killed repeatedly neither loses nor duplicates calls. */
export async function expectKillsLoseNothing(
  database: string,
  { clients, times, kills }: { clients: number; times: number; kills: number },
): Promise<void> {
  let server = await startServerProcess(database);
  const it = await createKnownFailure(server);
  let killed = 0;
  const disturb = async () => {
    await server.kill();
    server = await startServerProcess(database, server.port);
    killed += 1;
  };
  await diagnoseWhileDisturbed([{ port: server.port }], it, { clients, times, disturbances: kills, disturb });
  expect(killed).toBe(kills);
  await expectCounts(server, it.bearer, clients * times + 1);
}
