/** Limits the size of any answer over MCP. `tests/e2e/protocol/answers.test.ts` checks real answers of a server. */

import { expect, test } from 'vitest';
import { fitAnswer } from '../../src/tools/shared/answer-size.ts';

const MAX_CHARACTERS = 24_000;
const countCharacters = (answer: object) => JSON.stringify(answer).length;

test('returns a short answer unchanged', () => {
  const answer = { report: 'x'.repeat(20_000) };
  expect(fitAnswer(answer)).toBe(answer);
});

test('shortens long texts but not the next action', () => {
  const next_action = {
    type: 'APPLY',
    instructions: 'edit, then call',
    arguments: { projectPath: `/${'p'.repeat(900)}` },
  };
  const answer = { report: 'x'.repeat(60_000), output: 'y'.repeat(60_000), warnings: ['seen'], next_action };
  const fitted = fitAnswer(answer);
  expect(countCharacters(fitted)).toBeLessThanOrEqual(MAX_CHARACTERS);
  expect(fitted.next_action).toEqual(next_action);
  expect(fitted.report).toMatch(/^x{5000,}… \(\d+ more characters\)$/u);
  expect(fitted.warnings).toEqual([expect.stringContaining('were cut'), 'seen']);
});

test('keeps the first entries of long lists at any depth', () => {
  const many = Array.from({ length: 2_000 }, (_, at) => `${at}: ${'z'.repeat(100)}`);
  const fitted = fitAnswer({ failure: { tests: many }, warnings: many });
  expect(countCharacters(fitted)).toBeLessThanOrEqual(MAX_CHARACTERS);
  expect(fitted.failure.tests.slice(0, 2)).toEqual(many.slice(0, 2));
  expect(fitted.warnings[0]).toContain('were cut');
});
