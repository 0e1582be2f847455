/** Tests answers with and without the envelope, and the answer to an unexpected error. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runInEnvelope, toToolResult } from '../src/answer.ts';
import { ArgusError } from '../src/errors.ts';

let logFolder: string;
beforeEach(() => {
  logFolder = mkdtempSync(path.join(tmpdir(), 'argus-answer-'));
  vi.stubEnv('ARGUS_LOG_DIR', logFolder);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const parseAnswerText = (result: unknown) => JSON.parse(Object(result).content[0].text);

test('returns an answer with and without the envelope', async () => {
  const envelope = await runInEnvelope(async () => ({ a: 'x\u202e' }));
  expect(toToolResult(envelope, true)).toEqual({ content: [expect.anything()], structuredContent: { a: 'x' } });
  expect(parseAnswerText(toToolResult(envelope, true))).toEqual({ a: 'x' });
  expect(parseAnswerText(toToolResult(envelope, false))).toEqual({
    success: true,
    data: { a: 'x' },
    timestamp: expect.any(Number),
  });
});

test('returns an error with and without the envelope', async () => {
  const error = { code: 'INVALID_INPUT', message: 'Say more.' } as const;
  const envelope = await runInEnvelope(() => Promise.reject(new ArgusError(error.code, error.message)));
  expect(parseAnswerText(toToolResult(envelope, true))).toEqual({ error });
  expect(parseAnswerText(toToolResult(envelope, false))).toMatchObject({ success: false, error });
  for (const bare of [true, false]) {
    expect(toToolResult(envelope, bare)).toEqual({ content: [expect.anything()], isError: true });
  }
});

test('answers an unexpected error with a reference, and logs it without secrets', async () => {
  const secret = `ghp_${'aB3dE5gH7jK9'.repeat(3)}`;
  const envelope = await runInEnvelope(() => Promise.reject(new Error(`broke on ${secret}`)));
  const { error } = parseAnswerText(toToolResult(envelope, true));
  expect(error).toEqual({ code: 'INTERNAL_ERROR', message: expect.stringMatching(/reference err-[0-9a-f]{8}/u) });
  expect(error.message).not.toContain('broke');
  const logged = readFileSync(path.join(logFolder, 'argus.log'), 'utf8');
  expect(logged).toContain('broke on');
  expect(logged).not.toContain(secret);
});
