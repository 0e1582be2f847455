/**
 * Databases of the debug memory: the project's and the user's, which are searched together; servers that write at the
 * same time; data shared with the memory of failures. The contract: memory.test.ts. Ids and duplicates across both
 * databases: `crates/engine/src/tests/memory/two.rs`.
 */

import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { argus } from '../argus.ts';
import { type Agent, connect, type Data, project, someUser } from '../harness.ts';

async function server(env: Record<string, string>, cwd?: string): Promise<Agent> {
  const agent = await connect('2026-07-28', env, cwd);
  onTestFinished(() => agent.close());
  return agent;
}

const ENV = { os: 'linux', language: 'python', language_major: 3 };
const ERROR = 'ModuleNotFoundError: No module named "psycopg2" in worker/db/session.py';
const INCIDENT = { title: ERROR, error_signature: ERROR, steps: 'Install psycopg2-binary.', env: ENV, worked: true };
const OTHER_ERROR = 'OSError: [Errno 28] No space left on device while writing /var/lib/buildkit/cache';
const OTHER = { ...INCIDENT, title: OTHER_ERROR, error_signature: OTHER_ERROR, steps: 'Prune the build cache.' };

const idsOf = ({ incidents }: Data) =>
  (Array.isArray(incidents) ? incidents : []).map(({ incident_id }) => incident_id);
const search = (agent: Agent, args: Data = {}) =>
  agent.ask('ranked_solutions', { query_text: ERROR, env: ENV, ...args });

test('without a project the user’s memory is used, in the data folder of the platform', async () => {
  const user = someUser();
  const cwd = project();
  const agent = await server(user, cwd);
  expect(await agent.complete('argus://incident/{id}', 'inc-')).toEqual([]);
  const { incident_id } = await agent.ask('add_incident', INCIDENT);
  const file = path.join(user.XDG_DATA_HOME, 'argus', ...(process.platform === 'win32' ? ['Data'] : []), 'memory.db');
  if (process.platform !== 'darwin') expect(existsSync(file)).toBe(true);
  expect(readdirSync(cwd), 'nothing in the folder it was started in').toEqual([]);
  expect(await search(agent)).toMatchObject({ incidents: [{ incident_id, memory: 'user' }] });
  expect(await agent.complete('argus://incident/{id}', 'inc-')).toEqual([incident_id]);
  expect(await agent.read(`argus://incident/${incident_id}`)).toMatchObject({ memory: 'user' });
  const again = await server(user);
  expect(await search(again), 'another server of the same user').toMatchObject({ incidents: [{ incident_id }] });
  const stranger = await server(someUser());
  expect(await search(stranger), 'another user').toMatchObject({ incidents: [] });
});

test.runIf(process.platform === 'linux')('the data folder is below HOME without XDG_DATA_HOME', async () => {
  const { HOME } = someUser();
  const agent = await server({ HOME, XDG_DATA_HOME: '' });
  await agent.ask('add_incident', INCIDENT);
  const folder = path.join(HOME, '.local', 'share', 'argus');
  expect(readdirSync(folder)).toContain('memory.db');
  expect(statSync(folder).mode & 0o077, 'for its owner alone').toBe(0);
});

test('a home folder can be a project and hold the data folder', async () => {
  const home = project();
  const env = { HOME: home, XDG_DATA_HOME: home, LOCALAPPDATA: home };
  const agent = await server(env);
  const { incident_id } = await agent.ask('add_incident', { ...INCIDENT, projectPath: home });
  expect(idsOf(await search(agent, { projectPath: home }))).toEqual([incident_id]);
});

test('searches both memories, and stores outcomes in the memory of the incident', async () => {
  const [root, user] = [project(), someUser()];
  const agent = await server(user, root);
  const mine = await agent.ask('add_incident', INCIDENT);
  const theirs = await agent.ask('add_incident', { ...OTHER, projectPath: root });
  for (const projectPath of [root, undefined]) {
    const found = await search(agent, { projectPath });
    expect(found).toMatchObject({ incidents: [{ incident_id: mine.incident_id, memory: 'user' }] });
    const other = await search(agent, { projectPath, query_text: OTHER_ERROR });
    expect(other).toMatchObject({ incidents: [{ incident_id: theirs.incident_id, memory: 'project' }] });
  }
  const outcome = { solution_id: mine.solution_id, worked: true, env: ENV, projectPath: root };
  expect(await agent.ask('record_outcome', outcome)).toMatchObject({ solution_stats: { worked: 2 } });
  const duplicate = await agent.ask('add_incident', { ...INCIDENT, projectPath: root });
  expect(duplicate).toMatchObject({ created: false, incident_id: mine.incident_id });
  const elsewhere = await server(user);
  expect(await search(elsewhere)).toMatchObject({ recommended_solution: { worked: 2 } });
  expect(idsOf(await search(elsewhere, { query_text: OTHER_ERROR })), 'not open').toEqual([]);
});

