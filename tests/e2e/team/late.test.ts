/**
 * Calls while a team's server is away: this machine answers and queues them, and later they teach the team the same as
 * if they had been sent immediately.
 */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { argus } from '../argus.ts';
import type { Data } from '../harness.ts';
import {
  joined,
  type Machine,
  machine,
  post,
  repository,
  startAgain,
  startServer,
  type TeamServer,
  token,
} from './team.ts';
import { ENV, INCIDENT, learned, work } from './work.ts';

const GYROSCOPE = { title: 'gyroscope drift', steps: 'Calibrate it.', worked: true, env: ENV, notes: 'Twice.' };
const QUEUED = { queued: true, warnings: [expect.stringContaining('cannot be reached')] };
const SENT = { reachable: true, waiting: 0, refused: 0 };

/** Sends waiting calls with a command, because an agent retries a server that was away only after some seconds. */
async function sent(ada: Machine): Promise<Data> {
  await ada.argus('history');
  return ada.data('team', 'status');
}

const exported = z.object({ result: z.object({ lines: z.string() }) });
const incidentLine = z.object({
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

/** Incidents of an export, sorted by title, and their solutions, sorted by steps. */
function incidentsIn(lines: string) {
  const incidents = lines
    .trim()
    .split('\n')
    .map((line) => incidentLine.parse(JSON.parse(line)));
  for (const { solutions } of incidents) solutions.sort((one, other) => (one.steps < other.steps ? -1 : 1));
  return incidents.sort((one, other) => (one.title < other.title ? -1 : 1));
}

async function known(server: TeamServer, bearer: string) {
  return incidentsIn(exported.parse((await post(server, bearer, 'memoryExport', {})).body).result.lines);
}

function withoutIds(incidents: ReturnType<typeof incidentsIn>) {
  return incidents.map(({ title, solutions }) => ({
    title,
    solutions: solutions.map(({ steps, outcomes }) => ({ steps, outcomes })),
  }));
}

/** Adds a new incident and an incident that the team knows, each with a second solution that does not help. */
async function solve(ask: (tool: string, args: Data) => Promise<Data>): Promise<void> {
  for (const incident of [GYROSCOPE, INCIDENT]) {
    const added = await ask('add_incident', incident);
    if (added.created === false) {
      // The steps that the answer's next_action describes.
      const { steps, worked, env } = incident;
      const { solution_id } = await ask('add_solution', { incident_id: added.incident_id, steps, env });
      await ask('record_outcome', { solution_id, worked, env });
    }
    const { solution_id } = await ask('add_solution', { incident_id: added.incident_id, steps: 'Hit it.', env: ENV });
    await ask('record_outcome', { solution_id, worked: false, env: ENV, notes: 'It did not help.' });
  }
}

test('a run exits with the outcome of its tests when the server is away', async () => {
  const server = await startServer();
  const ada = await joined(server, 'Ada', repository({ 'check.js': '' }));
  await server.stop();
  const passed = await ada.argus('run', '--json', 'node', 'check.js');
  expect(passed).toMatchObject({ status: 0, stdout: expect.stringContaining('"queued":true') });
  expect((await ada.argus('run', 'node', 'missing.js')).status).toBe(1);
});

test.each([
  ['push', 'with a new token'],
  ['leave', 'on this machine'],
])('a run of a revoked token is kept, and team %s stores it %s', async (command) => {
  let later = 0;
  const server = await startServer(undefined, undefined, { now: () => Date.now() + later });
  const ada = await joined(server, 'Ada', repository({ 'check.js': '' }));
  await argus(['token', 'revoke', ada.bearer.split('_')[1] ?? '', '--database', server.database]);
  later = 1_001;
  const refused = { status: 0, stdout: expect.stringContaining('"queued":true,"code":"TEAM_DENIED"') };
  expect(await ada.argus('run', '--json', 'node', 'check.js')).toMatchObject(refused);
  ada.env.ARGUS_TEAM_TOKEN = await token(server.database, 'Ada');
  expect(await ada.data('history')).toMatchObject({ total: 0 });
  await ada.data('team', command);
  expect(await ada.data('history')).toMatchObject({ total: 1 });
  expect(await ada.data('team', 'status')).toMatchObject({ waiting: 0, refused: 0 });
});

// Over 5 s, because it records everything twice, at once and late.
test('runs, fixes and incidents teach the same whether they are sent later or immediately', async () => {
  const taught = [];
  for (const reachable of [true, false]) {
    const server = await startServer();
    const ada = await joined(server);
    await post(server, ada.bearer, 'addIncident', { ...INCIDENT, steps: 'Bleed the radiators.' });
    if (!reachable) await server.stop();
    const agent = await ada.agent();
    const answers = await work(agent, ada.root);
    await solve(async (tool, args) => {
      const answer = await agent.ask(tool, { ...args, projectPath: ada.root });
      answers.push(answer);
      return answer;
    });
    expect(answers.filter(({ queued }) => queued === true)).toHaveLength(reachable ? 0 : answers.length);
    if (!reachable) {
      expect(answers[0]).toMatchObject({ stored: false, code: 'TEAM_UNREACHABLE' });
      expect(await ada.data('team', 'status')).toMatchObject({ reachable: false, waiting: answers.length });
    }
    const answering = reachable ? server : await startAgain(server);
    expect(await sent(ada)).toMatchObject(SENT);
    const { body } = await post(answering, ada.bearer, 'runDetail', { runId: answers[0]?.runId });
    expect(body, 'a run has the id of its answer').toMatchObject({ result: { cases: [{}] } });
    const incidents = withoutIds(await known(answering, ada.bearer));
    taught.push({ incidents, runs: await learned(answering, ada.bearer) });
  }
  const [atOnce, later] = taught;
  expect(atOnce?.incidents).toMatchObject([{ title: INCIDENT.title, solutions: { length: 3 } }, {}]);
  expect(atOnce?.runs).toContain('"proved": 1');
  expect(later).toEqual(atOnce);
});

test('finds a waiting incident, which keeps its id after it is sent', async () => {
  const server = await startServer();
  const ada = await joined(server);
  await post(server, ada.bearer, 'addIncident', { ...INCIDENT, steps: 'Bleed the radiators.' });
  await server.stop();
  const agent = await ada.agent();
  const here = { projectPath: ada.root, env: ENV };
  const added = await agent.ask('add_incident', { ...GYROSCOPE, ...here });
  const duplicate = await agent.ask('add_incident', { ...INCIDENT, ...here });
  expect(duplicate).toMatchObject({ created: true, ...QUEUED });
  const search = { query_text: INCIDENT.title, ...here };
  const { lookup_id, ...found } = await agent.ask('ranked_solutions', search);
  const { solution_id } = duplicate;
  expect(found).toMatchObject({ recommended_solution: { solution_id } });
  // This lookup id is unknown to the team.
  const tried = { solution_id, lookup_id, worked: false, ...here };
  expect(await agent.ask('record_outcome', tried)).toMatchObject({ ok: true, ...QUEUED });

  const answering = await startAgain(server);
  expect(await sent(ada)).toMatchObject(SENT);
  const other = await ada.agent();
  expect(await other.ask('record_outcome', { solution_id, worked: true, ...here })).not.toHaveProperty('queued');
  const [boiler, gyroscope] = await known(answering, ada.bearer);
  expect(gyroscope).toMatchObject({ id: added.incident_id, solutions: [{ id: added.solution_id }] });
  expect(boiler?.solutions).toMatchObject([
    { steps: 'Bleed the radiators.', outcomes: [{ worked: true }] },
    { steps: INCIDENT.steps, outcomes: [{ worked: true }, { worked: false }, { worked: true }] },
  ]);
  const { incidents } = await other.ask('ranked_solutions', { ...search, query_text: GYROSCOPE.title });
  expect(incidents, 'the copies here and there are one').toHaveLength(1);
  await ada.data('team', 'push');
  expect(await known(answering, ada.bearer), 'what the team knows by another id is not new').toHaveLength(2);
});

test('a team incident is an error while the server is away, and a local incident stays on this machine', async () => {
  const server = await startServer();
  const ada = await machine(server);
  const here = { projectPath: ada.root, env: ENV };
  const own = await (await ada.agent()).ask('add_incident', { ...INCIDENT, ...here });
  await ada.join(server);
  const { body } = await post(server, ada.bearer, 'addIncident', GYROSCOPE);
  const { result } = z.object({ result: z.object({ incident_id: z.string() }) }).parse(body);
  await server.stop();
  const agent = await ada.agent();
  const addTo = { steps: 'Hit it.', ...here };
  const refused = await agent.askError('add_solution', { ...addTo, incident_id: result.incident_id });
  expect(refused.code).toBe('TEAM_UNREACHABLE');
  expect(await agent.ask('add_solution', { ...addTo, incident_id: own.incident_id })).toMatchObject(QUEUED);
  const similar = await agent.ask('add_incident', { ...INCIDENT, ...here, steps: 'Bleed the radiators.' });
  expect(similar).toMatchObject({ created: false, incident_id: own.incident_id });
  const answering = await startAgain(server);
  expect(await sent(ada)).toMatchObject(SENT);
  expect(await known(answering, ada.bearer)).toMatchObject([{ title: GYROSCOPE.title, solutions: [{}] }]);
  const kept = await (await ada.agent()).ask('ranked_solutions', { query_text: INCIDENT.title, ...here });
  expect(kept.ranked_solutions).toHaveLength(2);
});

test.each(['push', 'leave'])('team %s with waiting incidents keeps each in a single memory', async (command) => {
  const server = await startServer();
  const ada = await joined(server);
  await server.stop();
  const agent = await ada.agent();
  const { solution_id } = await agent.ask('add_incident', { ...GYROSCOPE, projectPath: ada.root });
  await agent.ask('record_outcome', { solution_id, worked: false, env: ENV, projectPath: ada.root });
  const answering = await startAgain(server);
  await ada.data('team', command);
  expect(await sent(ada)).toMatchObject({ waiting: 0, refused: 0 });
  const incidents =
    command === 'push'
      ? await known(answering, ada.bearer)
      : incidentsIn((await ada.argus('memory', 'export', '--project', ada.root)).stdout);
  expect(withoutIds(incidents)).toEqual([
    {
      title: GYROSCOPE.title,
      solutions: [{ steps: GYROSCOPE.steps, outcomes: [{ worked: true, notes: 'Twice.' }, { worked: false }] }],
    },
  ]);
});
