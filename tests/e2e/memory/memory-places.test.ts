/**
 * The databases of the debug memory: the project's and the user's database, which are searched together, servers that
 * write at the same time, and data that is shared with the memory of failures. memory.test.ts tests the contract, and
 * `crates/engine/src/tests/memory/two_memories.rs` tests ids and duplicates across both databases.
 */

import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { argus } from '../argus.ts';
import { type Agent, connect, createProject, createUser, type Data } from '../harness.ts';

async function connectServer(env: Record<string, string>, cwd?: string): Promise<Agent> {
  const agent = await connect('2026-07-28', env, cwd);
  onTestFinished(() => agent.close());
  return agent;
}

const ENVIRONMENT = { os: 'linux', language: 'python', language_major: 3 };
const MODULE_ERROR = 'ModuleNotFoundError: No module named "psycopg2" in worker/db/session.py';
const INCIDENT = {
  title: MODULE_ERROR,
  error_signature: MODULE_ERROR,
  steps: 'Install psycopg2-binary.',
  env: ENVIRONMENT,
  worked: true,
};
const DISK_ERROR = 'OSError: [Errno 28] No space left on device while writing /var/lib/buildkit/cache';
const DISK_INCIDENT = { ...INCIDENT, title: DISK_ERROR, error_signature: DISK_ERROR, steps: 'Prune the build cache.' };

const incidentIds = ({ incidents }: Data) =>
  (Array.isArray(incidents) ? incidents : []).map(({ incident_id }) => incident_id);
const searchModuleError = (agent: Agent, args: Data = {}) =>
  agent.ask('ranked_solutions', { query_text: MODULE_ERROR, env: ENVIRONMENT, ...args });

test("without a project, the user’s memory in the platform's data folder is used", async () => {
  const user = createUser();
  const cwd = createProject();
  const agent = await connectServer(user, cwd);
  expect(await agent.complete('argus://incident/{id}', 'inc-')).toEqual([]);
  const { incident_id } = await agent.ask('add_incident', INCIDENT);
  const file = path.join(user.XDG_DATA_HOME, 'argus', ...(process.platform === 'win32' ? ['Data'] : []), 'memory.db');
  if (process.platform !== 'darwin') expect(existsSync(file)).toBe(true);
  expect(readdirSync(cwd), 'nothing in the folder it was started in').toEqual([]);
  expect(await searchModuleError(agent)).toMatchObject({ incidents: [{ incident_id, memory: 'user' }] });
  expect(await agent.complete('argus://incident/{id}', 'inc-')).toEqual([incident_id]);
  expect(await agent.read(`argus://incident/${incident_id}`)).toMatchObject({ memory: 'user' });
  const again = await connectServer(user);
  expect(await searchModuleError(again), 'another server of the same user').toMatchObject({
    incidents: [{ incident_id }],
  });
  const stranger = await connectServer(createUser());
  expect(await searchModuleError(stranger), 'another user').toMatchObject({ incidents: [] });
});

test.runIf(process.platform === 'linux')('the data folder is below HOME without XDG_DATA_HOME', async () => {
  const { HOME } = createUser();
  const agent = await connectServer({ HOME, XDG_DATA_HOME: '' });
  await agent.ask('add_incident', INCIDENT);
  const folder = path.join(HOME, '.local', 'share', 'argus');
  expect(readdirSync(folder)).toContain('memory.db');
  expect(statSync(folder).mode & 0o077, 'for its owner alone').toBe(0);
});

test('a home folder can be a project and contain the data folder', async () => {
  const home = createProject();
  const env = { HOME: home, XDG_DATA_HOME: home, LOCALAPPDATA: home };
  const agent = await connectServer(env);
  const { incident_id } = await agent.ask('add_incident', { ...INCIDENT, projectPath: home });
  expect(incidentIds(await searchModuleError(agent, { projectPath: home }))).toEqual([incident_id]);
});

