/** Tests the fix loop on the published wasm. `crates/engine/src/fix_loop/tests.rs` tests its rules. */
import { createFixLoop, type FixEvent, type FixFailure } from 'argus-engine';
import { expect, test } from 'vitest';

const fixLoop = createFixLoop();

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

test('returns retry delays between zero and the computed delay', () => {
  const start = fixLoop.begin({ ...START, jitter: true, backoff: 10 });
  const running = fixLoop.advance(start, { type: 'attempt_started' }).state;
  const refused = createAttemptFinished({ text: 'Error: connect ECONNREFUSED 127.0.0.1:1', exit_code: 1 });
  const delays = Array.from({ length: 20 }, () => fixLoop.advance(running, refused).decision.delay_seconds);
  expect(new Set(delays).size).toBeGreaterThan(1);
  expect(delays.every((delay) => delay >= 0 && delay <= 10)).toBe(true);
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
