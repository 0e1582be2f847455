/** A repository that belongs to a team: what goes there, what stays here, and what waits. The server: server.test.ts. */

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { argus } from '../argus.ts';
import { type Agent, BUNDLE, connect, type Data, environment, project, someUser } from '../harness.ts';
import { junit } from '../runs/reports.ts';
import { git, newDatabase, post, repository, startServer, stopServers, type TeamServer, token } from './team.ts';

const agents: Agent[] = [];
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.close()));
  stopServers();
});

const FAILURE = 'Error: the flux capacitor is out of tune';
const FAILED = junit([{ name: 'tunes', failure: { message: FAILURE } }]);
const ENV = { os: 'linux' };
const INCIDENT = { title: 'The boiler is cold', steps: 'Relight the pilot flame.', worked: true, env: ENV };
const SEARCH = { query_text: 'The boiler is cold', env: ENV };

/** A user with a token, on a machine of their own. */
async function member(server: TeamServer, name = 'Ada', ...args: string[]): Promise<Record<string, string>> {
  return { ...someUser(), ARGUS_TEAM_TOKEN: await token(server.database, name, ...args) };
}

function join(root: string, { url }: Pick<TeamServer, 'url'>, env: Record<string, string>) {
  return argus(['team', 'join', url, '--as', 'shop', '--project', root, '--json'], { env });
}

async function agentOf(root: string, env: Record<string, string>): Promise<Agent> {
  const agent = await connect('2026-07-28', env, root);
  agents.push(agent);
  return agent;
}

/** An agent in a repository that has joined. */
async function joined(server: TeamServer) {
  const ada = await member(server);
  const root = repository();
  await join(root, server, ada);
  const agent = await agentOf(root, ada);
  await agent.data('argus_init', { projectPath: root });
  return { ada, root, agent };
}

async function failedRun(agent: Agent, root: string): Promise<Data> {
  writeFileSync(path.join(root, 'report.xml'), FAILED);
  return agent.data('argus_import', { projectPath: root, path: 'report.xml' });
}

