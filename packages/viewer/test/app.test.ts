// What a chat hands to the page is read field by field.
import { expect, test } from 'vitest';
import { readAnswer } from '../src/app/answer.ts';

const ROW = {
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

test('an answer of the tool is its rows', () => {
  const answer = readAnswer({ success: true, data: { patterns: [ROW], total: 7, warnings: ['stored nowhere'] } });
  expect(answer).toMatchObject({
    rows: [{ id: 'pat-1', category: 'TIMEOUT' }],
    total: 7,
    warnings: ['stored nowhere'],
  });
});

test('an error of the tool is its message', () => {
  expect(readAnswer({ success: false, error: { code: 'X', message: 'No project' } })?.error).toBe('No project');
});

test.each([undefined, null, 'text', [], {}, { data: {} }, { data: { patterns: 'x' } }])(
  '%j is no answer',
  (content) => {
    expect(readAnswer(content)).toBeUndefined();
  },
);

test('fields of another kind become what can be shown', () => {
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
