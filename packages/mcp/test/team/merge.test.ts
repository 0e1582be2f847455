/** One answer of two memories: against one memory that has all of both. */

import { type Engine, openEngine, type RankedSolutionsResult } from 'argus-engine';
import { afterAll, expect, test } from 'vitest';
import { merged } from '../../src/team/client/merge.ts';

const engines: Engine[] = [];
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
});

async function memory(): Promise<Engine> {
  const engine = await openEngine({ databasePath: ':memory:', projectRoot: '/project', locale: 'en' });
  engines.push(engine);
  return engine;
}

const ENV = { os: 'linux' };
const THINGS = ['boiler', 'pump', 'valve', 'burner', 'thermostat', 'radiator', 'chimney', 'gauge'];
const FAULTS = [
  'is cold after a restart',
  'rattles under load',
  'leaks at the joint',
  'reports a timeout',
  'will not start',
];
const INCIDENTS = THINGS.flatMap((thing, at) =>
  FAULTS.map((fault, index) => ({
    title: `The ${thing} ${fault}`,
    error_signature: `Error: ${thing} ${fault} (code ${at}${index})`,
    steps: `Replace part ${at}-${index} of the ${thing}.`,
    env: ENV,
    worked: (at + index) % 3 !== 0,
    force: true,
  })),
);

const LIMIT = 50;
const CERTAIN = 5;

const stepsOf = ({ ranked_solutions }: RankedSolutionsResult) => ranked_solutions.map(({ steps }) => steps).sort();

test('nothing that one memory would have found is lost', async () => {
  const [whole, team, local] = [await memory(), await memory(), await memory()];
  for (const [at, incident] of INCIDENTS.entries()) {
    await whole.addIncident(incident);
    await (at % 2 === 0 ? team : local).addIncident(incident);
  }
  for (const { title } of INCIDENTS) {
    const params = { query_text: title, env: ENV, limit: LIMIT };
    const asked = await Promise.all([whole, team, local].map((engine) => engine.rankedSolutions(params)));
    const [all, ofTeam, ofLocal] = asked as [RankedSolutionsResult, RankedSolutionsResult, RankedSolutionsResult];
    const one = merged(ofTeam, ofLocal, params);
    // An answer has ten incidents at most, and which is the tenth may differ: the two weigh words by what they have.
    const certain = all.incidents.slice(0, CERTAIN).map(({ incident_id }) => incident_id);
    const steps = all.ranked_solutions
      .filter(({ incident_id }) => certain.includes(incident_id))
      .map((one) => one.steps);
    expect(steps.length).toBeGreaterThan(0);
    expect(stepsOf(one), title).toEqual(expect.arrayContaining(steps));
    expect(one.incidents[0]?.title, 'the best is the best').toBe(all.incidents[0]?.title);
    const scores = one.ranked_solutions.map(({ final_solution_score: score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  }
});

test('a limit holds for both together, and what is left out is counted', async () => {
  const [team, local] = [await memory(), await memory()];
  for (const engine of [team, local]) {
    for (const steps of ['Bleed it.', 'Relight it.', 'Replace it.']) {
      await engine.addIncident({ title: 'The boiler is cold', steps, env: ENV, worked: true, force: true });
    }
  }
  const params = { query_text: 'The boiler is cold', env: ENV, limit: 2 };
  const one = merged(await team.rankedSolutions(params), await local.rankedSolutions(params), params);
  expect(one).toMatchObject({ ranked_solutions: { length: 2 }, more: 4 });
});

test('with nothing here, the answer is the team’s', async () => {
  const [team, local] = [await memory(), await memory()];
  await team.addIncident({ title: 'The boiler is cold', steps: 'Relight it.', env: ENV, worked: true });
  const params = { query_text: 'The boiler is cold', env: ENV };
  const answer = await team.rankedSolutions(params);
  expect(merged(answer, await local.rankedSolutions(params), params)).toBe(answer);
  expect(merged(answer, undefined, params)).toBe(answer);
});

test('what only this machine knows is recommended, and what to do next follows from it', async () => {
  const [team, local] = [await memory(), await memory()];
  await local.addIncident({ title: 'The boiler is cold', steps: 'Relight it.', env: ENV, worked: true });
  const params = { query_text: 'The boiler is cold', env: ENV };
  const [ofTeam, ofLocal] = [await team.rankedSolutions(params), await local.rankedSolutions(params)];
  expect(merged(ofTeam, ofLocal, params)).toMatchObject({
    lookup_id: ofTeam.lookup_id,
    recommended_solution: { steps: 'Relight it.' },
    next_action: ofLocal.next_action,
  });
});
