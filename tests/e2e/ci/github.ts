/**
 * A fake of GitHub's REST calls for comments and of its runner's parser for commands in a step's output. Sources:
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
import type { Result } from '../argus.ts';
import { project } from '../harness.ts';

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
  /** Status codes of the next answers to a method, instead of a success. */
  failures: Record<string, number[]>;
  /** Performs the request before it answers with a failure. */
  failsLate: boolean;
}

/** Starts the fake, which ends with the test. */
export async function startGitHub(): Promise<GitHub> {
  const gitHub: State = { comments: [], requests: [], failures: {}, failsLate: false };
  const server = createServer((request, response) => {
    serve(gitHub, request, response).catch((thrown) => send(response, 500, { message: String(thrown) }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(gitHub, { api: `http://127.0.0.1:${port}` });
}

type State = Omit<GitHub, 'api'>;

async function serve(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const body = await text(request);
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
  // GitHub gives this answer to the token of every workflow.
  if (pathname === '/user') return [403, { message: 'Resource not accessible by integration' }];
  const written = () => String((JSON.parse(body) as { body: string }).body);
  if (pathname === `${REPOSITORY}/issues/2/comments` && method === 'GET') {
    const [size, page] = [Number(searchParams.get('per_page') ?? 30), Number(searchParams.get('page') ?? 1)];
    return [200, state.comments.slice((page - 1) * size, page * size).map(shown)];
  }
  if (pathname === `${REPOSITORY}/issues/2/comments` && method === 'POST') {
    const user = { login: 'github-actions[bot]', type: 'Bot' } as const;
    const made = { id: 9_000 + state.comments.length, body: written(), user };
    state.comments.push(made);
    return [201, shown(made)];
  }
  const [, id] = /\/issues\/comments\/(\d+)$/u.exec(pathname) ?? [];
  const known = state.comments.find((one) => one.id === Number(id));
  if (known === undefined || method !== 'PATCH') return [404, { message: 'Not Found' }];
  known.body = written();
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

export interface Step extends Result {
  summary: string;
  commands: RunnerCommand[];
}

/** Runs a step with the variables that a runner sets for it. */
export async function step(
  root: string,
  event: string,
  run: (variables: Record<string, string>) => Promise<Result>,
): Promise<Step> {
  const summary = path.join(project({ 'summary.md': '' }), 'summary.md');
  const isPullRequest = event.startsWith('pull_request');
  const result = await run({
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
  });
  return { ...result, summary: readFileSync(summary, 'utf8'), commands: commandsIn(result.stdout) };
}

export interface RunnerCommand {
  name: string;
  properties: Record<string, string>;
  message: string;
}

/** Reads a step's output as the runner does: both forms of commands, until a command stops the parsing. */
function commandsIn(output: string): RunnerCommand[] {
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
