/**
 * A repository of a team: which data is sent to the server and which stays on this machine. late.test.ts tests an
 * unreachable server, and server.test.ts tests the server.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createProject, type Data } from '../harness.ts';
import { formatJunit } from '../runs/reports.ts';
import {
  copyFirstCommit,
  createMachine,
  createMachineWithToken,
  createMember,
  createRepository,
  postCall,
  restartServer,
  startAgent,
  startServer,
} from './team.ts';
import { ENVIRONMENT, INCIDENT, importFailedRun, readLearnedData, simulateWork } from './work.ts';

const SEARCH_PARAMS = { query_text: INCIDENT.title, env: ENVIRONMENT };

function rankedSteps({ ranked_solutions: ranked }: Data): string[] {
  return (Array.isArray(ranked) ? ranked : []).map(({ steps }) => String(steps));
}

// Takes over 5 s, because two members run real tests against a server.
test('the fix of a member is suggested to another member, and no local memory is created', async () => {
  const server = await startServer();
  const ada = await createMachine(server);
  expect(await ada.join(server)).toMatchObject({ project: 'shop', token: 'Ada', scope: 'write', sameRules: true });
  const agent = await ada.agent();
  const { failure } = await importFailedRun(agent, ada.root);
  expect(await agent.data('argus_diagnose', failure)).toMatchObject({ isNewPattern: true });
  await agent.data('argus_report_fix', { ...failure, fixDescription: 'Tuned it.', success: true });
  expect(existsSync(path.join(ada.root, '.argus', 'argus.db'))).toBe(false);

  const bob = await createMember(server, 'Bob', copyFirstCommit(ada.root));
  const other = await bob.agent();
  const known = await other.data('argus_diagnose', (await importFailedRun(other, bob.root)).failure);
  expect(known).toMatchObject({
    suggestedFix: 'Tuned it.',
    fixHistory: [{ recordedFrom: expect.stringMatching(/^Ada \(/u) }],
  });
});

const PROVED_FIX = { suggestedFix: 'Tuned it.', tried: { proved: 1 } };

test('a fix from before joining is suggested while the team has no fix, even if the server is unreachable', async () => {
  const server = await startServer();
  const ada = await createMachine(server);
  await simulateWork(await ada.agent(), ada.root);
  await ada.join(server);
  const agent = await ada.agent();
  for (const reachable of [true, false]) {
    if (!reachable) await server.stop();
    const { run, failure } = await importFailedRun(agent, ada.root);
    expect(run.failures, `reachable: ${reachable}`).toMatchObject([{ known: PROVED_FIX }]);
    const suggestedFrom = { caseName: expect.stringContaining('tunes') };
    expect(await agent.data('argus_diagnose', failure)).toMatchObject({ suggestedFix: 'Tuned it.', suggestedFrom });
  }
});

test("a memory from before joining is searched together with the team's memory, and can be pushed and pulled", async () => {
  const server = await startServer();
  const ada = await createMachine(server);
  const before = await ada.agent();
  await simulateWork(before, ada.root);
  const { solution_id } = await before.ask('add_incident', { ...INCIDENT, projectPath: ada.root });
  await ada.join(server);
  await postCall(server, ada.bearer, 'addIncident', { ...INCIDENT, steps: 'Bleed the radiators.', force: true });

  const agent = await ada.agent();
  const found = await agent.ask('ranked_solutions', { ...SEARCH_PARAMS, projectPath: ada.root });
  expect(rankedSteps(found).sort()).toEqual(['Bleed the radiators.', INCIDENT.steps]);
  expect(found).toMatchObject({ recommended_solution: expect.any(Object), next_action: expect.any(Object) });
  const outcome = { solution_id, worked: true, env: ENVIRONMENT, projectPath: ada.root };
  expect(await agent.ask('record_outcome', outcome), 'recorded where the solution is').toMatchObject({ ok: true });
  expect(await ada.data('team', 'push')).toEqual({ incidents: 1, added: 1, patterns: 1, addedPatterns: 1 });
  const once = await readLearnedData(server, ada.bearer);
  expect(await ada.data('team', 'push')).toEqual({ incidents: 1, added: 0, patterns: 1, addedPatterns: 0 });
  expect(await readLearnedData(server, ada.bearer)).toBe(once);
  const after = await agent.ask('ranked_solutions', { ...SEARCH_PARAMS, projectPath: ada.root });
  expect(rankedSteps(after), 'a copy and its original are one').toHaveLength(2);

  const bob = await createMember(server, 'Bob', copyFirstCommit(ada.root));
  const other = await bob.agent();
  for (const reachable of [true, false]) {
    if (!reachable) {
      expect(await bob.data('team', 'pull')).toMatchObject({ incidents: 2, patterns: 1, addedPatterns: 1 });
      await server.stop();
    }
    const { run, failure } = await importFailedRun(other, bob.root);
    expect(run.failures, `reachable: ${reachable}`).toMatchObject([{ known: PROVED_FIX }]);
    expect(await other.data('argus_diagnose', failure), `reachable: ${reachable}`).toMatchObject(PROVED_FIX);
  }
  const kept = await other.ask('ranked_solutions', { ...SEARCH_PARAMS, projectPath: bob.root });
  expect(rankedSteps(kept)).toHaveLength(2);
  expect(kept).toMatchObject({ warnings: [expect.stringContaining('cannot be reached')] });
  // Pulling and pushing again does not change the counts.
  const again = await restartServer(server);
  const patterns = async () => (await postCall(again, ada.bearer, 'patterns', { source: 'learned' })).body;
  await ada.data('team', 'pull');
  const counted = await patterns();
  await ada.data('team', 'push');
  expect(await patterns()).toEqual(counted);
});

test('a search without a project asks the team of the open project, and outcomes reach that team', async () => {
  const server = await startServer();
  const ada = await createMember(server);
  await postCall(server, ada.bearer, 'addIncident', INCIDENT);
  const searched = await ada.argus('solutions', INCIDENT.title, '--env', 'os=linux', '--json');
  expect(rankedSteps(JSON.parse(searched.stdout)), 'in a fresh clone').toEqual([INCIDENT.steps]);

  const agent = await startAgent(createProject(), ada.env);
  const opened = await agent.data('argus_init', { projectPath: ada.root });
  expect(opened).toMatchObject({ team: { project: 'shop', url: `${server.url}/` }, memory: 'new' });
  const own = { title: 'The kettle leaks', steps: 'Descale the kettle.', worked: true, env: ENVIRONMENT };
  await agent.ask('add_incident', own);
  const found = await agent.ask('ranked_solutions', SEARCH_PARAMS);
  expect(rankedSteps(await agent.ask('ranked_solutions', { ...SEARCH_PARAMS, query_text: own.title }))).toEqual([
    own.steps,
  ]);
  const ids = z.object({ solution_id: z.string(), incident_id: z.string() });
  const { solution_id, incident_id } = ids.parse(found.recommended_solution);
  const outcome = { solution_id, lookup_id: found.lookup_id, worked: false, env: ENVIRONMENT };
  expect(await agent.ask('record_outcome', outcome)).toMatchObject({ ok: true });
  await agent.ask('add_solution', { incident_id, steps: 'Call the plumber.', env: ENVIRONMENT });
  const body = JSON.stringify((await postCall(server, ada.bearer, 'incident', { id: incident_id })).body);
  expect(body).toContain('Call the plumber.');
  expect(body, 'one outcome').toMatch(/"failed":1/u);

  await server.stop();
  const offline = await agent.ask('ranked_solutions', { ...SEARCH_PARAMS, query_text: own.title });
  expect(rankedSteps(offline)).toEqual([own.steps]);
  expect(offline).toMatchObject({ warnings: [expect.stringContaining('cannot be reached')] });
});

/** Starts an HTTP server that is not Argus and keeps every request. */
async function startForeignServer(answer: (request: IncomingMessage) => [number, Record<string, string>]) {
  const seen: string[] = [];
  const http = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    seen.push(`${request.method} ${request.url} ${request.headers.authorization} ${body}`);
    const [status, headers] = answer(request);
    response.writeHead(status, headers).end('{}');
  });
  onTestFinished(() => void http.close());
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen };
}

