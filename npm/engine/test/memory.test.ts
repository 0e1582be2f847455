/** Opens a second memory on the published wasm. `crates/engine/src/tests/memory` tests the answers of memories. */
import { join } from 'node:path';
import { openEngine } from 'argus-engine';
import { expect, onTestFinished, test } from 'vitest';
import { createTestFolder } from './setup.ts';

const ENVIRONMENT = { os: 'Linux', language: 'python', python: '3.12' };
const INCIDENT_PARAMS = {
  title: 'Connection pool exhausted under load',
  error_signature: 'sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection timed out',
  steps: 'Close the session before the mail is sent',
  env: ENVIRONMENT,
  worked: true,
};

test('ignores a second memory with a different id', async () => {
  const secondaryPath = join(createTestFolder(), 'beside.db');
  const theirs = await openEngine({ databasePath: secondaryPath, projectRoot: '/', memoryId: 'mem-a', create: true });
  await theirs.addIncident(INCIDENT_PARAMS);
  await theirs.close();
  for (const [secondaryMemoryId, found] of [
    ['mem-a', 1],
    ['mem-b', 0],
  ] as const) {
    const databasePath = join(createTestFolder(), 'argus.db');
    const memory = { home: 'user' } as const;
    const engine = await openEngine({ databasePath, projectRoot: '/', memory, secondaryPath, secondaryMemoryId });
    onTestFinished(() => engine.close());
    const { incidents } = await engine.rankedSolutions({
      query_text: INCIDENT_PARAMS.error_signature,
      env: ENVIRONMENT,
    });
    expect(incidents, secondaryMemoryId).toHaveLength(found);
  }
});
