/** How much any answer over MCP may say. Real answers of a server: tests/e2e/protocol/answers.test.ts. */

import { expect, test } from 'vitest';
import { fitAnswer } from '../../src/tools/shared/budget.ts';

const MAX_CHARACTERS = 24_000;
const size = (answer: object) => JSON.stringify(answer).length;

test('an answer that is short enough stays as it is', () => {
  const answer = { report: 'x'.repeat(20_000) };
  expect(fitAnswer(answer)).toBe(answer);
});

test('long texts are cut, and what to do next is whole', () => {
  const next_action = {
    type: 'APPLY',
    instructions: 'edit, then call',
    arguments: { projectPath: `/${'p'.repeat(900)}` },
  };
  const answer = { report: 'x'.repeat(60_000), output: 'y'.repeat(60_000), warnings: ['seen'], next_action };
  const fitted = fitAnswer(answer);
  expect(size(fitted)).toBeLessThanOrEqual(MAX_CHARACTERS);
  expect(fitted.next_action).toEqual(next_action);
  expect(fitted.report).toMatch(/^x{5000,}… \(\d+ more characters\)$/u);
  expect(fitted.warnings).toEqual([expect.stringContaining('are cut'), 'seen']);
});

test('long lists keep their first entries, however deep they are', () => {
  const many = Array.from({ length: 2_000 }, (_, at) => `${at}: ${'z'.repeat(100)}`);
  const fitted = fitAnswer({ failure: { tests: many }, warnings: many });
  expect(size(fitted)).toBeLessThanOrEqual(MAX_CHARACTERS);
  expect(fitted.failure.tests.slice(0, 2)).toEqual(many.slice(0, 2));
  expect(fitted.warnings[0]).toContain('are cut');
});
