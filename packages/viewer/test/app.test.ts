// Data from a chat may have any shape, so the page reads it field by field.
import { expect, test } from 'vitest';
import { readAnswer } from '../src/app/tool-answer.ts';

const PATTERN_ROW = {
  id: 'pat-1',
  category: 'TIMEOUT',
  signature: 'aa',
  signaturePattern: 'TIMEOUT::a::b',
  description: 'Test timed out',
  suggestedFix: null,
  confidence: 0.5,
  occurrences: 4,
  resolutions: 2,
  source: 'learned',
  firstSeenAt: '2026-03-14T12:00:00Z',
  lastSeenAt: '2026-03-14T12:00:00Z',
  updatedAt: '2026-03-14T12:00:00Z',
};

test("reads the patterns of the tool's answer", () => {
  const answer = readAnswer({
    success: true,
    data: { patterns: [PATTERN_ROW], total: 7, warnings: ['stored nowhere'] },
  });
  expect(answer).toMatchObject({
    rows: [{ id: 'pat-1', category: 'TIMEOUT' }],
    total: 7,
    warnings: ['stored nowhere'],
  });
});

test("reads the message of the tool's error", () => {
  expect(readAnswer({ success: false, error: { code: 'X', message: 'No project' } })?.error).toBe('No project');
});

test.each([undefined, null, 'text', [], {}, { data: {} }, { data: { patterns: 'x' } }])(
  'rejects %j as an answer',
  (content) => {
    expect(readAnswer(content)).toBeUndefined();
  },
);

test('replaces fields of an unexpected type by values that can be shown', () => {
  const row = { id: 7, category: 'NEW_ONE', description: {}, confidence: 40, occurrences: Number.NaN, source: 'x' };
  const answer = readAnswer({ data: { patterns: [row, null, 'x'], total: -1 } });
  expect(answer?.rows).toEqual([
    {
      id: '',
      category: 'UNKNOWN',
      description: '',
      suggestedFix: null,
      confidence: 1,
      occurrences: 0,
      resolutions: 0,
      source: 'learned',
      lastSeenAt: '',
      signaturePattern: '',
    },
  ]);
  expect(answer?.total).toBe(1);
});
