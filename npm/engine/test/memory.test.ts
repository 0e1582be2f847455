/**
 * A second memory, tested with the published wasm. The answers of memories are tested in
 * `crates/engine/src/tests/memory`.
 */
import { join } from 'node:path';
import { openEngine } from 'argus-engine';
import { expect, onTestFinished, test } from 'vitest';
import { folder } from './setup.ts';

const env = { os: 'Linux', language: 'python', python: '3.12' };
const pool = {
  title: 'Connection pool exhausted under load',
  error_signature: 'sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection timed out',
  steps: 'Close the session before the mail is sent',
  env,
  worked: true,
};

test('ignores a second memory with another id', async () => {
  const secondaryPath = join(folder(), 'beside.db');
  const theirs = await openEngine({ databasePath: secondaryPath, projectRoot: '/', memoryId: 'mem-a', create: true });
  await theirs.addIncident(pool);
  await theirs.close();
  for (const [secondaryMemoryId, found] of [
    ['mem-a', 1],
    ['mem-b', 0],
  ] as const) {
    const databasePath = join(folder(), 'argus.db');
    const memory = { home: 'user' } as const;
    const engine = await openEngine({ databasePath, projectRoot: '/', memory, secondaryPath, secondaryMemoryId });
    onTestFinished(() => engine.close());
    const { incidents } = await engine.rankedSolutions({ query_text: pool.error_signature, env });
    expect(incidents, secondaryMemoryId).toHaveLength(found);
  }
});
