/**
 * Reads the event that started a GitHub workflow, and creates or updates a comment on its pull request. Argus finds its
 * comment by a hidden mark at the start, and only among comments that the same token can have written, because anyone
 * can write the mark.
 */

import { ArgusError, getErrorMessage } from '../../errors.ts';
import type { Environment } from '../../system/ci.ts';
import { readText } from '../../system/files/read.ts';
import { loadZod, type Zod } from '../../system/zod.ts';
import { VERSION } from '../../version.ts';

const TIMEOUT_MS = 15_000;
const PAGE_SIZE = 100;

/** People do not read more comments on a pull request. */
const MAX_PAGES = 50;

/** GitHub accepts 65,536 characters. This limit in bytes leaves space for the mark. */
export const MAX_COMMENT_BYTES = 65_000;

interface CommentTarget {
  /** For example `https://api.github.com`. */
  api: string;
  token: string;
  /** For example `acme/shop`. */
  repository: string;
  pullRequest: number;
  /** Separates the comments of several jobs on the same pull request. */
  name: string;
}

interface CommentText {
  body: string;
  /** True if there is nothing to report. Then an existing comment is updated, but a new comment is not created. */
  isAllWell: boolean;
}

interface CommentResult {
  done: 'created' | 'updated' | 'nothing';
  url?: string;
}

/** Creates or updates the comment. Returns what was done, or a message with the reason for a failure and advice. */
export async function writeComment(place: CommentTarget, text: CommentText): Promise<CommentResult | string> {
  for (let isLast = false; ; isLast = true) {
    try {
      return await writeCommentOnce(place, text);
    } catch (thrown) {
      // Search for the comment again, because the failed request may have created it.
      const mayHelp = !(thrown instanceof GitHubError) || thrown.status >= 500;
      if (isLast || !mayHelp) return describeFailure(thrown);
    }
  }
}

async function writeCommentOnce(place: CommentTarget, { body, isAllWell }: CommentText): Promise<CommentResult> {
  const mark = createMark(place.name);
  const known = await findArgusCommentId(place, mark);
  if (known === undefined && isAllWell) return { done: 'nothing' };
  const issuesPath = `/repos/${place.repository}/issues`;
  const answer =
    known === undefined
      ? await sendRequest(place, 'POST', `${issuesPath}/${place.pullRequest}/comments`, { body: `${mark}\n${body}` })
      : await sendRequest(place, 'PATCH', `${issuesPath}/comments/${known}`, { body: `${mark}\n${body}` });
  const { html_url: url } = createCommentSchema(await loadZod()).parse(answer);
  return { done: known === undefined ? 'created' : 'updated', ...(url === undefined ? {} : { url }) };
}

/** Replaces characters that could end the HTML comment. */
function createMark(name: string): string {
  return `<!-- argus-ci:${name.replaceAll(/[^\w.]+/gu, '-')} -->`;
}

async function findArgusCommentId(place: CommentTarget, mark: string): Promise<number | undefined> {
  const schema = createCommentListSchema(await loadZod());
  const login = await readTokenLogin(place);
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const at = `/repos/${place.repository}/issues/${place.pullRequest}/comments?per_page=${PAGE_SIZE}&page=${page}`;
    const comments = schema.parse(await sendRequest(place, 'GET', at));
    const own = comments.find(({ body, user }) => {
      const isOwn = login === null ? user?.type === 'Bot' : user?.login === login;
      return isOwn && (body === mark || body?.startsWith(`${mark}\n`) || body?.startsWith(`${mark}\r\n`));
    });
    if (own !== undefined) return own.id;
    if (comments.length < PAGE_SIZE) return undefined;
  }
  return undefined;
}

/**
 * Returns the login of the token's user, or null for the token of a workflow or an app, which belongs to no user and
 * writes as a bot.
 */
async function readTokenLogin(place: CommentTarget): Promise<string | null> {
  try {
    const z = await loadZod();
    return z.object({ login: z.string() }).parse(await sendRequest(place, 'GET', '/user')).login;
  } catch (thrown) {
    if (thrown instanceof GitHubError && [401, 403, 404].includes(thrown.status)) return null;
    throw thrown;
  }
}

const createCommentListSchema = (z: Zod) =>
  z.array(
    z.object({
      id: z.int().positive(),
      body: z.string().nullish(),
      user: z.object({ login: z.string(), type: z.string() }).nullish(),
    }),
  );

const createCommentSchema = (z: Zod) => z.object({ html_url: z.string().optional() });

/** Sends a request and returns the parsed response. Throws `GitHubError` for an HTTP error. */
async function sendRequest(
  { api, token }: CommentTarget,
  method: string,
  requestPath: string,
  body?: object,
): Promise<unknown> {
  const answer = await fetch(`${api.replace(/\/$/u, '')}${requestPath}`, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'user-agent': `argus-mcp/${VERSION}`,
      'x-github-api-version': '2022-11-28',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // A redirect could send the token to another address.
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!answer.ok) {
    await answer.body?.cancel();
    throw new GitHubError(method, answer.status, answer.headers.get('x-ratelimit-remaining') === '0');
  }
  return answer.json();
}

class GitHubError extends Error {
  readonly method: string;
  readonly status: number;
  readonly isRateLimited: boolean;

  constructor(method: string, status: number, isTooMuch: boolean) {
    super(`GitHub answered ${status}`);
    this.method = method;
    this.status = status;
    this.isRateLimited = isTooMuch || status === 429;
  }
}

function describeFailure(thrown: unknown): string {
  const start = 'The comment was not written (see the job summary)';
  if (!(thrown instanceof GitHubError)) return `${start}: the request to GitHub failed (${getErrorMessage(thrown)}).`;
  if (thrown.isRateLimited) return `${start}: GitHub accepts no more requests from this token for now.`;
  if ([401, 403, 404].includes(thrown.status)) {
    const what = thrown.method === 'GET' ? 'read' : 'write';
    return `${start}: the token may not ${what} comments here (${thrown.status}). Give the job permissions: pull-requests: write.`;
  }
  return `${start}: GitHub answered ${thrown.status}.`;
}

/** Events of GitHub are much smaller. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024;

export interface GitHubEvent {
  /** For example `acme/shop`. */
  repository: string;
  pullRequest: number | null;
}

/** Returns the event of the workflow, or null outside of a workflow. */
export async function readGitHubEvent(env: Environment): Promise<GitHubEvent | null> {
  if (env.GITHUB_ACTIONS !== 'true') return null;
  if (env.GITHUB_EVENT_NAME === 'pull_request_target') {
    const text =
      'pull_request_target gives the code of a pull request the token of this repository. Run the tests on pull_request.';
    throw new ArgusError('INVALID_INPUT', text);
  }
  const { pull_request: change } = await readEventFile(env.GITHUB_EVENT_PATH);
  const repository = env.GITHUB_REPOSITORY ?? '';
  if (change === undefined) return { repository, pullRequest: null };
  return { repository, pullRequest: change.number };
}

async function readEventFile(file: string | undefined) {
  if (file === undefined || file === '') return { pull_request: undefined };
  const z = await loadZod();
  const schema = z.object({
    pull_request: z.object({ number: z.int().positive() }).optional(),
  });
  try {
    return schema.parse(JSON.parse(readText(file, { maxBytes: MAX_EVENT_BYTES })));
  } catch (thrown) {
    throw new ArgusError('INVALID_INPUT', `The event of GitHub in ${file} cannot be read: ${getErrorMessage(thrown)}.`);
  }
}
