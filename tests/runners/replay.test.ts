/** Replays the scenarios from their recordings. real.test.ts and real.full.test.ts use the real programs. */

import { expect, test } from 'vitest';
import { listRecordingNames } from './recording.ts';
import { replayScenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

const recordedScenarios = SCENARIOS.filter(({ recording }) => recording !== undefined);

for (const scenario of recordedScenarios) test(scenario.name, () => replayScenario(scenario));

test('each recording belongs to exactly one scenario', () => {
  expect(listRecordingNames().sort()).toEqual(recordedScenarios.map(({ recording }) => recording).sort());
});
