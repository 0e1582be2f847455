/** Every command and tool in each of the repositories that name programs. */

import { describe, expect, test, vi } from 'vitest';
import { commandLines } from './command-lines.ts';
import { expectNoneStarted, expectNoneStartedOverMcp, TRAPS } from './traps.ts';

vi.setConfig({ testTimeout: 300_000 });

describe.each(TRAPS)('%s', (_, trap) => {
  test('start nothing on the command line', async () => {
    const it = trap();
    const ids = await expectNoneStarted(it, commandLines(it.root));
    expect(Object.keys(ids).sort(), 'it did work').toEqual(['incident_id', 'runId', 'solution_id']);
  });

  test('start nothing over MCP', () => expectNoneStartedOverMcp(trap()));
});