test('no request is sent to a server that a clone names, and the URL is quoted', async () => {
  const spy = await startForeignServer(() => [200, {}]);
  const root = createRepository({
    'argus.yaml': `team:\n  url: ${spy.url}\n  project: stolen\n`,
    '.argus/teams.json': JSON.stringify({ version: 1, memberships: [] }),
  });
  const agent = await startAgent(root, createMachineWithToken(root, 'argus_0123').env);
  const opened = await agent.data('argus_init', { projectPath: root });
  const proposal = expect.stringContaining(`argus team join ${spy.url} --as stolen`);
  expect(opened.warnings).toEqual(expect.arrayContaining([proposal]));
  await importFailedRun(agent, root);
  await agent.ask('ranked_solutions', { ...SEARCH_PARAMS, projectPath: root });
  expect(spy.seen).toEqual([]);
});

test('a fork with the same first commit counts as another repository', async () => {
  const ada = await createMember(await startServer());
  const fork = copyFirstCommit(ada.root, 'https://git.example.com/fork.git');
  const { stdout } = await ada.argus('team', 'status', '--project', fork, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ data: { joined: false } });
});

test('the token is sent to no other address, and is read from no variable of another program', async () => {
  const spy = await startForeignServer(() => [200, {}]);
  const redirecting = await startForeignServer(() => [307, { Location: spy.url }]);
  const ada = createMachineWithToken(createRepository(), 'argus_0123');
  ada.env.AWS_SECRET_ACCESS_KEY = 'stolen';
  const refusal = async (...args: string[]) => (await ada.argus('team', 'join', ...args, '--json')).stdout;
  expect(await refusal(redirecting.url)).toContain('redirects');
  expect(await refusal(spy.url, '--token-variable', 'AWS_SECRET_ACCESS_KEY')).toContain('INVALID_INPUT');
  expect(await refusal('http://argus.example.com')).toContain('INVALID_INPUT');
  expect(spy.seen).toEqual([]);
});

