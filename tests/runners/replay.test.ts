/** The scenarios from their recordings. With the real programs: real.test.ts and real.full.test.ts. */

import { test } from 'vitest';
import { replay } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

for (const scenario of SCENARIOS) {
  if (scenario.recording !== undefined) test(scenario.name, () => replay(scenario));
}
