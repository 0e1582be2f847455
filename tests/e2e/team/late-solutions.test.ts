/**
 * Incidents, solutions and outcomes that are recorded while a team cannot be reached: they answer from this machine, and
 * the team learns the same as if they had been sent at once.
 */

import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { argus } from '../argus.ts';
import { type Agent, connect, type Data, someUser } from '../harness.ts';
import { post, repository, startServer, stopServers, type TeamServer, token } from './team.ts';

const agents: Agent[] = [];
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.close()));
  stopServers();
});

const ENV = { os: 'linux' };
const BOILER = { title: 'The boiler is cold', steps: 'Relight the pilot flame.', worked: true, env: ENV };
const GYROSCOPE = { title: 'gyroscope drift', steps: 'Calibrate it.', worked: true, env: ENV, notes: 'Twice.' };
const QUEUED = { queued: true, warnings: [expect.stringContaining('cannot be reached')] };

interface Member {
  root: string;
  env: Record<string, string>;
  bearer: string;
  agent: Agent;
}

async function agentOf(root: string, env: Record<string, string>): Promise<Agent> {
  const agent = await connect('2026-07-28', env, root);
  agents.push(agent);
  return agent;
}

/** A repository that has joined, and an agent in it. */
async function joined(server: TeamServer): Promise<Member> {
  const bearer = await token(server.database, 'Ada');
  const env = { ...someUser(), ARGUS_TEAM_TOKEN: bearer };
  const root = repository();
  await argus(['team', 'join', server.url, '--as', 'shop', '--project', root], { env });
  return { root, env, bearer, agent: await agentOf(root, env) };
}

function again({ database, port }: TeamServer): Promise<TeamServer> {
  return startServer(database, ['--port', String(port)]);
}

/** A process of its own: the agent's asks a server that did not answer only after some seconds. */
async function sent({ root, env }: Member): Promise<Data> {
  await argus(['history', '--project', root], { env });
  return JSON.parse((await argus(['team', 'status', '--project', root, '--json'], { env })).stdout).data;
}

const exported = z.object({ result: z.object({ lines: z.string() }) });
const line = z.object({
  id: z.string(),
  title: z.string(),
  solutions: z.array(
    z.object({
      id: z.string(),
      steps: z.string(),
      outcomes: z.array(z.object({ worked: z.boolean(), notes: z.string().optional() })),
    }),
  ),
});

/** All incidents of the team, by title, and their solutions by steps. */
async function known(server: TeamServer, bearer: string) {
  const { lines } = exported.parse((await post(server, bearer, 'memoryExport', {})).body).result;
  const incidents = lines
    .trim()
    .split('\n')
    .map((text) => line.parse(JSON.parse(text)));
  for (const { solutions } of incidents) solutions.sort((one, other) => (one.steps < other.steps ? -1 : 1));
  return incidents.sort((one, other) => (one.title < other.title ? -1 : 1));
}

/** Without ids, which are new each time. */
function withoutIds(incidents: Awaited<ReturnType<typeof known>>) {
  return incidents.map(({ title, solutions }) => ({
    title,
    solutions: solutions.map(({ steps, outcomes }) => ({ steps, outcomes })),
  }));
}

/** A problem that is new, and one that Bob has added meanwhile, each with a second fix that does not help. */
async function solve(ask: (tool: string, args: Data) => Promise<Data>): Promise<void> {
  for (const incident of [GYROSCOPE, BOILER]) {
    const added = await ask('add_incident', incident);
    if (added.created === false) {
      // As its next_action says.
      const { steps, worked, env, notes } = { notes: undefined, ...incident };
      const { solution_id } = await ask('add_solution', { incident_id: added.incident_id, steps, env });
      await ask('record_outcome', { solution_id, worked, env, ...(notes === undefined ? {} : { notes }) });
    }
    const { incident_id } = added;
    const { solution_id } = await ask('add_solution', { incident_id, steps: 'Hit it.', env: ENV });
    await ask('record_outcome', { solution_id, worked: false, env: ENV, notes: 'It did not help.' });
  }
}

test('what is sent later has taught the same as what is sent at once', async () => {
  const taught = [];
  for (const isReachable of [true, false]) {
    const server = await startServer();
    const ada = await joined(server);
    await post(server, ada.bearer, 'addIncident', { ...BOILER, steps: 'Bleed the radiators.' });
    if (!isReachable) await server.stop();
    await solve(async (tool, args) => {
      const answer = await ada.agent.ask(tool, { ...args, projectPath: ada.root });
      if (!isReachable) expect(answer).toMatchObject(QUEUED);
      return answer;
    });
    const answering = isReachable ? server : await again(server);
    expect(await sent(ada)).toMatchObject({ reachable: true, waiting: 0, refused: 0 });
    taught.push(withoutIds(await known(answering, ada.bearer)));
  }
  expect(taught[0]).toHaveLength(2);
  expect(taught[0]?.[0]?.solutions).toHaveLength(3);
  expect(taught[1]).toEqual(taught[0]);
});

