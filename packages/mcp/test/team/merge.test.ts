/** Compares the merged answers of two memories with the answer of a single memory with all the data. */

import { type Engine, openEngine, type RankedSolutionsResult } from 'argus-engine';
import { expect, onTestFinished, test } from 'vitest';
import { merged } from '../../src/team/client/merge.ts';

async function memory(): Promise<Engine> {
  const engine = await openEngine({ databasePath: ':memory:', projectRoot: '/project', locale: 'en' });
  onTestFinished(() => engine.close());
  return engine;
}

const ENV = { os: 'linux' };
const BOILER = { title: 'The boiler is cold', steps: 'Relight it.', env: ENV, worked: true, force: true };
const SEARCH = { query_text: BOILER.title, env: ENV };

const THINGS = ['boiler', 'pump', 'valve', 'burner', 'thermostat', 'radiator'];
const FAULTS = ['is cold after a restart', 'rattles under load', 'leaks at the joint', 'will not start'];
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

/**
 * Compares only the first of ten incidents, because each memory weighs words by its own data and the last
 * incidents may differ.
 */
const CERTAIN = 5;

const stepsOf = ({ ranked_solutions }: Pick<RankedSolutionsResult, 'ranked_solutions'>) =>
  ranked_solutions.map(({ steps }) => steps).sort();

test('has all solutions of the best incidents, best first', async () => {
  const [whole, team, local] = [await memory(), await memory(), await memory()];
  for (const [at, incident] of INCIDENTS.entries()) {
    await whole.addIncident(incident);
    await (at % 2 === 0 ? team : local).addIncident(incident);
  }
  for (const { title } of INCIDENTS) {
    const params = { query_text: title, env: ENV, limit: 50 };
    const all = await whole.rankedSolutions(params);
    const one = merged(await team.rankedSolutions(params), await local.rankedSolutions(params), params);
    const best = all.incidents.slice(0, CERTAIN).map(({ incident_id }) => incident_id);
    const certain = all.ranked_solutions.filter(({ incident_id }) => best.includes(incident_id));
    expect(certain).not.toEqual([]);
    expect(stepsOf(one), title).toEqual(expect.arrayContaining(stepsOf({ ranked_solutions: certain })));
    expect(one.incidents[0]?.title).toBe(all.incidents[0]?.title);
    const scores = one.ranked_solutions.map(({ final_solution_score: score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  }
});

test('applies a limit to both memories together and counts the rest', async () => {
  const [team, local] = [await memory(), await memory()];
  for (const engine of [team, local]) {
    for (const steps of ['Bleed it.', 'Relight it.', 'Replace it.']) await engine.addIncident({ ...BOILER, steps });
  }
  const params = { ...SEARCH, limit: 2 };
  const one = merged(await team.rankedSolutions(params), await local.rankedSolutions(params), params);
  expect(one).toMatchObject({ ranked_solutions: { length: 2 }, more: 4 });
});

test('returns the answer of the team unchanged if this machine knows nothing', async () => {
  const [team, local] = [await memory(), await memory()];
  await team.addIncident(BOILER);
  const answer = await team.rankedSolutions(SEARCH);
  expect(merged(answer, await local.rankedSolutions(SEARCH), SEARCH)).toBe(answer);
  expect(merged(answer, undefined, SEARCH)).toBe(answer);
});

test('recommends a solution that only this machine knows, with its next action', async () => {
  const [team, local] = [await memory(), await memory()];
  await local.addIncident(BOILER);
  const [ofTeam, ofLocal] = [await team.rankedSolutions(SEARCH), await local.rankedSolutions(SEARCH)];
  expect(merged(ofTeam, ofLocal, SEARCH)).toMatchObject({
    lookup_id: ofTeam.lookup_id,
    recommended_solution: { steps: BOILER.steps },
    next_action: ofLocal.next_action,
  });
});
