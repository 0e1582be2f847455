/**
 * Where the debug memory lies: the project's database and the user's own, both searched, ids of both resolved; several
 * servers at once; and what it shares with the memory of failures. The contract: memory.test.ts.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { type Agent, connect, type Data, ERAS, project, someUser } from '../harness.ts';
import { junit } from '../runs/reports.ts';

const agents: Agent[] = [];
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.close()));
});

async function server(env: Record<string, string>, cwd?: string): Promise<Agent> {
  const agent = await connect(ERAS[agents.length % ERAS.length] ?? '2025', env, cwd);
  agents.push(agent);
  return agent;
}

const ENV = { os: 'linux', language: 'python', language_major: 3 };
const ERROR = 'ModuleNotFoundError: No module named "psycopg2" in worker/db/session.py';
const INCIDENT = { title: ERROR, error_signature: ERROR, steps: 'Install psycopg2-binary.', env: ENV, worked: true };
const OTHER_ERROR = 'OSError: [Errno 28] No space left on device while writing /var/lib/buildkit/cache';
const OTHER = {
  title: OTHER_ERROR,
  error_signature: OTHER_ERROR,
  steps: 'Prune the build cache.',
  env: ENV,
  worked: true,
};

const idsOf = ({ incidents }: Data) =>
  (Array.isArray(incidents) ? incidents : []).map(({ incident_id }) => incident_id);
const search = (agent: Agent, args: Data = {}) =>
  agent.ask('ranked_solutions', { query_text: ERROR, env: ENV, ...args });

test('without a project it is the user’s, in the platform’s data folder', async () => {
  const user = someUser();
  const cwd = project();
  const agent = await server(user, cwd);
  const { incident_id } = await agent.ask('add_incident', INCIDENT);
  const file = path.join(user.XDG_DATA_HOME, 'argus', ...(process.platform === 'win32' ? ['Data'] : []), 'memory.db');
  if (process.platform !== 'darwin') expect(existsSync(file)).toBe(true);
  expect(readdirSync(cwd), 'nothing in the folder it was started in').toEqual([]);
  expect(await search(agent)).toMatchObject({ incidents: [{ incident_id, memory: 'user' }] });
  const again = await server(user);
  expect(await search(again), 'another server of the same user').toMatchObject({ incidents: [{ incident_id }] });
  const stranger = await server(someUser());
  expect(await search(stranger), 'another user').toMatchObject({ incidents: [] });
});

test.runIf(process.platform === 'linux')('the folder follows HOME where nothing else is said', async () => {
  const { HOME } = someUser();
  const agent = await server({ HOME, XDG_DATA_HOME: '' });
  await agent.ask('add_incident', INCIDENT);
  const folder = path.join(HOME, '.local', 'share', 'argus');
  expect(readdirSync(folder)).toContain('memory.db');
  expect(statSync(folder).mode & 0o077, 'for its owner alone').toBe(0);
});

test.runIf(process.platform === 'linux')('no home is an error that names the way out', async () => {
  const agent = await server({ HOME: '', XDG_DATA_HOME: '' });
  const { code, message } = await agent.askError('add_incident', INCIDENT);
  expect({ code, message }).toEqual({ code: 'DATABASE_UNAVAILABLE', message: expect.stringContaining('set HOME') });
  // Nor can anybody tell whose a project's memory is.
  const inProject = await agent.askError('add_incident', { ...INCIDENT, projectPath: project() });
  expect(inProject).toEqual({ code: 'DATABASE_UNAVAILABLE', message });
});

test('both memories are searched, whichever is home', async () => {
  const root = project();
  const agent = await server(someUser(), root);
  const mine = await agent.ask('add_incident', INCIDENT);
  const theirs = await agent.ask('add_incident', { ...OTHER, projectPath: root });
  for (const projectPath of [root, undefined]) {
    expect(await search(agent, { projectPath })).toMatchObject({
      incidents: [{ incident_id: mine.incident_id, memory: 'user' }],
      recommended_solution: { solution_id: mine.solution_id },
    });
    expect(await search(agent, { projectPath, query_text: OTHER_ERROR })).toMatchObject({
      incidents: [{ incident_id: theirs.incident_id, memory: 'project' }],
      recommended_solution: { solution_id: theirs.solution_id },
    });
  }
});

test('ids resolve in both memories, and what is learned stays where it belongs', async () => {
  const user = someUser();
  const root = project();
  const agent = await server(user, root);
  const mine = await agent.ask('add_incident', INCIDENT);
  const { lookup_id } = await search(agent);
  const at = { projectPath: root, env: ENV };
  const outcome = { lookup_id, solution_id: mine.solution_id, worked: true, ...at };
  expect(await agent.ask('record_outcome', outcome)).toMatchObject({ solution_stats: { worked: 2 } });
  const added = await agent.ask('add_solution', { incident_id: mine.incident_id, steps: 'Rebuild the image.', ...at });
  const theirs = await agent.ask('add_incident', { ...OTHER, projectPath: root });
  expect(
    await agent.ask('record_outcome', { solution_id: theirs.solution_id, worked: false, env: ENV }),
    'a solution of the project, from a call without one',
  ).toMatchObject({ solution_stats: { worked: 1, failed: 1 } });
  const elsewhere = await server(user);
  const seen = await search(elsewhere);
  expect(seen).toMatchObject({ recommended_solution: { solution_id: mine.solution_id, worked: 2 }, more: 0 });
  expect(JSON.stringify(seen)).toContain(added.solution_id);
  expect(idsOf(await search(elsewhere, { query_text: OTHER_ERROR })), 'the project’s stays in the project').toEqual([]);
});

test('an incident of the user is a resource without any project', async () => {
  const agent = await server(someUser());
  expect(await agent.complete('argus://incident/{id}', 'inc-')).toEqual([]);
  const { incident_id } = await agent.ask('add_incident', INCIDENT);
  expect(await agent.complete('argus://incident/{id}', 'inc-')).toEqual([incident_id]);
  expect(await agent.read(`argus://incident/${incident_id}`)).toMatchObject({
    memory: 'user',
    solutions: [{ steps: INCIDENT.steps, outcomes: [{ worked: true }] }],
  });
});

test('a confirmation counts half as recent after the half-life of the configuration', async () => {
  const day = 86_400_000;
  const created_at = new Date(Date.now() - 90 * day).toISOString();
  const solutions = [{ steps: 'Install it.', env: ENV, outcomes: [{ worked: true, env: ENV, created_at }] }];
  const line = JSON.stringify({ title: ERROR, error_signature: ERROR, solutions });
  const env = someUser();
  const agent = await server(env);
  for (const [config, recency] of [
    ['', 0.5 ** (90 / 180)],
    ['memory: { halfLife: 30d }\n', 0.125],
  ] as const) {
    const root = project({ 'argus.yaml': config, 'incidents.jsonl': line });
    expect(
      (await argus(['memory', 'import', path.join(root, 'incidents.jsonl'), '--project', root], { env })).status,
    ).toBe(0);
    const { recommended_solution } = await search(agent, { projectPath: root });
    expect(Object(recommended_solution).recency_boost).toBeCloseTo(recency, 3);
  }
});

test('the guard looks into both memories', async () => {
  const root = project();
  const agent = await server(someUser(), root);
  const { incident_id } = await agent.ask('add_incident', INCIDENT);
  expect(await agent.ask('add_incident', { ...INCIDENT, projectPath: root })).toMatchObject({
    created: false,
    incident_id,
  });
});

test('a memory that comes into being later is found', async () => {
  const user = someUser();
  const root = project();
  const agent = await server(user, root);
  expect(idsOf(await search(agent, { projectPath: root }))).toEqual([]);
  expect(idsOf(await search(agent))).toEqual([]);
  const other = await server(user);
  const { incident_id } = await other.ask('add_incident', INCIDENT);
  expect(idsOf(await search(agent, { projectPath: root }))).toEqual([incident_id]);
});

test('an open project is beside the user’s memory, one without a database stays without', async () => {
  const agent = await server(someUser());
  const [learned, empty] = [project(), project()];
  const { incident_id } = await agent.ask('add_incident', { ...INCIDENT, projectPath: learned });
  expect(idsOf(await search(agent)), 'not open').toEqual([]);
  await agent.data('argus_init', { projectPath: learned });
  await agent.data('argus_init', { projectPath: empty });
  expect(idsOf(await search(agent))).toEqual([incident_id]);
  expect(readdirSync(empty)).toEqual([]);
});

test('an environment is detected in the newest open project, or where the server was started', async () => {
  const [start, open] = [
    project({ 'go.mod': 'module x\n\ngo 1.22\n' }),
    project({ 'requirements.txt': 'flask==3.0\n' }),
  ];
  const agent = await server(someUser(), start);
  expect(await search(agent, { env: {} })).toMatchObject({ detected_env: { language: 'go' } });
  await agent.data('argus_init', { projectPath: open });
  expect(await search(agent, { env: {} })).toMatchObject({ detected_env: { framework: 'flask', framework_major: 3 } });
});

test('a mistake in the configuration where the server was started is a warning', async () => {
  const agent = await server(someUser(), project({ 'argus.yaml': 'histroy: {}\n' }));
  expect((await search(agent)).warnings).toEqual([expect.stringMatching(/is not searched: .*histroy/u)]);
});

test('a broken memory beside is a warning, a broken home keeps answering and loses nothing unsaid', async () => {
  const user = someUser();
  const root = project();
  mkdirSync(path.join(user.XDG_DATA_HOME, 'argus'), { recursive: true });
  const file = path.join(user.XDG_DATA_HOME, 'argus', 'memory.db');
  const content = 'this is no database, and longer than its header'.repeat(50);
  writeFileSync(file, content);
  const agent = await server(user, root);
  const { incident_id } = await agent.ask('add_incident', { ...INCIDENT, projectPath: root });
  const beside = await search(agent, { projectPath: root });
  expect(idsOf(beside)).toEqual([incident_id]);
  expect(beside.warnings).toEqual([expect.stringMatching(/left out/u)]);
  const home = await search(agent);
  expect(idsOf(home)).toEqual([incident_id]);
  expect(home.warnings).toEqual([expect.stringMatching(/Nothing is stored/u)]);
  expect((await agent.askError('add_incident', OTHER)).code).toBe('DATABASE_CORRUPT');
  expect(readFileSync(file, 'utf8')).toBe(content);
});

test('a project that stores nothing', async () => {
  const root = project({ 'argus.yaml': 'history: { enabled: false }\n' });
  const agent = await server(someUser(), root);
  expect((await agent.askError('ranked_solutions', { query_text: ERROR, env: {}, projectPath: root })).code).toBe(
    'HISTORY_DISABLED',
  );
  expect(await agent.ask('add_incident', INCIDENT), 'the user’s own works').toMatchObject({ created: true });
  expect(readdirSync(root)).toEqual(['argus.yaml']);
});

test('two servers add one incident at the same moment', async () => {
  const [root, user] = [project(), someUser()];
  const [a, b] = [await server(user), await server(user)];
  const answers = await Promise.all(
    [a, b, a, b].map((agent) => agent.ask('add_incident', { ...INCIDENT, projectPath: root })),
  );
  expect(answers.filter(({ created }) => created === true)).toHaveLength(1);
  expect(new Set(answers.map(({ incident_id }) => incident_id)).size).toBe(1);
  expect(idsOf(await search(a, { projectPath: root }))).toHaveLength(1);
  expect(await a.ask('add_incident', { ...INCIDENT, projectPath: root, force: true })).toMatchObject({ created: true });
  expect(idsOf(await search(b, { projectPath: root }))).toHaveLength(2);
});

test('two servers add one incident to different memories at the same moment', async () => {
  const root = project();
  const user = someUser();
  const [a, b] = [await server(user, root), await server(user, root)];
  // Both files are there: one that is missing cannot be locked.
  await a.ask('add_incident', { ...OTHER, projectPath: root });
  await b.ask('add_incident', { ...OTHER, title: 'gyroscope drift', error_signature: 'DriftError: gyroscope' });
  for (let round = 0; round < 5; round += 1) {
    const error = `StalledTurbine${round}Error: blade${round} hit the casing${round}`;
    const incident = { ...INCIDENT, title: `turbine${round} stalls`, error_signature: error };
    const answers = await Promise.all([
      a.ask('add_incident', { ...incident, projectPath: root }),
      b.ask('add_incident', incident),
    ]);
    expect(answers.filter(({ created }) => created === true)).toHaveLength(1);
    expect(new Set(answers.map(({ incident_id }) => incident_id)).size).toBe(1);
  }
});

test('two servers record outcomes of one solution, and none is lost', async () => {
  const [root, user] = [project(), someUser()];
  const [a, b] = [await server(user), await server(user)];
  const { solution_id } = await a.ask('add_incident', { ...INCIDENT, projectPath: root });
  const outcome = (worked: boolean) => ({ solution_id, worked, env: ENV, projectPath: root });
  const each = 40;
  await Promise.all(
    [a, b].flatMap((agent) =>
      Array.from({ length: each }, (_, index) => agent.ask('record_outcome', outcome(index % 4 !== 0))),
    ),
  );
  const { solution_stats } = await a.ask('record_outcome', outcome(true));
  expect(solution_stats).toMatchObject({ worked: each * 1.5 + 2, failed: each / 2 });
});

test('what argus_report_fix learned is found by ranked_solutions, and counts in both', async () => {
  const message = 'KeyError: "tax_class" in invoice/lines.py:88';
  const report = junit([{ name: 'bills a guest', failure: { message } }]);
  const root = project({ 'report.xml': report, 'requirements.txt': 'django==4.2.1\n' });
  const agent = await server(someUser());
  await agent.data('argus_init', { projectPath: root });
  const { runId } = await agent.data('argus_import', { projectPath: root, path: 'report.xml' });
  const failure = { projectPath: root, runId, caseName: 'bills a guest' };
  await agent.data('argus_diagnose', failure);
  const fixDescription = 'Fill in the default tax class of guests.';
  const { patternId } = await agent.data('argus_report_fix', { ...failure, fixDescription });
  const answer = await search(agent, { query_text: message, env: {}, projectPath: root });
  expect(answer).toMatchObject({
    incidents: [{ incident_id: patternId, kind: 'pattern', solution_count: 1, memory: 'project' }],
    recommended_solution: { steps: fixDescription, worked: 1, env_match_score: 1 },
    detected_env: { framework: 'django' },
    next_action: { type: 'TRY_SOLUTION_AND_RECORD_OUTCOME' },
  });
  const solution_id = Object(answer.recommended_solution).solution_id;
  await agent.ask('record_outcome', { solution_id, worked: true, env: {}, projectPath: root });
  const { pattern } = await agent.data('argus_diagnose', failure);
  expect(pattern).toMatchObject({ id: patternId, resolutions: 2 });
  const steps = 'Migrate the guests to the new tax classes.';
  expect(await agent.ask('add_solution', { incident_id: patternId, steps, env: {}, projectPath: root })).toMatchObject({
    created: true,
  });
  expect(await search(agent, { query_text: message, env: {}, projectPath: root })).toMatchObject({
    incidents: [{ solution_count: 2 }],
  });
});

test('argus_diagnose lists matching incidents with their best solution', async () => {
  const message = 'ValueError: could not convert string to float: "1,5" in pricing/parse.py:12';
  const root = project({ 'report.xml': junit([{ name: 'reads a price', failure: { message } }]) });
  const agent = await server(someUser());
  const incident = {
    ...INCIDENT,
    title: message,
    error_signature: message,
    steps: 'Parse with the locale of the file.',
  };
  const { incident_id } = await agent.ask('add_incident', { ...incident, projectPath: root });
  await agent.data('argus_init', { projectPath: root });
  const { runId } = await agent.data('argus_import', { projectPath: root, path: 'report.xml' });
  const diagnosis = await agent.data('argus_diagnose', { projectPath: root, runId, caseName: 'reads a price' });
  expect(diagnosis.related).toEqual([
    expect.objectContaining({ kind: 'incident', id: incident_id, suggestedFix: incident.steps }),
  ]);
});

test('export and import change nothing', async () => {
  const [from, to, env] = [project(), project(), someUser()];
  const agent = await server(env);
  const { incident_id, solution_id } = await agent.ask('add_incident', {
    ...INCIDENT,
    projectPath: from,
    tags: ['db'],
  });
  await agent.ask('add_solution', { incident_id, steps: 'Use the slim image.', env: {}, projectPath: from });
  await agent.ask('record_outcome', { solution_id, worked: false, env: ENV, notes: 'still', projectPath: from });
  const exported = await argus(['memory', 'export', '--project', from], { env });
  expect(exported.status).toBe(0);
  writeFileSync(path.join(to, 'all.jsonl'), exported.stdout);
  const imported = () => argus(['memory', 'import', path.join(to, 'all.jsonl'), '--project', to, '--json'], { env });
  expect(JSON.parse((await imported()).stdout)).toEqual({
    added: 1,
    updated: 0,
    solutions: 2,
    outcomes: 2,
    refused: [],
  });
  expect((await argus(['memory', 'export', '--project', to], { env })).stdout).toBe(exported.stdout);
  expect(JSON.parse((await imported()).stdout)).toEqual({
    added: 0,
    updated: 1,
    solutions: 0,
    outcomes: 0,
    refused: [],
  });
  expect((await argus(['memory', 'export', '--project', to], { env })).stdout).toBe(exported.stdout);
  const { lookup_id: _one, ...here } = await search(agent, { projectPath: from });
  const { lookup_id: _other, ...there } = await search(agent, { projectPath: to });
  expect(there).toEqual(here);
});

test('a home folder can be a project, with the data folder in it', async () => {
  const home = project({ 'in.jsonl': `${JSON.stringify({ type: 'incident', id: 'inc-home', title: ERROR })}\n` });
  const env = { HOME: home, XDG_DATA_HOME: home, LOCALAPPDATA: home };
  const imported = await argus(['memory', 'import', path.join(home, 'in.jsonl'), '--project', home, '--json'], { env });
  expect(imported.status, imported.stderr).toBe(0);
  const found = await argus(['solutions', ERROR, '--project', home, '--json'], { env });
  expect(idsOf(JSON.parse(found.stdout))).toEqual(['inc-home']);
});
