import { createFixLoop, type FixEvent, type FixFailure, type FixStart, type FixState } from 'argus-engine';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { rows } from './setup.ts';

const loop = createFixLoop();

const Failure = z.looseObject({
  text: z.string(),
  exit_code: z.number().nullable().default(null),
  timed_out: z.boolean().nullable().default(null),
});
const Step = z.object({
  event: z.custom<FixEvent>().optional(),
  failure: Failure.optional(),
  type: z.string(),
  status: z.string().optional(),
  approach: z.string().optional(),
  escalation: z.string().optional(),
  delay_seconds: z.number().optional(),
});
const Walk = z.object({ name: z.string(), start: z.custom<FixStart>(), steps: z.array(Step) });

function finished(failure: FixFailure): FixEvent {
  const error = loop.understand(failure);
  return {
    type: 'attempt_finished',
    exit_code: failure.exit_code ?? 1,
    timed_out: failure.timed_out ?? false,
    duration_seconds: 2,
    error,
  };
}

const command = { command: 'npm test', desired: 'passes', started: '2026-01-01T00:00:00Z' };

test.each(rows('fix-loop-walks.jsonl', Walk))('$name', ({ start, steps }) => {
  let state = loop.begin(start);
  for (const step of steps) {
    const event = step.failure === undefined ? step.event : finished(step.failure);
    if (event === undefined) throw new Error('a step is an event or a failure');
    const advanced = loop.advance(state, event, 0.5);
    expect(advanced.decision).toMatchObject({
      type: step.type,
      ...(step.escalation !== undefined && { escalation: step.escalation }),
      ...(step.approach !== undefined && { approach: { name: step.approach } }),
      ...(step.delay_seconds !== undefined && { delay_seconds: step.delay_seconds }),
    });
    expect(advanced.state.status).toBe(step.status ?? advanced.state.status);
    if (step.type === 'refused') expect(advanced.state).toEqual(state);
    else expect(loop.outlook(advanced.state).decision).toEqual(advanced.decision);
    // Writing and reading must not change the state.
    state = loop.readState(JSON.stringify(advanced.state, undefined, 2), state.command_hash);
    expect(state).toEqual(advanced.state);
  }
});

test('rejects invalid starts and states with a code', () => {
  const code = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      return error instanceof Error && 'code' in error ? error.code : error;
    }
    return undefined;
  };
  expect(code(() => loop.begin({ ...command, timeout: -5 }))).toBe('INVALID_INPUT');
  expect(code(() => loop.begin({ ...command, desired: ' ' }))).toBe('INVALID_INPUT');
  const text = JSON.stringify(loop.begin(command));
  expect(code(() => loop.readState(text.slice(0, 100)))).toBe('STATE_UNREADABLE');
  expect(code(() => loop.readState(text, 'ffffffff'))).toBe('STATE_MISMATCH');
  expect(code(() => loop.readState(text.replace('"version":1', '"version":9')))).toBe('STATE_NEWER');
  const broken: FixState = { ...loop.begin(command), max_attempts: 1e9 };
  expect(code(() => loop.advance(broken, { type: 'attempt_started' }))).toBe('STATE_UNREADABLE');
});

test('draws jitter up to the delay', () => {
  const start = loop.begin({ ...command, jitter: true, backoff: 10 });
  const running = loop.advance(start, { type: 'attempt_started' }).state;
  const refused = finished({ text: 'Error: connect ECONNREFUSED 127.0.0.1:1', exit_code: 1 });
  const delays = Array.from({ length: 20 }, () => loop.advance(running, refused).decision.delay_seconds);
  expect(new Set(delays).size).toBeGreaterThan(1);
  expect(delays.every((delay) => delay >= 0 && delay <= 10)).toBe(true);
});

test('detects prompts and redacts long texts', () => {
  expect(loop.prompt('Project name: ', true)).toBe('Project name:');
  expect(loop.prompt('Compiling...\n', true)).toBeUndefined();
  const token = ['ghp', 'Fake1Fake2Fake3Fake4Fake5Fake6Fake7Fake8'].join('_');
  expect(loop.redact(`${'x\n'.repeat(300_000)}token ${token}\n`)).not.toContain('Fake3');
});

test('adjusts a loop and rejects invalid values', () => {
  const begun = loop.begin(command);
  const adjusted = loop.adjust(begun, { desired: 'All is green', timeout: 7, auto: true, max_attempts: 50 });
  expect(adjusted).toEqual({ ...begun, desired: 'All is green', timeout_seconds: 7, auto: true });
  expect(loop.adjust(adjusted, {})).toEqual(adjusted);
  expect(() => loop.adjust(begun, { timeout: 0 })).toThrow(/timeout must be/u);
});

test('keeps the fields of the host in a state', () => {
  const begun = loop.begin(command);
  const state = { ...begun, host: { ...begun.host, base: 'refs/argus/fixes/0', remarks: ['a note'] } };
  expect(loop.advance(state, { type: 'attempt_started' }).state.host).toEqual(state.host);
});
