/**
 * A stand-in of GitHub's REST calls for comments in their documented form, and of what its runner makes of a step's output:
 * https://docs.github.com/rest/issues/comments, https://docs.github.com/actions/reference/workflow-commands.
 */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUNDLE, environment } from '../harness.ts';

const EVENTS = fileURLToPath(new URL('events/', import.meta.url));
const TOKEN = 'ghs_0123456789abcdefghijABCDEFGHIJ012345';
const REPOSITORY = '/repos/Codertocat/Hello-World';

export interface Comment {
  id: number;
  body: string;
  user: { login: string; type: 'User' | 'Bot' };
}

export interface GitHub {
  api: string;
  comments: Comment[];
  /** `GET /user`. */
  requests: string[];
  /** Status codes that the next requests of a method are answered with instead. */
  failures: Record<string, number[]>;
  /** It does what it was asked for before it fails. */
  failsLate: boolean;
  close(): void;
}

export async function startGitHub(): Promise<GitHub> {
  const gitHub = {
    comments: [] as Comment[],
    requests: [] as string[],
    failures: {} as Record<string, number[]>,
    failsLate: false,
  };
  const server = createServer((request, response) => {
    serve(gitHub, request, response).catch((thrown) => send(response, 500, { message: String(thrown) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(gitHub, {
    api: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  });
}

type State = Omit<GitHub, 'api' | 'close'>;

async function serve(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const body = await textOf(request);
  state.requests.push(`${method} ${url}`);
  const wrong =
    headers.authorization !== `Bearer ${TOKEN}` ||
    headers.accept !== 'application/vnd.github+json' ||
    headers['x-github-api-version'] !== '2022-11-28' ||
    (headers['user-agent'] ?? '') === '';
  if (wrong) return send(response, 401, { message: 'Bad credentials' });
  const failure = state.failures[method]?.shift();
  if (failure !== undefined && !state.failsLate) return send(response, failure, { message: 'no' });
  const [status, answer] = answerTo(state, method, url, body);
  return failure === undefined ? send(response, status, answer) : send(response, failure, { message: 'no' });
}

function answerTo(state: State, method: string, url: string, body: string): [number, unknown] {
  const { pathname, searchParams } = new URL(url, 'http://github');
  // As for the token of every workflow.
  if (pathname === '/user') return [403, { message: 'Resource not accessible by integration' }];
  const text = () => String((JSON.parse(body) as { body: string }).body);
  if (pathname === `${REPOSITORY}/issues/2/comments` && method === 'GET') {
    const [size, page] = [Number(searchParams.get('per_page') ?? 30), Number(searchParams.get('page') ?? 1)];
    return [200, state.comments.slice((page - 1) * size, page * size).map(shown)];
  }
  if (pathname === `${REPOSITORY}/issues/2/comments` && method === 'POST') {
    const user = { login: 'github-actions[bot]', type: 'Bot' } as const;
    const made = { id: 9_000 + state.comments.length, body: text(), user };
    state.comments.push(made);
    return [201, shown(made)];
  }
  const [, id] = /\/issues\/comments\/(\d+)$/u.exec(pathname) ?? [];
  const known = state.comments.find((one) => one.id === Number(id));
  if (known === undefined || method !== 'PATCH') return [404, { message: 'Not Found' }];
  known.body = text();
  return [200, shown(known)];
}

function shown(comment: Comment) {
  const html_url = `https://github.com/Codertocat/Hello-World/pull/2#issuecomment-${comment.id}`;
  return { ...comment, node_id: 'IC_x', html_url, created_at: '2019-05-15T15:20:21Z', author_association: 'NONE' };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString();
}

export interface Step {
  status: number | null;
  stdout: string;
  stderr: string;
  summary: string;
  commands: RunnerCommand[];
}

/** The variables that a runner sets for a step; those of the same names here are not handed on. */
export function runnerVariables(root: string, event: string, summary: string): Record<string, string> {
  const isPullRequest = event.startsWith('pull_request');
  return {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_EVENT_NAME: event.replace(/-.*/u, ''),
    GITHUB_EVENT_PATH: path.join(EVENTS, `${event}.json`),
    GITHUB_REPOSITORY: 'Codertocat/Hello-World',
    GITHUB_JOB: 'test',
    GITHUB_WORKFLOW: 'ci',
    GITHUB_REF_NAME: isPullRequest ? '2/merge' : 'main',
    GITHUB_HEAD_REF: isPullRequest ? 'changes' : '',
    GITHUB_BASE_REF: isPullRequest ? 'main' : '',
    GITHUB_WORKSPACE: root,
    GITHUB_STEP_SUMMARY: summary,
  };
}

/** Runs a command as a step; the server of this process can answer meanwhile. */
export async function step(
  root: string,
  event: string,
  args: readonly string[],
  env: Record<string, string> = {},
  program: readonly string[] = [process.execPath, BUNDLE],
): Promise<Step> {
  const summary = path.join(mkdtempSync(path.join(tmpdir(), 'argus-e2e-step-')), 'summary.md');
  writeFileSync(summary, '');
  const [command = '', ...rest] = program;
  const child = spawn(command, [...rest, ...args], {
    cwd: root,
    env: environment({ ...runnerVariables(root, event, summary), ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes) => (printed.stdout += String(bytes)));
  child.stderr.on('data', (bytes) => (printed.stderr += String(bytes)));
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { status, ...printed, summary: readFileSync(summary, 'utf8'), commands: commandsIn(printed.stdout) };
}

export interface RunnerCommand {
  name: string;
  properties: Record<string, string>;
  message: string;
}

/** As the runner reads a step's output: both forms of commands, until it is told to stop. */
export function commandsIn(output: string): RunnerCommand[] {
  const found: RunnerCommand[] = [];
  let stopped: string | undefined;
  for (const line of output.split(/\r?\n/u)) {
    const [, name = '', properties = '', message = ''] = /^\s*::([^ :]+)(?: ([^:]*))?::(.*)$/u.exec(line) ?? [];
    if (stopped !== undefined) {
      if (name === stopped) stopped = undefined;
      continue;
    }
    if (name === 'stop-commands') stopped = message;
    else if (name !== '') found.push({ name, properties: propertiesIn(properties), message: unescaped(message) });
    else if (/##\[[\w-]+[^\]]*\]/u.test(line)) found.push({ name: line, properties: {}, message: '' });
  }
  return found;
}

function propertiesIn(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => pair.split('='));
  return Object.fromEntries(pairs.map(([name = '', ...value]) => [name, unescaped(value.join('='))]));
}

function unescaped(text: string): string {
  const signs: Record<string, string> = { '%0D': '\r', '%0A': '\n', '%3A': ':', '%2C': ',', '%25': '%' };
  return text.replaceAll(/%(?:0D|0A|3A|2C|25)/gu, (code) => signs[code] ?? code);
}

export const withToken = (gitHub: GitHub) => ({ GITHUB_TOKEN: TOKEN, GITHUB_API_URL: gitHub.api });
