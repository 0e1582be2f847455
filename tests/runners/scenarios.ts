/** Every scenario. */

import { RUNNER_SCENARIOS } from './runners.ts';
import type { Scenario } from './scenario.ts';
import { CASES } from './scenarios/cases.ts';
import { COUNTS } from './scenarios/counts.ts';
import { GO } from './scenarios/go.ts';
import { NESTED } from './scenarios/nested.ts';
import { PRINTED } from './scenarios/printed.ts';
import { PYTHON_RUNNERS } from './scenarios/python.ts';
import { VITEST_AND_JEST } from './scenarios/vitest-and-jest.ts';

export const SCENARIOS: readonly Scenario[] = [
  ...RUNNER_SCENARIOS,
  ...CASES,
  ...VITEST_AND_JEST,
  ...COUNTS,
  ...GO,
  ...PRINTED,
  ...NESTED,
  ...PYTHON_RUNNERS,
];
