/** A team's server as it is started for real, its tokens, and repositories that join it. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { v7 as uuidV7 } from 'uuid';
import { z } from 'zod';
import { argus } from '../argus.ts';
import { BUNDLE, type Data, environment, project } from '../harness.ts';

export interface TeamServer {
  url: string;
  port: number;
  database: string;
  /** What it has printed so far: one JSON object a line. */
  log(): string;
  /** Ends it as a service manager does; its exit code. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
}

const listening = z.object({ event: z.literal('listening'), url: z.string() });

const running: ChildProcess[] = [];

/** On a free port, unless one is given. */
export async function startServer(database = newDatabase(), args: string[] = ['--port', '0']): Promise<TeamServer> {
  const child = spawn(process.execPath, [BUNDLE, 'serve', '--database', database, ...args], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let log = '';
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    log += `${line}\n`;
  });
  child.stderr.on('data', (text: Buffer) => {
    log += text.toString();
  });
  const [first] = await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error(`it ended: ${log}`))),
  ]);
  const { url } = listening.parse(JSON.parse(String(first)));
  const ended = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, 'exit');
    }
    return child.exitCode;
  };
  return {
    url,
    port: Number(new URL(url).port),
    database,
    log: () => log,
    stop: () => ended('SIGTERM'),
    kill: async () => void (await ended('SIGKILL')),
  };
}

/** Whatever a test has left. */
export function stopServers(): void {
  for (const child of running.splice(0)) child.kill('SIGKILL');
}

export function newDatabase(): string {
  return path.join(project(), 'server.db');
}

/** A token of this server. */
export async function token(database: string, name: string, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await argus(['token', 'create', name, '--database', database, '--json', ...args]);
  if (status !== 0) throw new Error(stderr);
  return z.object({ token: z.string() }).parse(JSON.parse(stdout)).token;
}

/** What must be kept nowhere: all behind `argus_ID_`, which may hold a `_` itself. */
export function secretOf(bearer: string): string {
  return bearer.split('_').slice(2).join('_');
}

export function headers(bearer: string): Record<string, string> {
  return { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' };
}

/** One call as a machine makes it, and the status and body that came. */
export async function post(
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
    headers: headers(bearer),
    body: JSON.stringify(call),
  });
  return { status: response.status, body: z.record(z.string(), z.unknown()).parse(await response.json()) };
}

/** A git repository with a commit and an origin. */
export function repository(files: Record<string, string> = {}, origin = 'https://git.example.com/shop.git'): string {
  const root = project({ 'README.md': '# Shop\n', ...files });
  git(root, 'init', '--quiet');
  git(root, 'remote', 'add', 'origin', origin);
  git(root, 'add', '.');
  git(root, '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'first');
  return root;
}

export function git(root: string, ...args: string[]): void {
  execFileSync('git', args, { cwd: root, stdio: 'pipe', env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' } });
}
