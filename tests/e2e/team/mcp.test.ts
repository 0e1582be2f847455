/** Tests `/mcp` of a team's server, for agents without a local Argus, with real clients of both protocol eras. */

import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type Data, type Era, PROTOCOL_ERAS } from '../harness.ts';
import { createToken, postCall, requestHeaders, startServer, type TeamServer } from './team.ts';

let teamServer: TeamServer;
beforeAll(async () => {
  teamServer = await startServer();
});

const INCIDENT = { title: 'The boiler is cold', steps: 'Relight the pilot flame.', worked: true, env: { os: 'linux' } };
const contentSchema = z.object({ content: z.tuple([z.object({ text: z.string() })]) });

/** Connects a client. There are two branches, because the SDK's clients of the two eras share no type. */
async function connectClient(era: Era, bearer: string, place = '/mcp') {
  const options = { requestInit: { headers: { Authorization: `Bearer ${bearer}` } } };
  const url = new URL(place, teamServer.url);
  const info = { name: 'argus-e2e', version: '1.0.0' };
  if (era === '2025') {
    const client = new LegacyClient(info);
    await client.connect(new LegacyTransport(url, options));
    return client;
  }
  const client = new ModernClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new ModernTransport(url, options));
  return client;
}

async function createClient(era: Era, bearer: string, place?: string) {
  const client = await connectClient(era, bearer, place);
  onTestFinished(() => client.close());
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    ask: async (name: string, args: Data): Promise<Data> =>
      JSON.parse(contentSchema.parse(await client.callTool({ name, arguments: args })).content[0].text),
    read: async (uri: string) => JSON.stringify(await client.readResource({ uri })),
  };
}

test.each(PROTOCOL_ERAS)('a client of %s uses the memory that the machines of the project share', async (era) => {
  const project = `shop-${era}`;
  const client = await createClient(era, await createToken(teamServer.database, 'Ada', '--project', project));
  expect(await client.tools()).toEqual(['ranked_solutions', 'record_outcome', 'add_solution', 'add_incident']);
  const { incident_id: id, solution_id } = await client.ask('add_incident', INCIDENT);
  const found = await client.ask('ranked_solutions', { query_text: INCIDENT.title, env: { os: 'linux' } });
  expect(found).toMatchObject({ recommended_solution: { solution_id }, next_action: expect.any(Object) });
  expect(found, "the server's environment is not the agent's").not.toHaveProperty('detected_env');
  await client.ask('record_outcome', { solution_id, worked: true, env: { os: 'linux' } });
  expect(await client.read(`argus://incident/${id}`)).toContain('Relight the pilot flame.');
  const { body } = await postCall(
    teamServer,
    await createToken(teamServer.database, 'Bob'),
    'incident',
    { id },
    { project },
  );
  expect(JSON.stringify(body)).toContain('"recorded_from":"Ada"');
});

test('a read-only token stores nothing', async () => {
  const client = await createClient(
    '2026-07-28',
    await createToken(teamServer.database, 'Eve', '--scope', 'read', '--project', 'x'),
  );
  expect(await client.ask('add_incident', INCIDENT)).toMatchObject({
    error: { code: 'TEAM_DENIED', message: expect.stringContaining('may not write') },
  });
});

test('a token for several projects requires the name of a project', async () => {
  const bearer = await createToken(teamServer.database, 'Ada', '--project', 'shop', 'till');
  const status = async (given: Record<string, string>) =>
    (await fetch(`${teamServer.url}/mcp`, { method: 'POST', headers: given, body: '{}' })).status;
  expect([await status(requestHeaders(bearer)), await status({})]).toEqual([400, 401]);
  const client = await createClient('2025', bearer, '/mcp?project=till');
  expect(await client.ask('ranked_solutions', { query_text: 'x', env: {} })).toHaveProperty('next_action');
});

test('a body of 200,000 levels is refused before it is parsed', async () => {
  const bearer = await createToken(teamServer.database, 'Ada', '--project', 'deep');
  const env = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`;
  const call = `{"name":"ranked_solutions","arguments":{"query_text":"x","env":${env}}}`;
  const response = await fetch(`${teamServer.url}/mcp`, {
    method: 'POST',
    headers: { ...requestHeaders(bearer), Accept: 'application/json, text/event-stream' },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${call}}`,
  });
  expect([response.status, await response.json()]).toEqual([
    400,
    { error: { code: 'INVALID_INPUT', message: 'The body is not JSON, or nests deeper than 64 levels.' } },
  ]);
});
