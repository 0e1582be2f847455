/** Sends waiting calls about solutions to a team's server, with interruptions. */

import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from 'argus-engine';
import { expect, test } from 'vitest';
import { Outbox } from '../../src/storage/outbox.ts';
import { FileHmac, Spool, type WaitingCall } from '../../src/storage/spool.ts';
import { createFolder } from '../project.ts';

const INCIDENT_CALL: WaitingCall = {
  callId: '0195220c-2a00-7abc-8def-001122334455',
  now: 1,
  method: 'addIncident',
  params: { title: 'It is cold', steps: 'Relight it.', worked: true, env: {}, lookup_id: 'lkp-here' },
  made: { incident_id: 'inc-here', solution_id: 'sol-here' },
};
const OUTCOME_CALL: WaitingCall = {
  callId: '0195220c-2a01-7abc-8def-001122334455',
  now: 2,
  method: 'recordOutcome',
  params: { solution_id: 'sol-here', worked: false, env: {} },
  made: {},
};

/** Creates a team's server that already knows the incident and becomes unreachable after `until` calls. */
function createFakeTeam(spool: Spool) {
  const it = { calls: [] as unknown[], until: Number.POSITIVE_INFINITY };
  const answers: Record<string, unknown> = {
    addIncident: { created: false, incident_id: 'inc-there', similarity: 1 },
    addSolution: { created: true, solution_id: 'sol-there' },
    recordOutcome: { ok: true },
  };
  const call = async (method: string, params: { lookup_id?: string }, callId: string) => {
    if (it.calls.length >= it.until) throw new EngineError('TEAM_UNREACHABLE', 'it is away');
    if (typeof params.lookup_id === 'string') throw new EngineError('LOOKUP_NOT_FOUND', 'no such search');
    it.calls.push([method, { ...params }, callId]);
    return answers[method];
  };
  const engine = { call, attempt: call } as never;
  const failInMemory = () => Promise.reject(new Error('nothing is asked'));
  return { it, outbox: new Outbox({ openDurable: async () => engine, openInMemory: failInMemory }, spool) };
}

function createSpool(files: string, keys = createFolder()): Spool {
  return new Spool(files, new FileHmac(async () => keys));
}

test('adds the fix to a known incident with the same calls after any interruption', async () => {
  const uninterruptedCalls: unknown[] = [];
  for (const until of [Number.POSITIVE_INFINITY, 0, 1, 2, 3]) {
    const spool = createSpool(createFolder());
    for (const one of [INCIDENT_CALL, OUTCOME_CALL]) await spool.writeCall(one);
    const { it, outbox } = createFakeTeam(spool);
    it.until = until;
    await outbox.storeWaiting();
    if (until === Number.POSITIVE_INFINITY) uninterruptedCalls.push(...it.calls);
    it.until = Number.POSITIVE_INFINITY;
    const callsBefore = it.calls.splice(0);
    await outbox.storeWaiting();
    expect(outbox.counts()).toMatchObject({ waiting: 0, refused: 0 });
    // Calls that were made before the interruption are repeated with the same ids.
    const fresh = it.calls.filter(
      (one) => !callsBefore.some((earlierCall) => JSON.stringify(earlierCall) === JSON.stringify(one)),
    );
    expect([...callsBefore, ...fresh]).toEqual(uninterruptedCalls);
    expect(await outbox.readTeamIds()).toEqual(
      new Map([
        ['inc-here', 'inc-there'],
        ['sol-here', 'sol-there'],
      ]),
    );
  }
  expect(uninterruptedCalls).toMatchObject([
    ['addIncident', { lookup_id: null }, INCIDENT_CALL.callId],
    ['addSolution', { incident_id: 'inc-there', steps: 'Relight it.' }, expect.stringMatching(/^[0-9a-f-]{36}$/u)],
    ['recordOutcome', { solution_id: 'sol-there', worked: true }, expect.stringMatching(/^[0-9a-f-]{36}$/u)],
    ['recordOutcome', { solution_id: 'sol-there', worked: false }, OUTCOME_CALL.callId],
  ]);
});

test('ignores ids that this user has not written', async () => {
  const files = createFolder();
  const spool = createSpool(files);
  await spool.writeIds(INCIDENT_CALL.callId, new Map([['inc-here', 'inc-there']]));
  const [name = ''] = readdirSync(files);
  expect(name).toMatch(/\.ids$/u);
  expect(await createSpool(files).readIds(), 'another user').toEqual(new Map());
  const file = path.join(files, name);
  writeFileSync(file, '[["inc-here","inc-planted"]]\n');
  expect(await spool.readIds()).toEqual(new Map());
  renameSync(file, path.join(files, `${INCIDENT_CALL.callId}.${'0'.repeat(64)}.ids`));
  expect(await spool.readIds()).toEqual(new Map());
});
