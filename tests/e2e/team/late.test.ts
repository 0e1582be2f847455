/**
 * Calls while a team's server is unreachable: this machine answers and queues them. When they are sent later, the team
 * learns the same as if they had been sent immediately.
 */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { argus } from '../argus.ts';
import type { Data } from '../harness.ts';
import {
  createMachine,
  createMember,
  createRepository,
  createToken,
  type Machine,
  postCall,
  restartServer,
  startServer,
  type TeamServer,
} from './team.ts';
import { ENVIRONMENT, INCIDENT, readLearnedData, simulateWork } from './work.ts';

const GYROSCOPE_INCIDENT = {
  title: 'gyroscope drift',
  steps: 'Calibrate it.',
  worked: true,
  env: ENVIRONMENT,
  notes: 'Twice.',
};
const QUEUED_ANSWER = { queued: true, warnings: [expect.stringContaining('cannot be reached')] };
const ALL_SENT_STATUS = { reachable: true, waiting: 0, refused: 0 };

/**
 * Sends waiting calls with a command, because an agent retries a server that was unreachable only after some seconds.
 */
async function sendWaitingCalls(ada: Machine): Promise<Data> {
  await ada.argus('history');
  return ada.data('team', 'status');
}

const exportSchema = z.object({ result: z.object({ lines: z.string() }) });
const incidentLineSchema = z.object({
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

/** Returns the incidents of an export, sorted by title, and their solutions, sorted by steps. */
function parseIncidents(lines: string) {
  const incidents = lines
    .trim()
    .split('\n')
    .map((line) => incidentLineSchema.parse(JSON.parse(line)));
  for (const { solutions } of incidents) solutions.sort((one, other) => (one.steps < other.steps ? -1 : 1));
  return incidents.sort((one, other) => (one.title < other.title ? -1 : 1));
}

async function exportIncidents(server: TeamServer, bearer: string) {
  return parseIncidents(exportSchema.parse((await postCall(server, bearer, 'memoryExport', {})).body).result.lines);
}

function withoutIds(incidents: ReturnType<typeof parseIncidents>) {
  return incidents.map(({ title, solutions }) => ({
    title,
    solutions: solutions.map(({ steps, outcomes }) => ({ steps, outcomes })),
  }));
}

/** Adds a new incident and an incident that the team knows, each with a second solution that does not help. */
async function addIncidents(ask: (tool: string, args: Data) => Promise<Data>): Promise<void> {
  for (const incident of [GYROSCOPE_INCIDENT, INCIDENT]) {
    const added = await ask('add_incident', incident);
    if (added.created === false) {
      // Resolve with the steps that the answer's next_action describes.
      const { steps, worked, env } = incident;
      const { solution_id } = await ask('add_solution', { incident_id: added.incident_id, steps, env });
      await ask('record_outcome', { solution_id, worked, env });
    }
    const { solution_id } = await ask('add_solution', {
      incident_id: added.incident_id,
      steps: 'Hit it.',
      env: ENVIRONMENT,
    });
    await ask('record_outcome', { solution_id, worked: false, env: ENVIRONMENT, notes: 'It did not help.' });
  }
}

test.each([
  ['push', 'with a new token'],
  ['leave', 'on this machine'],
])('a run of a revoked token is kept, and team %s stores it %s', async (command) => {
  let later = 0;
  const server = await startServer(undefined, undefined, { now: () => Date.now() + later });
  const ada = await createMember(server, 'Ada', createRepository({ 'check.js': '' }));
  await argus(['token', 'revoke', ada.bearer.split('_')[1] ?? '', '--database', server.database]);
  later = 1_001;
  const refused = { status: 0, stdout: expect.stringContaining('"queued":true,"code":"TEAM_DENIED"') };
  expect(await ada.argus('run', '--json', 'node', 'check.js')).toMatchObject(refused);
  ada.env.ARGUS_TEAM_TOKEN = await createToken(server.database, 'Ada');
  expect(await ada.data('history')).toMatchObject({ total: 0 });
  await ada.data('team', command);
  expect(await ada.data('history')).toMatchObject({ total: 1 });
  expect(await ada.data('team', 'status')).toMatchObject({ waiting: 0, refused: 0 });
});

// Takes over 5 s, because it records everything twice: immediately and later.
test('runs, fixes and incidents have the same effect whether they are sent later or immediately', async () => {
  const taught = [];
  for (const reachable of [true, false]) {
    const server = await startServer();
    const ada = await createMember(server);
    await postCall(server, ada.bearer, 'addIncident', { ...INCIDENT, steps: 'Bleed the radiators.' });
    if (!reachable) await server.stop();
    const agent = await ada.agent();
    const answers = await simulateWork(agent, ada.root);
    await addIncidents(async (tool, args) => {
      const answer = await agent.ask(tool, { ...args, projectPath: ada.root });
      answers.push(answer);
      return answer;
    });
    expect(answers.filter(({ queued }) => queued === true)).toHaveLength(reachable ? 0 : answers.length);
    if (!reachable) {
      expect(answers[0]).toMatchObject({ stored: false, code: 'TEAM_UNREACHABLE' });
      expect(await ada.data('team', 'status')).toMatchObject({ reachable: false, waiting: answers.length });
    }
    const answering = reachable ? server : await restartServer(server);
    expect(await sendWaitingCalls(ada)).toMatchObject(ALL_SENT_STATUS);
    const { body } = await postCall(answering, ada.bearer, 'runDetail', { runId: answers[0]?.runId });
    expect(body, 'a run has the id of its answer').toMatchObject({ result: { cases: [{}] } });
    const incidents = withoutIds(await exportIncidents(answering, ada.bearer));
    taught.push({ incidents, runs: await readLearnedData(answering, ada.bearer) });
  }
  const [atOnce, later] = taught;
  expect(atOnce?.incidents).toMatchObject([{ title: INCIDENT.title, solutions: { length: 3 } }, {}]);
  expect(atOnce?.runs).toContain('"proved": 1');
  expect(later).toEqual(atOnce);
});

test('a waiting incident is found, and keeps its id after it is sent', async () => {
  const server = await startServer();
  const ada = await createMember(server);
  await postCall(server, ada.bearer, 'addIncident', { ...INCIDENT, steps: 'Bleed the radiators.' });
  await server.stop();
  const agent = await ada.agent();
  const here = { projectPath: ada.root, env: ENVIRONMENT };
  const added = await agent.ask('add_incident', { ...GYROSCOPE_INCIDENT, ...here });
  const duplicate = await agent.ask('add_incident', { ...INCIDENT, ...here });
  expect(duplicate).toMatchObject({ created: true, ...QUEUED_ANSWER });
  const search = { query_text: INCIDENT.title, ...here };
  const { lookup_id, ...found } = await agent.ask('ranked_solutions', search);
  const { solution_id } = duplicate;
  expect(found).toMatchObject({ recommended_solution: { solution_id } });
  // The team does not know this lookup id.
  const tried = { solution_id, lookup_id, worked: false, ...here };
  expect(await agent.ask('record_outcome', tried)).toMatchObject({ ok: true, ...QUEUED_ANSWER });

  const answering = await restartServer(server);
  expect(await sendWaitingCalls(ada)).toMatchObject(ALL_SENT_STATUS);
  const other = await ada.agent();
  expect(await other.ask('record_outcome', { solution_id, worked: true, ...here })).not.toHaveProperty('queued');
  const [boiler, gyroscope] = await exportIncidents(answering, ada.bearer);
  expect(gyroscope).toMatchObject({ id: added.incident_id, solutions: [{ id: added.solution_id }] });
  expect(boiler?.solutions).toMatchObject([
    { steps: 'Bleed the radiators.', outcomes: [{ worked: true }] },
    { steps: INCIDENT.steps, outcomes: [{ worked: true }, { worked: false }, { worked: true }] },
  ]);
  const { incidents } = await other.ask('ranked_solutions', { ...search, query_text: GYROSCOPE_INCIDENT.title });
  expect(incidents, 'the copies here and there are one').toHaveLength(1);
  await ada.data('team', 'push');
  expect(await exportIncidents(answering, ada.bearer), 'what the team knows by another id is not new').toHaveLength(2);
});

test('a team incident is an error while the server is unreachable, and a local incident stays on this machine', async () => {
  const server = await startServer();
  const ada = await createMachine(server);
  const here = { projectPath: ada.root, env: ENVIRONMENT };
  const own = await (await ada.agent()).ask('add_incident', { ...INCIDENT, ...here });
  await ada.join(server);
  const { body } = await postCall(server, ada.bearer, 'addIncident', GYROSCOPE_INCIDENT);
  const { result } = z.object({ result: z.object({ incident_id: z.string() }) }).parse(body);
  await server.stop();
  const agent = await ada.agent();
  const addTo = { steps: 'Hit it.', ...here };
  const refused = await agent.askError('add_solution', { ...addTo, incident_id: result.incident_id });
  expect(refused.code).toBe('TEAM_UNREACHABLE');
  expect(await agent.ask('add_solution', { ...addTo, incident_id: own.incident_id })).toMatchObject(QUEUED_ANSWER);
  const similar = await agent.ask('add_incident', { ...INCIDENT, ...here, steps: 'Bleed the radiators.' });
  expect(similar).toMatchObject({ created: false, incident_id: own.incident_id });
  const answering = await restartServer(server);
  expect(await sendWaitingCalls(ada)).toMatchObject(ALL_SENT_STATUS);
  expect(await exportIncidents(answering, ada.bearer)).toMatchObject([
    { title: GYROSCOPE_INCIDENT.title, solutions: [{}] },
  ]);
  const kept = await (await ada.agent()).ask('ranked_solutions', { query_text: INCIDENT.title, ...here });
  expect(kept.ranked_solutions).toHaveLength(2);
});

test.each(['push', 'leave'])('team %s with waiting incidents keeps each in a single memory', async (command) => {
  const server = await startServer();
  const ada = await createMember(server);
  await server.stop();
  const agent = await ada.agent();
  const { solution_id } = await agent.ask('add_incident', { ...GYROSCOPE_INCIDENT, projectPath: ada.root });
  await agent.ask('record_outcome', { solution_id, worked: false, env: ENVIRONMENT, projectPath: ada.root });
  const answering = await restartServer(server);
  await ada.data('team', command);
  expect(await sendWaitingCalls(ada)).toMatchObject({ waiting: 0, refused: 0 });
  const incidents =
    command === 'push'
      ? await exportIncidents(answering, ada.bearer)
      : parseIncidents((await ada.argus('memory', 'export', '--project', ada.root)).stdout);
  expect(withoutIds(incidents)).toEqual([
    {
      title: GYROSCOPE_INCIDENT.title,
      solutions: [
        { steps: GYROSCOPE_INCIDENT.steps, outcomes: [{ worked: true, notes: 'Twice.' }, { worked: false }] },
      ],
    },
  ]);
});
