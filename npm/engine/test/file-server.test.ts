/** Tests the calls of a server on database files: concurrency, order and errors. */
import { join } from 'node:path';
import { openFileServer } from 'argus-engine';
import { expect, onTestFinished, test } from 'vitest';
import { createTestFolder } from './setup.ts';

function startFileServer() {
  const server = openFileServer({ workers: 2 });
  onTestFinished(() => server.close());
  const file = join(createTestFolder(), 'project.db');
  return { server, file, memory: server.memory(file, 'en') };
}

const incidentParams = (number: number) => ({
  title: `Bridge ${number} broke`,
  steps: `Repaired bridge ${number}`,
  env: {},
  worked: true,
  force: true,
});

test('a read does not wait for a long write to the same file', async () => {
  const { memory, server, file } = startFileServer();
  await memory.addIncident(incidentParams(0));
  const { lines } = await memory.memoryExport();
  const many = Array.from({ length: 5_000 }, (_, number) => lines.replaceAll('0 broke', `${number} broke`).trim());
  await Promise.all([memory.overview(), memory.overview()]);
  let isWritten = false;
  const writing = server
    .memory(file, 'en')
    .memoryImport({ lines: many.join('\n') })
    .finally(() => {
      isWritten = true;
    });
  await memory.overview();
  expect(isWritten).toBe(false);
  await writing;
});

test('waiting writes leave a thread for reads', async () => {
  const { memory } = startFileServer();
  const writes = Array.from({ length: 20 }, (_, number) => memory.addIncident(incidentParams(number)));
  const finished: string[] = [];
  const read = memory.overview().then(() => finished.push('read'));
  await Promise.all([...writes.map((write) => write.then(() => finished.push('write'))), read]);
  expect(finished.at(-1)).toBe('write');
  expect(finished).toHaveLength(21);
});

test('rejects with the error of the engine and serves the next call', async () => {
  const { memory } = startFileServer();
  await expect(memory.incident({ id: 'inc-nope' })).rejects.toMatchObject({ name: 'EngineError' });
  expect(await memory.history()).toMatchObject({ total: 0 });
});
