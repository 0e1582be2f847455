/** The optimized build answers every tool over stdio. */

import { test } from 'vitest';
import { connectProcess } from '../e2e/clients.ts';

import { callEveryTool } from '../e2e/protocol/every-tool.ts';

test('every tool of the optimized build matches its schema', async () => {
  const agent = await connectProcess('2026-07-28');
  await callEveryTool(agent);
  await agent.close();
});