test('memory.halfLife sets the weight of old confirmations', async () => {
  const created_at = new Date(Date.now() - 90 * 86_400_000).toISOString();
  const solutions = [{ steps: 'Install it.', env: ENV, outcomes: [{ worked: true, env: ENV, created_at }] }];
  const input = JSON.stringify({ title: ERROR, error_signature: ERROR, solutions });
  const env = someUser();
  const agent = await server(env);
  for (const [config, recency] of [
    ['', 0.5 ** (90 / 180)],
    ['memory: { halfLife: 30d }\n', 0.125],
  ] as const) {
    const root = project({ 'argus.yaml': config });
    expect((await argus(['memory', 'import', '-', '--project', root], { env, input })).status).toBe(0);
    const { recommended_solution } = await search(agent, { projectPath: root });
    expect(Object(recommended_solution).recency_boost).toBeCloseTo(recency, 3);
  }
});

test('searches open projects and the user’s memory, and creates no database', async () => {
  const agent = await server(someUser());
  const [learned, empty] = [project(), project()];
  const { incident_id } = await agent.ask('add_incident', { ...INCIDENT, projectPath: learned });
  expect(idsOf(await search(agent)), 'not open').toEqual([]);
  await agent.data('argus_init', { projectPath: learned });
  await agent.data('argus_init', { projectPath: empty });
  expect(idsOf(await search(agent))).toEqual([incident_id]);
  expect(readdirSync(empty)).toEqual([]);
});

test('detects the environment in the newest open project, or in the folder of the server', async () => {
  const agent = await server(someUser(), project({ 'go.mod': 'module x\n\ngo 1.22\n' }));
  expect(await search(agent, { env: {} })).toMatchObject({ detected_env: { language: 'go' } });
  await agent.data('argus_init', { projectPath: project({ 'requirements.txt': 'flask==3.0\n' }) });
  expect(await search(agent, { env: {} })).toMatchObject({ detected_env: { framework: 'flask', framework_major: 3 } });
});

test('a configuration error in the folder of the server is a warning', async () => {
  const agent = await server(someUser(), project({ 'argus.yaml': 'histroy: {}\n' }));
  expect((await search(agent)).warnings).toEqual([expect.stringMatching(/is not searched: .*histroy/u)]);
});

test('without a history the project has no memory, but the user’s memory works', async () => {
  const root = project({ 'argus.yaml': 'history: { enabled: false }\n' });
  const agent = await server(someUser(), root);
  const { code } = await agent.askError('ranked_solutions', { query_text: ERROR, env: {}, projectPath: root });
  expect(code).toBe('HISTORY_DISABLED');
  expect(await agent.ask('add_incident', INCIDENT)).toMatchObject({ created: true });
  expect(readdirSync(root)).toEqual(['argus.yaml']);
});

test('two servers that add the same incident concurrently add it once, and every outcome counts', async () => {
  const [root, user] = [project(), someUser()];
  const [a, b] = [await server(user, root), await server(user, root)];
  // Both databases are created first, because a file that does not exist cannot be locked.
  await a.ask('add_incident', { ...OTHER, projectPath: root });
  await b.ask('add_incident', { ...OTHER, title: 'gyroscope drift', error_signature: 'DriftError: gyroscope' });
  for (const other of [root, undefined]) {
    const error = `StalledTurbine${other}Error: blade hit the casing`;
    const incident = { ...INCIDENT, title: error, error_signature: error };
    const answers = await Promise.all([
      a.ask('add_incident', { ...incident, projectPath: root }),
      b.ask('add_incident', { ...incident, projectPath: other }),
    ]);
    expect(answers.filter(({ created }) => created === true)).toHaveLength(1);
    expect(new Set(answers.map(({ incident_id }) => incident_id)).size).toBe(1);
  }
  const { solution_id } = await a.ask('add_incident', { ...INCIDENT, projectPath: root });
  const outcomes = [true, false, true].map((worked) => ({ solution_id, worked, env: ENV, projectPath: root }));
  await Promise.all([a, b].flatMap((agent) => outcomes.map((one) => agent.ask('record_outcome', one))));
  const found = await search(a, { projectPath: root });
  expect(found).toMatchObject({ recommended_solution: { worked: 5, failed: 2 } });
});

test.runIf(process.platform === 'linux')('without a home folder the error says which variable to set', async () => {
  const agent = await server({ HOME: '', XDG_DATA_HOME: '' });
  const error = { code: 'DATABASE_UNAVAILABLE', message: expect.stringContaining('set HOME') };
  expect(await agent.askError('add_incident', INCIDENT)).toEqual(error);
  const inProject = { ...INCIDENT, projectPath: project() };
  expect(await agent.askError('add_incident', inProject), 'the owner of the project is unknown').toEqual(error);
});