test('what one has fixed, another is told, and nothing of it lies in the repository', async () => {
  const server = await startServer();
  const [ada, bob] = [await member(server), await member(server, 'Bob')];
  const [first, second] = [repository(), repository()];
  git(second, 'fetch', '--quiet', first);
  git(second, 'reset', '--quiet', '--hard', 'FETCH_HEAD');
  expect(JSON.parse((await join(first, server, ada)).stdout)).toMatchObject({
    success: true,
    data: { project: 'shop', token: 'Ada', scope: 'write', sameRules: true },
  });
  expect((await join(second, server, bob)).status).toBe(0);

  const agent = await agentOf(first, ada);
  await agent.data('argus_init', { projectPath: first });
  const { runId } = await failedRun(agent, first);
  const failure = { projectPath: first, runId, caseName: 'tunes' };
  expect(await agent.data('argus_diagnose', failure)).toMatchObject({ isNewPattern: true });
  await agent.data('argus_report_fix', { ...failure, fixDescription: 'Tuned it.', success: true });
  expect(existsSync(path.join(first, '.argus', 'argus.db'))).toBe(false);

  const other = await agentOf(second, bob);
  await other.data('argus_init', { projectPath: second });
  const { runId: runOfBob } = await failedRun(other, second);
  const known = await other.data('argus_diagnose', { projectPath: second, runId: runOfBob, caseName: 'tunes' });
  expect(known).toMatchObject({
    suggestedFix: 'Tuned it.',
    fixHistory: [{ recordedFrom: expect.stringMatching(/^Ada \(/u) }],
  });
});

test('what has fixed a failure here is suggested where the team knows no fix, whether it can be asked or not', async () => {
  const server = await startServer();
  const ada = await member(server);
  const root = repository();
  const before = await agentOf(root, ada);
  await before.data('argus_init', { projectPath: root });
  await work(before, root);
  await before.close();
  agents.splice(0);
  await join(root, server, ada);
  const agent = await agentOf(root, ada);
  await agent.data('argus_init', { projectPath: root });
  for (const isReachable of [true, false]) {
    if (!isReachable) await server.stop();
    const { runId, failures } = await failedRun(agent, root);
    const proved = { suggestedFix: 'Tuned it.', tried: { proved: 1 } };
    expect(failures, `a run, reachable: ${isReachable}`).toMatchObject([{ known: proved }]);
    const known = await agent.data('argus_diagnose', { projectPath: root, runId, caseName: 'tunes' });
    expect(known).toMatchObject({
      suggestedFix: 'Tuned it.',
      suggestedFrom: { caseName: expect.stringContaining('tunes') },
    });
  }
});

test('a run ends as its tests did, although the server is away', async () => {
  const server = await startServer();
  const ada = await member(server);
  const root = repository({ 'check.js': '' });
  await join(root, server, ada);
  await server.stop();
  const run = (command: string) => argus(['run', '--json', '--project', root, 'node', command], { env: ada });
  expect(await run('check.js')).toMatchObject({ status: 0, stdout: expect.stringContaining('"queued":true') });
  expect((await run('missing.js')).status).toBe(1);
});

test('what cannot be sent waits, answers meanwhile, and is the same as if it had been sent', async () => {
  const server = await startServer();
  const { ada, root, agent } = await joined(server);
  await server.stop();

  const run = await failedRun(agent, root);
  expect(run).toMatchObject({ stored: false, queued: true, code: 'TEAM_UNREACHABLE' });
  const failure = { projectPath: root, runId: run.runId, caseName: 'tunes' };
  expect(await agent.data('argus_diagnose', failure)).toMatchObject({ queued: true, isNewPattern: true });
  const fix = { ...failure, fixDescription: 'Tuned it.', success: true };
  expect(await agent.data('argus_report_fix', fix)).toMatchObject({ queued: true });
  expect(JSON.parse((await argus(['team', 'status', '--project', root, '--json'], { env: ada })).stdout)).toMatchObject(
    {
      data: { joined: true, reachable: false, waiting: 3 },
    },
  );

  const again = await startServer(server.database, ['--port', String(server.port)]);
  await expect
    .poll(
      async () => (await argus(['patterns', '--project', root, '--json', '--source', 'learned'], { env: ada })).stdout,
      {
        timeout: 30_000,
        interval: 1_000,
      },
    )
    .toContain('"suggestedFix":"Tuned it."');
  expect(JSON.parse((await argus(['team', 'status', '--project', root, '--json'], { env: ada })).stdout)).toMatchObject(
    {
      data: { reachable: true, waiting: 0 },
    },
  );
  // The run has the id that it was answered with.
  const { body } = await post(again, ada.ARGUS_TEAM_TOKEN ?? '', 'runDetail', { runId: run.runId });
  expect(body).toMatchObject({ result: { cases: [{ caseName: expect.stringContaining('tunes') }] } });
});

/** Runs, diagnoses and fixes, as an agent makes them one after the other. */
async function work(agent: Agent, root: string): Promise<void> {
  const passed = junit([{ name: 'tunes' }]);
  for (const [report, fix] of [
    [FAILED, { fixDescription: 'Hit it.', success: false }],
    [FAILED, { fixDescription: 'Tuned it.', success: true }],
    [passed, undefined],
    [FAILED, { fixDescription: 'Tuned it again.', success: true }],
  ] as const) {
    writeFileSync(path.join(root, 'report.xml'), report);
    const { runId } = await agent.data('argus_import', { projectPath: root, path: 'report.xml' });
    if (fix === undefined) continue;
    const failure = { projectPath: root, runId, caseName: 'tunes' };
    await agent.data('argus_diagnose', failure);
    await agent.data('argus_report_fix', { ...failure, ...fix });
  }
}

/** What a server has learned, without names that are new each time, and times. */
async function learned(server: TeamServer, bearer: string): Promise<string> {
  const asked = [
    ['patterns', {}],
    ['history', {}],
    ['viewPatterns', {}],
    ['viewGrid', {}],
  ] as const;
  const answers = await Promise.all(
    asked.map(async ([method, params]) => (await post(server, bearer, method, params)).body),
  );
  return JSON.stringify(answers, undefined, 1)
    .replaceAll(/(run|pat|fix|sol|out)-[0-9a-f-]{36}/gu, '$1-ID')
    .replaceAll(/"[0-9a-f]{40}"/gu, '"COMMIT"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, 'TIME');
}

test('what is sent later has taught the same as what is sent at once', async () => {
  const taught = [];
  for (const isReachable of [true, false]) {
    const server = await startServer();
    const { ada, root, agent } = await joined(server);
    if (!isReachable) await server.stop();
    await work(agent, root);
    const answering = isReachable ? server : await startServer(server.database, ['--port', String(server.port)]);
    // A process of its own: the agent's asks a server that did not answer only after some seconds.
    await argus(['history', '--project', root], { env: ada });
    expect(
      JSON.parse((await argus(['team', 'status', '--project', root, '--json'], { env: ada })).stdout),
    ).toMatchObject({
      data: { waiting: 0, refused: 0 },
    });
    taught.push(await learned(answering, ada.ARGUS_TEAM_TOKEN ?? ''));
  }
  expect(taught[0]).toContain('"proved": 1');
  expect(taught[1]).toBe(taught[0]);
});

test('a search finds what the team knows and what only this machine does', async () => {
  const server = await startServer();
  const ada = await member(server);
  const root = repository();
  const before = await agentOf(root, ada);
  const local = await before.ask('add_incident', { ...INCIDENT, projectPath: root });
  await join(root, server, ada);
  await post(server, ada.ARGUS_TEAM_TOKEN ?? '', 'addIncident', {
    ...INCIDENT,
    steps: 'Bleed the radiators.',
    force: true,
  });

  const agent = await agentOf(root, ada);
  const found = await agent.ask('ranked_solutions', { ...SEARCH, projectPath: root });
  const solutions = stepsOf(found);
  expect(solutions).toEqual(expect.arrayContaining(['Relight the pilot flame.', 'Bleed the radiators.']));
  expect(found).toMatchObject({ recommended_solution: expect.any(Object), next_action: expect.any(Object) });
  // What came of a solution is recorded where it is.
  const { solution_id } = local;
  const outcome = { solution_id, worked: true, env: ENV, projectPath: root };
  expect(await agent.ask('record_outcome', outcome)).toMatchObject({ ok: true });

  expect(JSON.parse((await argus(['team', 'push', '--project', root, '--json'], { env: ada })).stdout)).toMatchObject({
    data: { incidents: 1, added: 1 },
  });
  expect(JSON.parse((await argus(['team', 'push', '--project', root, '--json'], { env: ada })).stdout)).toMatchObject({
    data: { incidents: 1, added: 0 },
  });
  const after = await agent.ask('ranked_solutions', { ...SEARCH, projectPath: root });
  expect(stepsOf(after), 'what was copied is there once').toHaveLength(2);

  const bob = await member(server, 'Bob');
  const other = repository();
  git(other, 'fetch', '--quiet', root);
  git(other, 'reset', '--quiet', '--hard', 'FETCH_HEAD');
  await join(other, server, bob);
  expect((await argus(['team', 'pull', '--project', other], { env: bob })).status).toBe(0);
  await server.stop();
  const offline = await agentOf(other, bob);
  const kept = await offline.ask('ranked_solutions', { ...SEARCH, projectPath: other });
  expect(stepsOf(kept)).toHaveLength(2);
  expect(kept).toMatchObject({ warnings: [expect.stringContaining('cannot be reached')] });
});

test('in a fresh clone a search that names no project asks the team, whose solutions take what came of them', async () => {
  const server = await startServer();
  const ada = await member(server);
  await post(server, ada.ARGUS_TEAM_TOKEN ?? '', 'addIncident', INCIDENT);
  const root = repository();
  await join(root, server, ada);
  const searched = await argus(['solutions', INCIDENT.title, '--env', 'os=linux', '--json'], { env: ada, cwd: root });
  expect(stepsOf(JSON.parse(searched.stdout))).toEqual([INCIDENT.steps]);

  const elsewhere = await agentOf(project(), ada);
  const opened = await elsewhere.data('argus_init', { projectPath: root });
  expect(opened).toMatchObject({ team: { project: 'shop', url: `${server.url}/` }, memory: 'new' });
  const own = { title: 'The kettle leaks', steps: 'Descale the kettle.', worked: true, env: ENV };
  await elsewhere.ask('add_incident', own);
  const found = await elsewhere.ask('ranked_solutions', SEARCH);
  expect(found).toMatchObject({ recommended_solution: { steps: INCIDENT.steps } });
  expect(stepsOf(await elsewhere.ask('ranked_solutions', { ...SEARCH, query_text: own.title }))).toEqual([own.steps]);
  const { recommended_solution: recommended, lookup_id } = found;
  const { solution_id, incident_id } = z
    .object({ solution_id: z.string(), incident_id: z.string() })
    .parse(recommended);
  const outcome = { solution_id, lookup_id, worked: false, env: ENV };
  expect(await elsewhere.ask('record_outcome', outcome)).toMatchObject({ ok: true });
  const other = { incident_id, steps: 'Call the plumber.', env: ENV };
  expect(await elsewhere.ask('add_solution', other)).toMatchObject({ solution_id: expect.any(String) });
  const { body } = await post(server, ada.ARGUS_TEAM_TOKEN ?? '', 'incident', { id: incident_id });
  expect(JSON.stringify(body)).toContain('Call the plumber.');
  expect(JSON.stringify(body), 'it failed once').toMatch(/"failed":1/u);

  await server.stop();
  const offline = await elsewhere.ask('ranked_solutions', { ...SEARCH, query_text: own.title });
  expect(stepsOf(offline)).toEqual([own.steps]);
  expect(offline).toMatchObject({ warnings: [expect.stringContaining('cannot be reached')] });
});

test('what was learned here is pushed, known to a second machine and pulled for when the server is away', async () => {
  const server = await startServer();
  const [ada, bob] = [await member(server), await member(server, 'Bob')];
  const root = repository();
  const before = await agentOf(root, ada);
  await before.data('argus_init', { projectPath: root });
  await work(before, root);
  await join(root, server, ada);
  const copied = async (env: Record<string, string>, what: 'push' | 'pull', at = root) =>
    JSON.parse((await argus(['team', what, '--project', at, '--json'], { env })).stdout).data;
  expect(await copied(ada, 'push')).toEqual({ incidents: 0, added: 0, patterns: 1, addedPatterns: 1 });
  const once = await learned(server, ada.ARGUS_TEAM_TOKEN ?? '');
  expect(await copied(ada, 'push')).toEqual({ incidents: 0, added: 0, patterns: 1, addedPatterns: 0 });
  expect(await learned(server, ada.ARGUS_TEAM_TOKEN ?? '')).toBe(once);

  const other = repository();
  git(other, 'fetch', '--quiet', root);
  git(other, 'reset', '--quiet', '--hard', 'FETCH_HEAD');
  await join(other, server, bob);
  const agent = await agentOf(other, bob);
  const proved = { suggestedFix: 'Tuned it.', tried: { proved: 1 } };
  for (const isReachable of [true, false]) {
    if (!isReachable) {
      expect(await copied(bob, 'pull', other)).toMatchObject({ patterns: 1, addedPatterns: 1 });
      await server.stop();
    }
    const { runId, failures } = await failedRun(agent, other);
    expect(failures, `reachable: ${isReachable}`).toMatchObject([{ known: proved }]);
    const known = await agent.data('argus_diagnose', { projectPath: other, runId, caseName: 'tunes' });
    expect(known, `reachable: ${isReachable}`).toMatchObject(proved);
  }
  // What went there and came back is as it was.
  const again = await startServer(server.database, ['--port', String(server.port)]);
  const pattern = async () => (await post(again, ada.ARGUS_TEAM_TOKEN ?? '', 'patterns', { source: 'learned' })).body;
  await copied(ada, 'pull');
  const counted = await pattern();
  await copied(ada, 'push');
  expect(await pattern()).toEqual(counted);
});

function stepsOf({ ranked_solutions: ranked }: Data): string[] {
  return (Array.isArray(ranked) ? ranked : []).map(({ steps }) => String(steps));
}

/** A server that only listens. */
async function trap(answer: (request: IncomingMessage) => [number, Record<string, string>]) {
  const seen: string[] = [];
  const http = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization} ${body}`);
      const [status, headers] = answer(request);
      response.writeHead(status, headers).end('{}');
    });
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen, close: () => http.close() };
}

test('a clone that names a server of its own is only quoted', async () => {
  const spy = await trap(() => [200, {}]);
  const config = `team:\n  url: ${spy.url}\n  project: stolen\n`;
  const root = repository({
    'argus.yaml': config,
    '.argus/teams.json': JSON.stringify({ version: 1, memberships: [] }),
  });
  const env = { ...someUser(), ARGUS_TEAM_TOKEN: 'argus_0123' };
  const agent = await agentOf(root, env);
  const opened = await agent.data('argus_init', { projectPath: root });
  const proposal = expect.stringContaining(`argus team join ${spy.url} --as stolen`);
  expect(opened.warnings).toEqual(expect.arrayContaining([proposal]));
  await failedRun(agent, root);
  await agent.ask('ranked_solutions', { ...SEARCH, projectPath: root });
  expect(spy.seen).toEqual([]);
  spy.close();
});

test('a fork with the same first commit is another repository', async () => {
  const server = await startServer();
  const ada = await member(server);
  const root = repository();
  await join(root, server, ada);
  const fork = repository({}, 'https://git.example.com/fork.git');
  git(fork, 'fetch', '--quiet', root);
  git(fork, 'reset', '--quiet', '--hard', 'FETCH_HEAD');
  const { data } = JSON.parse((await argus(['team', 'status', '--project', fork, '--json'], { env: ada })).stdout);
  expect(data).toMatchObject({ joined: false });
});

test('a token is taken to no other address, and from no other variable', async () => {
  const spy = await trap(() => [200, {}]);
  const redirecting = await trap(() => [307, { Location: spy.url }]);
  const root = repository();
  const env = { ...someUser(), ARGUS_TEAM_TOKEN: 'argus_0123', AWS_SECRET_ACCESS_KEY: 'stolen' };
  // Not at once, as `argus` does: the server that is asked runs in this process.
  const joining = async (...args: string[]) => {
    const asked = promisify(execFile)(
      process.execPath,
      [BUNDLE, 'team', 'join', ...args, '--project', root, '--json'],
      {
        env: environment(env),
      },
    );
    return asked.then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );
  };
  expect(await joining(redirecting.url)).toContain('redirects');
  expect(await joining(spy.url, '--token-variable', 'AWS_SECRET_ACCESS_KEY')).toContain('INVALID_INPUT');
  expect(await joining('http://argus.example.com')).toContain('INVALID_INPUT');
  expect(spy.seen).toEqual([]);
  redirecting.close();
  spy.close();
});

test('no secret leaves this machine', async () => {
  const spy = await trap(({ url }) => [url === '/v1/hello' ? 200 : 500, {}]);
  const server = await startServer();
  const ada = await member(server);
  const root = repository({ 'argus.yaml': 'redact:\n  patterns:\n    - { name: acme, pattern: "ACME-\\\\d{6}" }\n' });
  await join(root, server, ada);
  const planted = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
  // The same machine, whose server is replaced by one that keeps what it is sent.
  const data = ada.XDG_DATA_HOME ?? '';
  const kept = readdirSync(data, { recursive: true }).map(String);
  const file = path.join(data, kept.find((name) => name.endsWith('teams.json')) ?? '');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`${server.url}/`, spy.url));
  writeFileSync(
    path.join(root, 'report.xml'),
    junit([
      {
        name: `uses ${planted}`,
        failure: { message: `Error: ${planted} and ACME-123456 at ${root}/src/boiler.js:3:1` },
      },
    ]),
  );
  const agent = await agentOf(root, ada);
  await agent.call('argus_import', { projectPath: root, path: 'report.xml' });
  await agent.ask('ranked_solutions', { query_text: `${planted} ACME-123456`, env: ENV, projectPath: root });
  const incident = { ...INCIDENT, title: `${planted} and ACME-123456`, notes: `${planted} at ${root}/src` };
  expect(await agent.ask('add_incident', { ...incident, projectPath: root })).toMatchObject({ queued: true });
  const waiting = path.join(root, '.argus', 'argus.db.spool');
  const waits = readdirSync(waiting).map((name) => readFileSync(path.join(waiting, name), 'utf8'));
  expect(waits.join('\n')).toContain('addIncident');
  expect(waits.join('\n')).not.toMatch(/ghp_0123|ACME-123456/u);
  const sent = spy.seen.join('\n');
  expect(sent).toContain('recordRun');
  expect(sent).not.toMatch(/ghp_0123|ACME-123456/u);
  expect(sent, 'a place says who works here').toContain(' src/boiler.js:3:1');
  expect(sent).not.toContain(root);
  spy.close();
});

test('who has left sends nothing', async () => {
  const server = await startServer(newDatabase());
  const ada = await member(server);
  const root = repository();
  await join(root, server, ada);
  expect((await argus(['team', 'leave', '--project', root], { env: ada })).stdout).toContain('nothing is sent');
  await server.stop();
  const agent = await agentOf(root, ada);
  await agent.data('argus_init', { projectPath: root });
  expect(await failedRun(agent, root)).not.toHaveProperty('queued');
  expect((await argus(['team', 'push', '--project', root], { env: ada })).status).toBe(2);
});

test("a page of a team's memory is refused with the next step, whether its server is there or not", async () => {
  const server = await startServer();
  const { ada, root } = await joined(server);
  const exported = () => argus(['view', '--export', path.join(root, 'page.html'), '--project', root], { env: ada });
  const wanted = { status: 2, stderr: expect.stringContaining(`in a browser at ${server.url}`) };
  expect(await exported()).toMatchObject(wanted);
  await server.stop();
  expect(await exported()).toMatchObject(wanted);
  expect(existsSync(path.join(root, 'page.html'))).toBe(false);
});