test('a search reads both memories, and an outcome is stored in the memory of its incident', async () => {
  const [root, user] = [createProject(), createUser()];
  const agent = await connectServer(user, root);
  const mine = await agent.ask('add_incident', INCIDENT);
  const theirs = await agent.ask('add_incident', { ...DISK_INCIDENT, projectPath: root });
  for (const projectPath of [root, undefined]) {
    const found = await searchModuleError(agent, { projectPath });
    expect(found).toMatchObject({ incidents: [{ incident_id: mine.incident_id, memory: 'user' }] });
    const other = await searchModuleError(agent, { projectPath, query_text: DISK_ERROR });
    expect(other).toMatchObject({ incidents: [{ incident_id: theirs.incident_id, memory: 'project' }] });
  }
  const outcome = { solution_id: mine.solution_id, worked: true, env: ENVIRONMENT, projectPath: root };
  expect(await agent.ask('record_outcome', outcome)).toMatchObject({ solution_stats: { worked: 2 } });
  const duplicate = await agent.ask('add_incident', { ...INCIDENT, projectPath: root });
  expect(duplicate).toMatchObject({ created: false, incident_id: mine.incident_id });
  const elsewhere = await connectServer(user);
  expect(await searchModuleError(elsewhere)).toMatchObject({ recommended_solution: { worked: 2 } });
  expect(incidentIds(await searchModuleError(elsewhere, { query_text: DISK_ERROR })), 'not open').toEqual([]);
});

test('memory.halfLife sets the weight of old confirmations', async () => {
  const created_at = new Date(Date.now() - 90 * 86_400_000).toISOString();
  const solutions = [
    { steps: 'Install it.', env: ENVIRONMENT, outcomes: [{ worked: true, env: ENVIRONMENT, created_at }] },
  ];
  const input = JSON.stringify({ title: MODULE_ERROR, error_signature: MODULE_ERROR, solutions });
  const env = createUser();
  const agent = await connectServer(env);
  for (const [config, recency] of [
    ['', 0.5 ** (90 / 180)],
    ['memory: { halfLife: 30d }\n', 0.125],
  ] as const) {
    const root = createProject({ 'argus.yaml': config });
    expect((await argus(['memory', 'import', '-', '--project', root], { env, input })).status).toBe(0);
    const { recommended_solution } = await searchModuleError(agent, { projectPath: root });
    expect(Object(recommended_solution).recency_boost).toBeCloseTo(recency, 3);
  }
});

test('a search reads open projects and the user’s memory, and creates no database', async () => {
  const agent = await connectServer(createUser());
  const [learned, empty] = [createProject(), createProject()];
  const { incident_id } = await agent.ask('add_incident', { ...INCIDENT, projectPath: learned });
  expect(incidentIds(await searchModuleError(agent)), 'not open').toEqual([]);
  await agent.data('argus_init', { projectPath: learned });
  await agent.data('argus_init', { projectPath: empty });
  expect(incidentIds(await searchModuleError(agent))).toEqual([incident_id]);
  expect(readdirSync(empty)).toEqual([]);
});

test('the environment is detected in the newest open project, or in the folder of the server', async () => {
  const agent = await connectServer(createUser(), createProject({ 'go.mod': 'module x\n\ngo 1.22\n' }));
  expect(await searchModuleError(agent, { env: {} })).toMatchObject({ detected_env: { language: 'go' } });
  await agent.data('argus_init', { projectPath: createProject({ 'requirements.txt': 'flask==3.0\n' }) });
  expect(await searchModuleError(agent, { env: {} })).toMatchObject({
    detected_env: { framework: 'flask', framework_major: 3 },
  });
});

test('a configuration error in the folder of the server is a warning', async () => {
  const agent = await connectServer(createUser(), createProject({ 'argus.yaml': 'histroy: {}\n' }));
  expect((await searchModuleError(agent)).warnings).toEqual([
    expect.stringMatching(/could not be searched: .*histroy/u),
  ]);
});

test('without a history, the project has no memory, but the user’s memory works', async () => {
  const root = createProject({ 'argus.yaml': 'history: { enabled: false }\n' });
  const agent = await connectServer(createUser(), root);
  const { code } = await agent.askError('ranked_solutions', { query_text: MODULE_ERROR, env: {}, projectPath: root });
  expect(code).toBe('HISTORY_DISABLED');
  expect(await agent.ask('add_incident', INCIDENT)).toMatchObject({ created: true });
  expect(readdirSync(root)).toEqual(['argus.yaml']);
});

test.runIf(process.platform === 'linux')('without a home folder the error says which variable to set', async () => {
  const agent = await connectServer({ HOME: '', XDG_DATA_HOME: '' });
  const error = { code: 'DATABASE_UNAVAILABLE', message: expect.stringContaining('Set HOME') };
  expect(await agent.askError('add_incident', INCIDENT)).toEqual(error);
  const inProject = { ...INCIDENT, projectPath: createProject() };
  expect(await agent.askError('add_incident', inProject), 'the owner of the project is unknown').toEqual(error);
});
