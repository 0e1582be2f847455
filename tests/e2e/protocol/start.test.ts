/** The answers that the build has recorded for the launcher equal the answers of the server. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { asking, recordStart } from '../../../packages/mcp/record-start.mjs';
import { createEnvironment, createProject, PROGRAM_PATH } from '../harness.ts';
import { serveInProcess } from '../in-process-server.ts';

/** Removes the version of the sources, which only the build knows. */
const withoutVersion = (start: unknown) =>
  JSON.parse(JSON.stringify(start).replaceAll(/("title":"Argus","version":")[^"]*/gu, '$1'));

test.each(['full', 'core'] as const)('the recorded start of %s equals the answers of the server', async (profile) => {
  const live = await recordStart(async () => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const server = serveInProcess(far, { env: createEnvironment(), cwd: createProject(), isImpatient: true, profile });
    const { ask, receive } = asking((message: Parameters<typeof near.send>[0]) => near.send(message));
    near.onmessage = receive;
    await near.start();
    return { ask, close: () => server.close() };
  });
  const recorded = JSON.parse(readFileSync(path.join(path.dirname(PROGRAM_PATH), `start-${profile}.json`), 'utf8'));
  expect(withoutVersion(recorded)).toEqual(withoutVersion(live));
  expect(live.versions).toContain('2025-11-25');
});
