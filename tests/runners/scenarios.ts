/** The list of all scenarios. */

import { RUNNER_SCENARIOS } from './runners.ts';
import type { Scenario } from './scenario.ts';
import { CASE_SCENARIOS } from './scenarios/cases.ts';
import { COUNT_SCENARIOS } from './scenarios/counts.ts';
import { GO_SCENARIOS } from './scenarios/go.ts';
import { GREEN_SCENARIOS } from './scenarios/green.ts';
import { NESTED_SCENARIOS } from './scenarios/nested.ts';
import { PRINTED_SCENARIOS } from './scenarios/printed.ts';
import { PYTHON_RUNNER_SCENARIOS } from './scenarios/python.ts';
import { VITEST_AND_JEST_SCENARIOS } from './scenarios/vitest-and-jest.ts';

export const SCENARIOS: readonly Scenario[] = [
  ...RUNNER_SCENARIOS,
  ...CASE_SCENARIOS,
  ...VITEST_AND_JEST_SCENARIOS,
  ...COUNT_SCENARIOS,
  ...GO_SCENARIOS,
  ...GREEN_SCENARIOS,
  ...PRINTED_SCENARIOS,
  ...NESTED_SCENARIOS,
  ...PYTHON_RUNNER_SCENARIOS,
];
