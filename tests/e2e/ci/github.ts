/**
 * A fake of GitHub's REST calls for comments and of the runner's parser for commands in a step's output. Sources:
 * https://docs.github.com/rest/issues/comments, https://docs.github.com/actions/reference/workflow-commands.
 */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { CommandResult } from '../argus.ts';
import { createProject } from '../harness.ts';

const EVENTS_FOLDER = fileURLToPath(new URL('events/', import.meta.url));
const TOKEN = 'ghs_0123456789abcdefghijABCDEFGHIJ012345';
const REPOSITORY_API_PATH = '/repos/Codertocat/Hello-World';

export interface Comment {
  id: number;
  body: string;
  user: { login: string; type: 'User' | 'Bot' };
}

export interface GitHub {
  api: string;
  comments: Comment[];
  /** Method and URL of each request, for example `GET /user`. */
  requests: string[];
  /** Status codes that the next requests with a method get, instead of a success. */
  failures: Record<string, number[]>;
  /** Performs a request before answering it with a failure. */
  failsLate: boolean;
}

/** Starts the fake GitHub, which ends with the test. */
export async function startGitHub(): Promise<GitHub> {
  const gitHub: FakeState = { comments: [], requests: [], failures: {}, failsLate: false };
  const server = createServer((request, response) => {
    handleRequest(gitHub, request, response).catch((thrown) => sendJson(response, 500, { message: String(thrown) }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(gitHub, { api: `http://127.0.0.1:${port}` });
}

type FakeState = Omit<GitHub, 'api'>;

async function handleRequest(state: FakeState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const body = await text(request);
  state.requests.push(`${method} ${url}`);
  const wrong =
    headers.authorization !== `Bearer ${TOKEN}` ||
    headers.accept !== 'application/vnd.github+json' ||
    headers['x-github-api-version'] !== '2022-11-28' ||
    (headers['user-agent'] ?? '') === '';
  if (wrong) return sendJson(response, 401, { message: 'Bad credentials' });
  const failure = state.failures[method]?.shift();
  if (failure !== undefined && !state.failsLate) return sendJson(response, failure, { message: 'no' });
  const [status, answer] = answerRequest(state, method, url, body);
  return failure === undefined ? sendJson(response, status, answer) : sendJson(response, failure, { message: 'no' });
}

function answerRequest(state: FakeState, method: string, url: string, body: string): [number, unknown] {
  const { pathname, searchParams } = new URL(url, 'http://github');
  // GitHub gives this answer to the token of any workflow.
  if (pathname === '/user') return [403, { message: 'Resource not accessible by integration' }];
  const written = () => String((JSON.parse(body) as { body: string }).body);
  if (pathname === `${REPOSITORY_API_PATH}/issues/2/comments` && method === 'GET') {
    const [size, page] = [Number(searchParams.get('per_page') ?? 30), Number(searchParams.get('page') ?? 1)];
    return [200, state.comments.slice((page - 1) * size, page * size).map(commentAsJson)];
  }
  if (pathname === `${REPOSITORY_API_PATH}/issues/2/comments` && method === 'POST') {
    const user = { login: 'github-actions[bot]', type: 'Bot' } as const;
    const made = { id: 9_000 + state.comments.length, body: written(), user };
    state.comments.push(made);
    return [201, commentAsJson(made)];
  }
  const [, id] = /\/issues\/comments\/(\d+)$/u.exec(pathname) ?? [];
  const known = state.comments.find((one) => one.id === Number(id));
  if (known === undefined || method !== 'PATCH') return [404, { message: 'Not Found' }];
  known.body = written();
  return [200, commentAsJson(known)];
}

function commentAsJson(comment: Comment) {
  const html_url = `https://github.com/Codertocat/Hello-World/pull/2#issuecomment-${comment.id}`;
  return { ...comment, node_id: 'IC_x', html_url, created_at: '2019-05-15T15:20:21Z', author_association: 'NONE' };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}

export interface StepResult extends CommandResult {
  summary: string;
  commands: RunnerCommand[];
}

/** Runs a step with the variables that a runner sets for it. */
export async function runStep(
  root: string,
  event: string,
  run: (variables: Record<string, string>) => Promise<CommandResult>,
): Promise<StepResult> {
  const summary = path.join(createProject({ 'summary.md': '' }), 'summary.md');
  const isPullRequest = event.startsWith('pull_request');
  const result = await run({
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_EVENT_NAME: event.replace(/-.*/u, ''),
    GITHUB_EVENT_PATH: path.join(EVENTS_FOLDER, `${event}.json`),
    GITHUB_REPOSITORY: 'Codertocat/Hello-World',
    GITHUB_JOB: 'test',
    GITHUB_WORKFLOW: 'ci',
    GITHUB_REF_NAME: isPullRequest ? '2/merge' : 'main',
    GITHUB_HEAD_REF: isPullRequest ? 'changes' : '',
    GITHUB_BASE_REF: isPullRequest ? 'main' : '',
    GITHUB_WORKSPACE: root,
    GITHUB_STEP_SUMMARY: summary,
  });
  return { ...result, summary: readFileSync(summary, 'utf8'), commands: parseRunnerCommands(result.stdout) };
}

export interface RunnerCommand {
  name: string;
  properties: Record<string, string>;
  message: string;
}

/** Reads a step's output as the runner does: both forms of commands, until a command stops the parsing. */
function parseRunnerCommands(output: string): RunnerCommand[] {
  const found: RunnerCommand[] = [];
  let stopped: string | undefined;
  for (const line of output.split(/\r?\n/u)) {
    const [, name = '', properties = '', message = ''] = /^\s*::([^ :]+)(?: ([^:]*))?::(.*)$/u.exec(line) ?? [];
    if (stopped !== undefined) {
      if (name === stopped) stopped = undefined;
      continue;
    }
    if (name === 'stop-commands') stopped = message;
    else if (name !== '')
      found.push({ name, properties: parseProperties(properties), message: decodeCommandText(message) });
    else if (/##\[[\w-]+[^\]]*\]/u.test(line)) found.push({ name: line, properties: {}, message: '' });
  }
  return found;
}

function parseProperties(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => pair.split('='));
  return Object.fromEntries(pairs.map(([name = '', ...value]) => [name, decodeCommandText(value.join('='))]));
}

function decodeCommandText(text: string): string {
  const signs: Record<string, string> = { '%0D': '\r', '%0A': '\n', '%3A': ':', '%2C': ',', '%25': '%' };
  return text.replaceAll(/%(?:0D|0A|3A|2C|25)/gu, (code) => signs[code] ?? code);
}

export const tokenEnvironment = (gitHub: GitHub) => ({ GITHUB_TOKEN: TOKEN, GITHUB_API_URL: gitHub.api });
