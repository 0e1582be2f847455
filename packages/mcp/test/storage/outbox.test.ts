import { readdirSync } from 'node:fs';
import { EngineError } from 'argus-engine';
import { expect, test } from 'vitest';
import { Outbox } from '../../src/storage/outbox.ts';
import { Seal } from '../../src/storage/seal.ts';
import { Spool } from '../../src/storage/spool.ts';
import { folder } from '../project.ts';

const CALL = {
  callId: '0195220c-2a00-7abc-8def-001122334455',
  now: 1,
  method: 'diagnose',
  params: { runId: 'run-1', caseName: 'adds' },
} as const;

test('keeps a call that stopped the engine, and sets a refused call aside', async () => {
  const [files, keys] = [folder(), folder()];
  const spool = new Spool(files, new Seal(async () => keys));
  await spool.put(CALL);
  let code: 'INTERNAL_ERROR' | 'RUN_NOT_FOUND' = 'INTERNAL_ERROR';
  const call = () => Promise.reject(new EngineError(code, 'it failed'));
  const inMemory = () => Promise.reject(new Error('nothing is asked'));
  const outbox = new Outbox({ durable: async () => ({ call, attempt: call }), inMemory }, spool);
  await outbox.takeIn();
  expect(outbox.counts()).toMatchObject({ waiting: 1, refused: 0 });
  code = 'RUN_NOT_FOUND';
  await outbox.takeIn();
  expect(outbox.counts()).toMatchObject({ waiting: 0, refused: 1 });
  expect(readdirSync(files)).toHaveLength(1);
});
