/** Two servers, each a process, that write one debug memory at the same moment. In one process: memory-places.test.ts. */

import { expect, onTestFinished, test } from 'vitest';
import { type Agent, connectProcess, project, someUser } from '../harness.ts';

const ENV = { os: 'linux', language: 'python', language_major: 3 };
const ROUNDS = 5;
const OUTCOMES = 40;

async function servers(root: string): Promise<[Agent, Agent]> {
  const user = someUser();
  const both: [Agent, Agent] = [
    await connectProcess('2026-07-28', user, root),
    await connectProcess('2026-07-28', user, root),
  ];
  onTestFinished(async () => {
    for (const agent of both) await agent.close();
  });
  return both;
}

const incident = (error: string) => ({
  title: error,
  error_signature: error,
  steps: 'Stop it.',
  env: ENV,
  worked: true,
});

test('of two servers that add one incident at once one adds it, to one memory or to two', async () => {
  const root = project();
  const [a, b] = await servers(root);
  // A file that does not exist cannot be locked, so both are made first.
  await a.ask('add_incident', { ...incident('DriftError: gyroscope'), projectPath: root });
  await b.ask('add_incident', incident('LeakError: radiator'));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const other of [root, undefined]) {
      const number = other === root ? round : ROUNDS + round;
      const one = incident(`StalledTurbine${number}Error: blade${number} hit the casing${number}`);
      const answers = await Promise.all([
        a.ask('add_incident', { ...one, projectPath: root }),
        b.ask('add_incident', { ...one, projectPath: other }),
      ]);
      expect(answers.filter(({ created }) => created === true)).toHaveLength(1);
      expect(new Set(answers.map(({ incident_id }) => incident_id)).size).toBe(1);
    }
  }
});

test('outcomes that two servers record at once are all counted', async () => {
  const root = project();
  const both = await servers(root);
  const [a] = both;
  const { solution_id } = await a.ask('add_incident', { ...incident('DriftError: gyroscope'), projectPath: root });
  const outcome = (worked: boolean) => ({ solution_id, worked, env: ENV, projectPath: root });
  const outcomes = Array.from({ length: OUTCOMES }, (_, index) => outcome(index % 4 !== 0));
  await Promise.all(both.flatMap((agent) => outcomes.map((one) => agent.ask('record_outcome', one))));
  const { solution_stats } = await a.ask('record_outcome', outcome(true));
  expect(solution_stats).toMatchObject({ worked: OUTCOMES * 1.5 + 2, failed: OUTCOMES / 2 });
});
