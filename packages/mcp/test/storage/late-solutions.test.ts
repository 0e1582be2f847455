/** Sends waiting calls about solutions to a team, with interruptions. */

import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from 'argus-engine';
import { expect, test } from 'vitest';
import { Outbox } from '../../src/storage/outbox.ts';
import { Seal } from '../../src/storage/seal.ts';
import { Spool, type WaitingCall } from '../../src/storage/spool.ts';
import { folder } from '../project.ts';

const INCIDENT: WaitingCall = {
  callId: '0195220c-2a00-7abc-8def-001122334455',
  now: 1,
  method: 'addIncident',
  params: { title: 'It is cold', steps: 'Relight it.', worked: true, env: {}, lookup_id: 'lkp-here' },
  made: { incident_id: 'inc-here', solution_id: 'sol-here' },
};
const OUTCOME: WaitingCall = {
  callId: '0195220c-2a01-7abc-8def-001122334455',
  now: 2,
  method: 'recordOutcome',
  params: { solution_id: 'sol-here', worked: false, env: {} },
  made: {},
};

/** A team that already knows the incident and becomes unreachable after `until` calls. */
function team(spool: Spool) {
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
  const inMemory = () => Promise.reject(new Error('nothing is asked'));
  return { it, outbox: new Outbox({ durable: async () => engine, inMemory }, spool) };
}

function spoolIn(files: string, keys = folder()): Spool {
  return new Spool(files, new Seal(async () => keys));
}

test('adds the fix to a known incident by the same calls after any interruption', async () => {
  const whole: unknown[] = [];
  for (const until of [Number.POSITIVE_INFINITY, 0, 1, 2, 3]) {
    const spool = spoolIn(folder());
    for (const one of [INCIDENT, OUTCOME]) await spool.put(one);
    const { it, outbox } = team(spool);
    it.until = until;
    await outbox.takeIn();
    if (until === Number.POSITIVE_INFINITY) whole.push(...it.calls);
    it.until = Number.POSITIVE_INFINITY;
    const before = it.calls.splice(0);
    await outbox.takeIn();
    expect(outbox.counts()).toMatchObject({ waiting: 0, refused: 0 });
    // Calls before the interruption are repeated with the same ids.
    const fresh = it.calls.filter((one) => !before.some((done) => JSON.stringify(done) === JSON.stringify(one)));
    expect([...before, ...fresh]).toEqual(whole);
    expect(await outbox.ids()).toEqual(
      new Map([
        ['inc-here', 'inc-there'],
        ['sol-here', 'sol-there'],
      ]),
    );
  }
  expect(whole).toMatchObject([
    ['addIncident', { lookup_id: null }, INCIDENT.callId],
    ['addSolution', { incident_id: 'inc-there', steps: 'Relight it.' }, expect.stringMatching(/^[0-9a-f-]{36}$/u)],
    ['recordOutcome', { solution_id: 'sol-there', worked: true }, expect.stringMatching(/^[0-9a-f-]{36}$/u)],
    ['recordOutcome', { solution_id: 'sol-there', worked: false }, OUTCOME.callId],
  ]);
});

test('ignores ids that this user has not written', async () => {
  const files = folder();
  const spool = spoolIn(files);
  await spool.putIds(INCIDENT.callId, new Map([['inc-here', 'inc-there']]));
  const [name = ''] = readdirSync(files);
  expect(name).toMatch(/\.ids$/u);
  expect(await spoolIn(files).ids(), 'another user').toEqual(new Map());
  const file = path.join(files, name);
  writeFileSync(file, '[["inc-here","inc-planted"]]\n');
  expect(await spool.ids()).toEqual(new Map());
  renameSync(file, path.join(files, `${INCIDENT.callId}.${'0'.repeat(64)}.ids`));
  expect(await spool.ids()).toEqual(new Map());
});
