/** A team's server in the process of its test, the server's tokens, and the machines and repositories that join it. */

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { afterAll, onTestFinished } from 'vitest';
import { z } from 'zod';
import { argus, type CommandResult, type Invocation, type RunningCommand, startArgus } from '../argus.ts';
import { type Agent, connect, createProject, createUser, type Data } from '../harness.ts';

export interface TeamServer {
  url: string;
  port: number;
  database: string;
  /** Returns the complete log, with a JSON object per line. */
  log(): string;
  /** Stops the server as a service manager does. Resolves with the exit code. */
  stop(): Promise<number>;
}

const runningServers: RunningCommand[] = [];

/** Starts a server on a free port, unless `args` contain a port. */
export async function startServer(
  database = newDatabasePath(),
  args: string[] = ['--port', '0'],
  invocation: Invocation = {},
): Promise<TeamServer> {
  const server = startArgus(['serve', '--database', database, ...args], invocation);
  runningServers.push(server);
  const [, url = ''] = await server.prints(/"event":"listening","url":"([^"]+)"/u);
  return {
    url,
    port: Number(new URL(url).port),
    database,
    log: () => server.printed().stdout + server.printed().stderr,
    stop: () => stopServer(server),
  };
}

async function stopServer(server: RunningCommand): Promise<number> {
  server.signal('SIGTERM');
  return (await server.done).status;
}

/** Stops every server that is still running. */
export async function stopServers(): Promise<void> {
  await Promise.all(runningServers.splice(0).map(stopServer));
}

afterAll(stopServers);

/** Starts a stopped server again with the same database and port. */
export function restartServer({ database, port }: TeamServer): Promise<TeamServer> {
  return startServer(database, ['--port', String(port)]);
}

export function newDatabasePath(): string {
  return path.join(createProject(), 'server.db');
}

/** Creates a token for the server of this database. */
export async function createToken(database: string, name: string, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await argus(['token', 'create', name, '--database', database, '--json', ...args]);
  if (status !== 0) throw new Error(stderr);
  return z.object({ token: z.string() }).parse(JSON.parse(stdout)).token;
}

/**
 * Returns the secret part of a token, which is never stored: everything after `argus_ID_`. The secret may contain `_`.
 */
export function secretOf(bearer: string): string {
  return bearer.split('_').slice(2).join('_');
}

export function requestHeaders(bearer: string): Record<string, string> {
  return { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' };
}

/** Makes a call as a machine does. Resolves with the status and the body of the answer. */
export async function postCall(
  { url }: Pick<TeamServer, 'url'>,
  bearer: string,
  method: string,
  params: Data,
  more: Data & { project?: string } = {},
): Promise<{ status: number; body: Data }> {
  const { project: name = 'shop', ...fields } = more;
  const call = { protocol: 1, callId: uuidV7(), now: Date.now(), method, params, ...fields };
  const response = await fetch(`${url}/v1/projects/${name}/call`, {
    method: 'POST',
    headers: requestHeaders(bearer),
    body: JSON.stringify(call),
  });
  return { status: response.status, body: z.record(z.string(), z.unknown()).parse(await response.json()) };
}

/** A repository on the machine of a user who has a token. */
export interface Machine {
  root: string;
  env: Record<string, string>;
  bearer: string;
  /** Runs a command in the repository. */
  argus(...args: string[]): Promise<CommandResult>;
  /** Runs a command. Resolves with the data of its answer. */
  data(...args: string[]): Promise<Data>;
  /** Starts a new agent that has opened the repository. */
  agent(): Promise<Agent>;
  /** Makes the repository join the project `shop` of a server. */
  join(server: Pick<TeamServer, 'url'>): Promise<Data>;
}

/** Creates a machine whose repository has not joined a team yet. */
export async function createMachine(
  { database }: TeamServer,
  name = 'Ada',
  root = createRepository(),
): Promise<Machine> {
  return createMachineWithToken(root, await createToken(database, name));
}

/** Creates a machine with a given token, which may be invalid. */
export function createMachineWithToken(root: string, bearer: string): Machine {
  const env = { ...createUser(), ARGUS_TEAM_TOKEN: bearer };
  const run = (...args: string[]) => argus(args, { env, cwd: root });
  const data = async (...args: string[]) => {
    const answer = z.object({ success: z.literal(true), data: z.record(z.string(), z.unknown()) });
    return answer.parse(JSON.parse((await run(...args, '--json')).stdout)).data;
  };
  return {
    root,
    env,
    bearer,
    argus: run,
    data,
    agent: async () => {
      const agent = await startAgent(root, env);
      await agent.data('argus_init', { projectPath: root });
      return agent;
    },
    join: ({ url }) => data('team', 'join', url, '--as', 'shop'),
  };
}

/** Creates a machine whose repository has joined a team. */
export async function createMember(server: TeamServer, name?: string, root?: string): Promise<Machine> {
  const member = await createMachine(server, name, root);
  await member.join(server);
  return member;
}

/** Starts an agent that is closed when the test ends. */
export async function startAgent(cwd: string, env: Record<string, string>): Promise<Agent> {
  const agent = await connect('2026-07-28', env, cwd);
  onTestFinished(() => agent.close());
  return agent;
}

/** Creates a git repository with a commit and an origin. */
export function createRepository(
  files: Record<string, string> = {},
  origin = 'https://git.example.com/shop.git',
): string {
  const root = createProject({ 'README.md': '# Shop\n', ...files });
  runGit(root, 'init', '--quiet');
  runGit(root, 'remote', 'add', 'origin', origin);
  runGit(root, 'add', '.');
  runGit(root, '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'first');
  return root;
}

/** Creates a repository with the same first commit, and with the default origin unless another origin is given. */
export function copyFirstCommit(root: string, origin?: string): string {
  const other = createRepository({}, origin);
  runGit(other, 'fetch', '--quiet', root);
  runGit(other, 'reset', '--quiet', '--hard', 'FETCH_HEAD');
  return other;
}

export function runGit(root: string, ...args: string[]): void {
  execFileSync('git', args, { cwd: root, stdio: 'pipe', env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' } });
}
