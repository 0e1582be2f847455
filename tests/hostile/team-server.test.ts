/** Requests that reach a team's server through a program on its own machine. */

import { expect, test } from 'vitest';
import { startServer } from '../e2e/team/team.ts';

test('requests from a proxy that the server does not trust get no metrics', async () => {
  const { url } = await startServer();
  const status = async (headers: Record<string, string>) => (await fetch(`${url}/metrics`, { headers })).status;
  expect(await status({})).toBe(200);
  for (const name of ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'Via'])
    expect(await status({ [name]: '203.0.113.7' }), name).toBe(401);
});
