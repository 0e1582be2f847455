import { createFixLoop, type FixEvent, type FixFailure, type FixStart, type FixState } from 'argus-engine';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { readVectorRows } from './setup.ts';

const fixLoop = createFixLoop();

const FailureSchema = z.looseObject({
  text: z.string(),
  exit_code: z.number().nullable().default(null),
  timed_out: z.boolean().nullable().default(null),
});
const StepSchema = z.object({
  event: z.custom<FixEvent>().optional(),
  failure: FailureSchema.optional(),
  type: z.string(),
  status: z.string().optional(),
  approach: z.string().optional(),
  escalation: z.string().optional(),
  delay_seconds: z.number().optional(),
});
const LoopScenarioSchema = z.object({ name: z.string(), start: z.custom<FixStart>(), steps: z.array(StepSchema) });

function createAttemptFinished(failure: FixFailure): FixEvent {
  const error = fixLoop.understand(failure);
  return {
    type: 'attempt_finished',
    exit_code: failure.exit_code ?? 1,
    timed_out: failure.timed_out ?? false,
    duration_seconds: 2,
    error,
  };
}

const START = { command: 'npm test', desired: 'passes', started: '2026-01-01T00:00:00Z' };

test.each(readVectorRows('fix-loop-walks.jsonl', LoopScenarioSchema))('$name', ({ start, steps }) => {
  let state = fixLoop.begin(start);
  for (const step of steps) {
    const event = step.failure === undefined ? step.event : createAttemptFinished(step.failure);
    if (event === undefined) throw new Error('a step is an event or a failure');
    const advanced = fixLoop.advance(state, event, 0.5);
    expect(advanced.decision).toMatchObject({
      type: step.type,
      ...(step.escalation !== undefined && { escalation: step.escalation }),
      ...(step.approach !== undefined && { approach: { name: step.approach } }),
      ...(step.delay_seconds !== undefined && { delay_seconds: step.delay_seconds }),
    });
    expect(advanced.state.status).toBe(step.status ?? advanced.state.status);
    if (step.type === 'refused') expect(advanced.state).toEqual(state);
    else expect(fixLoop.nextStep(advanced.state).decision).toEqual(advanced.decision);
    // Serializing and parsing must not change the state.
    state = fixLoop.readState(JSON.stringify(advanced.state, undefined, 2), state.command_hash);
    expect(state).toEqual(advanced.state);
  }
});

test('rejects invalid start values and invalid states with an error code', () => {
  const code = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      return error instanceof Error && 'code' in error ? error.code : error;
    }
    return undefined;
  };
  expect(code(() => fixLoop.begin({ ...START, timeout: -5 }))).toBe('INVALID_INPUT');
  expect(code(() => fixLoop.begin({ ...START, desired: ' ' }))).toBe('INVALID_INPUT');
  const text = JSON.stringify(fixLoop.begin(START));
  expect(code(() => fixLoop.readState(text.slice(0, 100)))).toBe('STATE_UNREADABLE');
  expect(code(() => fixLoop.readState(text, 'ffffffff'))).toBe('STATE_MISMATCH');
  expect(code(() => fixLoop.readState(text.replace('"version":1', '"version":9')))).toBe('STATE_NEWER');
  const broken: FixState = { ...fixLoop.begin(START), max_attempts: 1e9 };
  expect(code(() => fixLoop.advance(broken, { type: 'attempt_started' }))).toBe('STATE_UNREADABLE');
});

test('returns retry delays between zero and the computed delay', () => {
  const start = fixLoop.begin({ ...START, jitter: true, backoff: 10 });
  const running = fixLoop.advance(start, { type: 'attempt_started' }).state;
  const refused = createAttemptFinished({ text: 'Error: connect ECONNREFUSED 127.0.0.1:1', exit_code: 1 });
  const delays = Array.from({ length: 20 }, () => fixLoop.advance(running, refused).decision.delay_seconds);
  expect(new Set(delays).size).toBeGreaterThan(1);
  expect(delays.every((delay) => delay >= 0 && delay <= 10)).toBe(true);
});

test('detects prompts and redacts long texts', () => {
  expect(fixLoop.prompt('Project name: ', true)).toBe('Project name:');
  expect(fixLoop.prompt('Compiling...\n', true)).toBeUndefined();
  const token = ['ghp', 'Fake1Fake2Fake3Fake4Fake5Fake6Fake7Fake8'].join('_');
  expect(fixLoop.redact(`${'x\n'.repeat(300_000)}token ${token}\n`)).not.toContain('Fake3');
});

test('changes the settings of a loop and rejects invalid values', () => {
  const begun = fixLoop.begin(START);
  const adjusted = fixLoop.adjust(begun, { desired: 'All is green', timeout: 7, auto: true, max_attempts: 50 });
  expect(adjusted).toEqual({ ...begun, desired: 'All is green', timeout_seconds: 7, auto: true });
  expect(fixLoop.adjust(adjusted, {})).toEqual(adjusted);
  expect(() => fixLoop.adjust(begun, { timeout: 0 })).toThrow(/timeout must be/u);
});

test('keeps the fields that the host adds to a state', () => {
  const begun = fixLoop.begin(START);
  const state = { ...begun, host: { ...begun.host, base: 'refs/argus/fixes/0', remarks: ['a note'] } };
  expect(fixLoop.advance(state, { type: 'attempt_started' }).state.host).toEqual(state.host);
});
