/** Compares the merged answers of two memories with the answer of a single memory that has all the data. */

import { type Engine, openEngine, type RankedSolutionsResult } from 'argus-engine';
import { expect, onTestFinished, test } from 'vitest';
import { mergeSolutions } from '../../src/team/client/team-store.ts';

async function openMemory(): Promise<Engine> {
  const engine = await openEngine({ databasePath: ':memory:', projectRoot: '/project', locale: 'en' });
  onTestFinished(() => engine.close());
  return engine;
}

const ENVIRONMENT = { os: 'linux' };
const BOILER_INCIDENT = {
  title: 'The boiler is cold',
  steps: 'Relight it.',
  env: ENVIRONMENT,
  worked: true,
  force: true,
};
const SEARCH_PARAMS = { query_text: BOILER_INCIDENT.title, env: ENVIRONMENT };

const DEVICES = ['boiler', 'pump', 'valve', 'burner', 'thermostat', 'radiator'];
const FAULT_TEXTS = ['is cold after a restart', 'rattles under load', 'leaks at the joint', 'will not start'];
const INCIDENTS = DEVICES.flatMap((thing, at) =>
  FAULT_TEXTS.map((fault, index) => ({
    title: `The ${thing} ${fault}`,
    error_signature: `Error: ${thing} ${fault} (code ${at}${index})`,
    steps: `Replace part ${at}-${index} of the ${thing}.`,
    env: ENVIRONMENT,
    worked: (at + index) % 3 !== 0,
    force: true,
  })),
);

/**
 * Compares only the first of ten incidents. Each memory weighs words by its own data, so the order of the last
 * incidents may differ.
 */
const COMPARED_INCIDENTS = 5;

const listSteps = ({ ranked_solutions }: Pick<RankedSolutionsResult, 'ranked_solutions'>) =>
  ranked_solutions.map(({ steps }) => steps).sort();

test('returns all solutions of the best incidents, best first', async () => {
  const [combined, team, local] = [await openMemory(), await openMemory(), await openMemory()];
  for (const [at, incident] of INCIDENTS.entries()) {
    await combined.addIncident(incident);
    await (at % 2 === 0 ? team : local).addIncident(incident);
  }
  for (const { title } of INCIDENTS) {
    const params = { query_text: title, env: ENVIRONMENT, limit: 50 };
    const combinedResult = await combined.rankedSolutions(params);
    const one = mergeSolutions(await team.rankedSolutions(params), await local.rankedSolutions(params), params);
    const best = combinedResult.incidents.slice(0, COMPARED_INCIDENTS).map(({ incident_id }) => incident_id);
    const certain = combinedResult.ranked_solutions.filter(({ incident_id }) => best.includes(incident_id));
    expect(certain).not.toEqual([]);
    expect(listSteps(one), title).toEqual(expect.arrayContaining(listSteps({ ranked_solutions: certain })));
    expect(one.incidents[0]?.title).toBe(combinedResult.incidents[0]?.title);
    const scores = one.ranked_solutions.map(({ final_solution_score: score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  }
});

test('applies the limit to both memories together and counts the omitted solutions', async () => {
  const [team, local] = [await openMemory(), await openMemory()];
  for (const engine of [team, local]) {
    for (const steps of ['Bleed it.', 'Relight it.', 'Replace it.'])
      await engine.addIncident({ ...BOILER_INCIDENT, steps });
  }
  const params = { ...SEARCH_PARAMS, limit: 2 };
  const one = mergeSolutions(await team.rankedSolutions(params), await local.rankedSolutions(params), params);
  expect(one).toMatchObject({ ranked_solutions: { length: 2 }, more: 4 });
});

test('returns the answer of the team unchanged if this machine knows nothing', async () => {
  const [team, local] = [await openMemory(), await openMemory()];
  await team.addIncident(BOILER_INCIDENT);
  const answer = await team.rankedSolutions(SEARCH_PARAMS);
  expect(mergeSolutions(answer, await local.rankedSolutions(SEARCH_PARAMS), SEARCH_PARAMS)).toBe(answer);
  expect(mergeSolutions(answer, undefined, SEARCH_PARAMS)).toBe(answer);
});

test('recommends a solution that only this machine knows, together with its next action', async () => {
  const [team, local] = [await openMemory(), await openMemory()];
  await local.addIncident(BOILER_INCIDENT);
  const [teamResult, localResult] = [
    await team.rankedSolutions(SEARCH_PARAMS),
    await local.rankedSolutions(SEARCH_PARAMS),
  ];
  expect(mergeSolutions(teamResult, localResult, SEARCH_PARAMS)).toMatchObject({
    lookup_id: teamResult.lookup_id,
    recommended_solution: { steps: BOILER_INCIDENT.steps },
    next_action: localResult.next_action,
  });
});