test('what was answered meanwhile is found meanwhile, and is known by its id afterwards', async () => {
  const server = await startServer();
  const ada = await joined(server);
  await post(server, ada.bearer, 'addIncident', { ...BOILER, steps: 'Bleed the radiators.' });
  await server.stop();
  const { root, agent, env } = ada;
  const added = await agent.ask('add_incident', { ...GYROSCOPE, projectPath: root });
  const duplicate = await agent.ask('add_incident', { ...BOILER, projectPath: root });
  expect(duplicate).toMatchObject({ created: true, ...QUEUED });
  const search = { query_text: BOILER.title, env: ENV, projectPath: root };
  const { lookup_id, ...found } = await agent.ask('ranked_solutions', search);
  expect(found).toMatchObject({ recommended_solution: { solution_id: duplicate.solution_id } });
  // A search that only this machine remembers.
  const tried = { solution_id: duplicate.solution_id, lookup_id, worked: false, env: ENV, projectPath: root };
  expect(await agent.ask('record_outcome', tried)).toMatchObject({ ok: true, ...QUEUED });

  const answering = await again(server);
  expect(await sent(ada)).toMatchObject({ waiting: 0, refused: 0 });
  const other = await agentOf(root, env);
  const outcome = { solution_id: duplicate.solution_id, worked: true, env: ENV, projectPath: root };
  expect(await other.ask('record_outcome', outcome)).not.toHaveProperty('queued');
  const [boiler, gyroscope] = await known(answering, ada.bearer);
  expect(gyroscope).toMatchObject({ id: added.incident_id, solutions: [{ id: added.solution_id }] });
  expect(boiler?.solutions).toMatchObject([
    { steps: 'Bleed the radiators.', outcomes: [{ worked: true }] },
    { steps: BOILER.steps, outcomes: [{ worked: true }, { worked: false }, { worked: true }] },
  ]);
  // What was copied is there once, whoever is asked.
  const { incidents } = await other.ask('ranked_solutions', { ...search, query_text: GYROSCOPE.title });
  expect(incidents).toHaveLength(1);
  await argus(['team', 'push', '--project', root], { env });
  expect(await known(answering, ada.bearer), 'nor is what the team knows by another id sent as new').toHaveLength(2);
});

test('what only the team has is an error meanwhile, and what only this machine has stays here', async () => {
  const server = await startServer();
  const bearer = await token(server.database, 'Ada');
  const env = { ...someUser(), ARGUS_TEAM_TOKEN: bearer };
  const root = repository();
  const before = await agentOf(root, env);
  const own = await before.ask('add_incident', { ...BOILER, projectPath: root });
  await argus(['team', 'join', server.url, '--as', 'shop', '--project', root], { env });
  const { body } = await post(server, bearer, 'addIncident', GYROSCOPE);
  const { result } = z.object({ result: z.object({ incident_id: z.string(), solution_id: z.string() }) }).parse(body);
  await server.stop();
  const agent = await agentOf(root, env);
  const fix = { steps: 'Hit it.', env: ENV, projectPath: root };
  expect(await agent.askError('add_solution', { ...fix, incident_id: result.incident_id })).toMatchObject({
    code: 'TEAM_UNREACHABLE',
  });
  expect(await agent.ask('add_solution', { ...fix, incident_id: own.incident_id })).toMatchObject(QUEUED);
  // One like it is named at once, as ever.
  const similar = { ...BOILER, steps: 'Bleed the radiators.', projectPath: root };
  expect(await agent.ask('add_incident', similar)).toMatchObject({ created: false, incident_id: own.incident_id });
  const answering = await again(server);
  expect(await sent({ root, env, bearer, agent })).toMatchObject({ waiting: 0, refused: 0 });
  expect(await known(answering, bearer)).toMatchObject([{ title: GYROSCOPE.title, solutions: [{}] }]);
  const other = await agentOf(root, env);
  const kept = await other.ask('ranked_solutions', { query_text: BOILER.title, env: ENV, projectPath: root });
  expect(kept.ranked_solutions).toHaveLength(2);
});

test.each([
  ['push', 'is copied there before it is sent'],
  ['leave', 'is stored here once where nobody is to have it any more'],
])('what waits as somebody calls team %s %s', async (command) => {
  const server = await startServer();
  const ada = await joined(server);
  await server.stop();
  const { root, env, agent, bearer } = ada;
  const { solution_id } = await agent.ask('add_incident', { ...GYROSCOPE, projectPath: root });
  await agent.ask('record_outcome', { solution_id, worked: false, env: ENV, projectPath: root });
  const answering = await again(server);
  expect(await argus(['team', command, '--project', root], { env })).toMatchObject({ status: 0 });
  expect(await sent(ada)).toMatchObject({ waiting: 0, refused: 0 });
  const there = command === 'push' ? await known(answering, bearer) : [];
  const here = (await argus(['memory', 'export', '--project', root], { env })).stdout;
  const all = command === 'push' ? there : [line.parse(JSON.parse(here))];
  expect(withoutIds(all)).toEqual([
    {
      title: GYROSCOPE.title,
      solutions: [{ steps: GYROSCOPE.steps, outcomes: [{ worked: true, notes: 'Twice.' }, { worked: false }] }],
    },
  ]);
});
