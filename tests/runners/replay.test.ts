/** Plays the scenarios from their recordings. With the real programs: real.test.ts and real.full.test.ts. */

import { expect, test } from 'vitest';
import { recordingNames } from './recording.ts';
import { replay } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

const recorded = SCENARIOS.filter(({ recording }) => recording !== undefined);

for (const scenario of recorded) test(scenario.name, () => replay(scenario));

test('each recording belongs to exactly one scenario', () => {
  expect(recordingNames().sort()).toEqual(recorded.map(({ recording }) => recording).sort());
});
