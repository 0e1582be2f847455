import { readdirSync } from 'node:fs';
import { EngineError } from 'argus-engine';
import { expect, test } from 'vitest';
import { Outbox } from '../../src/storage/outbox.ts';
import { FileHmac, Spool } from '../../src/storage/spool.ts';
import { createFolder } from '../project.ts';

const WAITING_CALL = {
  callId: '0195220c-2a00-7abc-8def-001122334455',
  now: 1,
  method: 'diagnose',
  params: { runId: 'run-1', caseName: 'adds' },
} as const;

test('keeps a call that stopped the engine, and sets a refused call aside', async () => {
  const [files, keys] = [createFolder(), createFolder()];
  const spool = new Spool(files, new FileHmac(async () => keys));
  await spool.writeCall(WAITING_CALL);
  let code: 'INTERNAL_ERROR' | 'RUN_NOT_FOUND' = 'INTERNAL_ERROR';
  const call = () => Promise.reject(new EngineError(code, 'it failed'));
  const failInMemory = () => Promise.reject(new Error('nothing is asked'));
  const outbox = new Outbox({ openDurable: async () => ({ call, attempt: call }), openInMemory: failInMemory }, spool);
  await outbox.storeWaiting();
  expect(outbox.counts()).toMatchObject({ waiting: 1, refused: 0 });
  code = 'RUN_NOT_FOUND';
  await outbox.storeWaiting();
  expect(outbox.counts()).toMatchObject({ waiting: 0, refused: 1 });
  expect(readdirSync(files)).toHaveLength(1);
});