test('secrets and folders of this machine are neither sent nor queued', async () => {
  const spy = await startForeignServer(({ url }) => [url === '/v1/hello' ? 200 : 500, {}]);
  const server = await startServer();
  const root = createRepository({
    'argus.yaml': 'redact:\n  patterns:\n    - { name: acme, pattern: "ACME-\\\\d{6}" }\n',
  });
  const ada = await createMember(server, 'Ada', root);
  // Replaces the server in the stored membership by the foreign server.
  const data = ada.env.XDG_DATA_HOME ?? '';
  const teams = readdirSync(data, { recursive: true }).find((name) => String(name).endsWith('teams.json'));
  const file = path.join(data, String(teams));
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`${server.url}/`, spy.url));
  const planted = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
  const message = `Error: ${planted} and ACME-123456 at ${root}/src/boiler.js:3:1`;
  writeFileSync(path.join(root, 'report.xml'), formatJunit([{ name: `uses ${planted}`, failure: { message } }]));
  // Without argus_init, because its call would fail, and the server would then not be asked again for some seconds.
  const agent = await startAgent(root, ada.env);
  await agent.call('argus_import', { projectPath: root, path: 'report.xml' });
  await agent.ask('ranked_solutions', { query_text: `${planted} ACME-123456`, env: ENVIRONMENT, projectPath: root });
  const incident = { ...INCIDENT, title: `${planted} and ACME-123456`, notes: `${planted} at ${root}/src` };
  expect(await agent.ask('add_incident', { ...incident, projectPath: root })).toMatchObject({ queued: true });
  const waiting = path.join(root, '.argus', 'argus.db.spool');
  const waits = readdirSync(waiting).map((name) => readFileSync(path.join(waiting, name), 'utf8'));
  expect(waits.join('\n')).toContain('addIncident');
  expect(waits.join('\n')).not.toMatch(/ghp_0123|ACME-123456/u);
  const sent = spy.seen.join('\n');
  expect(sent).toContain('recordRun');
  expect(sent).not.toMatch(/ghp_0123|ACME-123456/u);
  expect(sent, 'a path from the root of the repository').toContain(' src/boiler.js:3:1');
  expect(sent).not.toContain(root);
});

test('nothing is sent after leaving the team', async () => {
  const server = await startServer();
  const ada = await createMember(server);
  expect((await ada.argus('team', 'leave')).stdout).toContain('nothing is sent');
  await server.stop();
  expect((await importFailedRun(await ada.agent(), ada.root)).run).not.toHaveProperty('queued');
  expect((await ada.argus('team', 'push')).status).toBe(2);
});

test("view --export refuses a team's memory and names the next step, even if the server is unreachable", async () => {
  const server = await startServer();
  const ada = await createMember(server);
  const page = path.join(ada.root, 'page.html');
  const wanted = { status: 2, stderr: expect.stringContaining(`Open ${server.url}/ in a browser`) };
  expect(await ada.argus('view', '--export', page)).toMatchObject(wanted);
  await server.stop();
  expect(await ada.argus('view', '--export', page)).toMatchObject(wanted);
  expect(existsSync(page)).toBe(false);
});
