/** `/mcp` of a team's server, for an agent without an Argus of its own: real clients of both protocol eras. */

import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Data } from '../harness.ts';
import { headers, post, startServer, stopServers, type TeamServer, token } from './team.ts';

let server: TeamServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(stopServers);

const INCIDENT = { title: 'The boiler is cold', steps: 'Relight the pilot flame.', worked: true, env: { os: 'linux' } };
const content = z.object({ content: z.tuple([z.object({ text: z.string() })]) });

/** What a tool answers a client of this era. */
async function asking(era: string, bearer: string, place = '/mcp') {
  const options = { requestInit: { headers: { Authorization: `Bearer ${bearer}` } } };
  const url = new URL(place, server.url);
  const info = { name: 'argus-e2e', version: '1.0.0' };
  if (era === '2025') {
    const client = new LegacyClient(info);
    await client.connect(new LegacyTransport(url, options));
    return {
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      ask: async (name: string, args: Data) => parsed(await client.callTool({ name, arguments: args })),
      read: async (uri: string) => JSON.stringify(await client.readResource({ uri })),
      close: () => client.close(),
    };
  }
  const client = new ModernClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new ModernTransport(url, options));
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    ask: async (name: string, args: Data) => parsed(await client.callTool({ name, arguments: args })),
    read: async (uri: string) => JSON.stringify(await client.readResource({ uri })),
    close: () => client.close(),
  };
}

function parsed(answer: unknown): Data {
  return JSON.parse(content.parse(answer).content[0].text);
}

test.each(['2025', '2026-07-28'])('the debug memory of a project, for a client of %s', async (era) => {
  const project = `shop-${era}`;
  const client = await asking(era, await token(server.database, 'Ada', '--project', project));
  expect(await client.tools()).toEqual(['ranked_solutions', 'record_outcome', 'add_solution', 'add_incident']);
  const { incident_id: id, solution_id } = await client.ask('add_incident', INCIDENT);
  const found = await client.ask('ranked_solutions', { query_text: INCIDENT.title, env: { os: 'linux' } });
  expect(found).toMatchObject({ recommended_solution: { solution_id }, next_action: expect.any(Object) });
  expect(found, 'the machine of the server is nobody’s environment').not.toHaveProperty('detected_env');
  await client.ask('record_outcome', { solution_id, worked: true, env: { os: 'linux' } });
  expect(await client.read(`argus://incident/${id}`)).toContain('Relight the pilot flame.');
  await client.close();
  // The same memory as that of the machines that have joined.
  const { body } = await post(server, await token(server.database, 'Bob'), 'incident', { id }, { project });
  expect(JSON.stringify(body)).toContain('"recorded_from":"Ada"');
});

test('a token that may only read stores nothing', async () => {
  const client = await asking(
    '2026-07-28',
    await token(server.database, 'Eve', '--scope', 'read', '--project', 'till'),
  );
  expect(await client.ask('add_incident', INCIDENT)).toMatchObject({
    error: { code: 'TEAM_DENIED', message: expect.stringContaining('may not write') },
  });
  await client.close();
});

test('who may see more than one project names one', async () => {
  const bearer = await token(server.database, 'Ada', '--project', 'shop', 'till');
  const ask = (place: string) =>
    fetch(`${server.url}${place}`, { method: 'POST', headers: headers(bearer), body: '{}' }).then(
      ({ status }) => status,
    );
  expect(await ask('/mcp')).toBe(400);
  const client = await asking('2025', bearer, '/mcp?project=till');
  expect(await client.ask('ranked_solutions', { query_text: 'x', env: {} })).toHaveProperty('next_action');
  await client.close();
  expect((await fetch(`${server.url}/mcp`, { method: 'POST', body: '{}' })).status).toBe(401);
});
