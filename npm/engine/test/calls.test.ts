/** Tests the list of calls on the published wasm. */
import { readFileSync } from 'node:fs';
import { type CallName, WRITING_CALLS } from 'argus-engine';
import { expect, test } from 'vitest';
import { asEngineError } from '../src/errors.ts';
import { openTestEngine } from './setup.ts';

const CALL_SCHEMAS: { calls: Record<string, unknown> } = JSON.parse(
  readFileSync(new URL('../src/generated/calls.schema.json', import.meta.url), 'utf8'),
);

const INCIDENT_PARAMS = { title: 'The belt slips', steps: 'Tighten it', env: {}, worked: true } as const;

test('derives ids from the call id', async () => {
  const callId = '0195220c-2a00-7abc-8def-001122334455';
  const [here, there] = [await openTestEngine({ locale: 'en' }), await openTestEngine({ locale: 'en' })];
  const first = await here.call('addIncident', INCIDENT_PARAMS, callId);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await there.call('addIncident', INCIDENT_PARAMS, callId)).toEqual(first);
  expect(first).toMatchObject({ incident_id: expect.stringMatching(/^inc-0195220c-2a00-7/u) });
  const another = await (await openTestEngine({ locale: 'en' })).call('addIncident', INCIDENT_PARAMS, 'another');
  expect(another).not.toEqual(first);
});

test('creates new ids for calls without an id', async () => {
  const [here, there] = [await openTestEngine({ locale: 'en' }), await openTestEngine({ locale: 'en' })];
  expect(await here.addIncident(INCIDENT_PARAMS)).not.toEqual(await there.addIncident(INCIDENT_PARAMS));
});

test('has a method for every call with a schema', async () => {
  const engine = await openTestEngine({ locale: 'en' });
  const names = Object.keys(CALL_SCHEMAS.calls);
  expect(names).toEqual(expect.arrayContaining([...WRITING_CALLS]));
  for (const name of names) {
    expect(engine, name).toHaveProperty(name);
    // These params are invalid for every call, so an error about the call's name would mean that the call is missing.
    const refused = engine.call(name as CallName, { nonsense: true } as never);
    await refused.catch((error) => expect(error.message, name).not.toContain('This call does not exist'));
  }
  await expect(engine.call('free' as CallName, {} as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

test('passes texts to the engine unchanged, except that lone surrogates are replaced', async () => {
  const engine = await openTestEngine({ locale: 'en' });
  const texts = ['\\ud83d', 'C:\\udata\\new', 'a\ud83db', '\ud83d\ude00', '"\\\\\ud83d\\n'];
  for (const text of texts) {
    const { incident_id: id } = (await engine.addIncident({ ...INCIDENT_PARAMS, title: `t${text}`, force: true })) as {
      incident_id: string;
    };
    expect((await engine.incident({ id })).title).toBe(`t${text.toWellFormed()}`);
  }
});

test('reports an unknown error code as an internal error', () => {
  const error = asEngineError({ code: 'SOMETHING_NEW', message: 'words' });
  expect(error).toMatchObject({ code: 'INTERNAL_ERROR', message: expect.stringContaining('words') });
  expect(asEngineError(new Error('unreachable'))).toBeUndefined();
});
