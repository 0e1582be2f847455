/**
 * Writes one comment on a pull request and updates it in place. The comment is found by a hidden mark at its start, and
 * only among comments that the same token may have written, because anybody can write the mark.
 */

import { messageOf } from '../../../errors.ts';
import { loadZod, type Zod } from '../../../system/zod.ts';
import { VERSION } from '../../../version.ts';

const TIMEOUT_MS = 15_000;
const PAGE_SIZE = 100;

/** More comments than people read. */
const MAX_PAGES = 50;

/** GitHub accepts 65,536 characters. The text has fewer bytes than that, so there is room for the mark. */
export const MAX_COMMENT_BYTES = 65_000;

export interface CommentPlace {
  /** For example `https://api.github.com`. */
  api: string;
  token: string;
  /** For example `acme/shop`. */
  repository: string;
  pullRequest: number;
  /** Separates the comments of several jobs. */
  name: string;
}

export interface CommentText {
  body: string;
  /** True if there is nothing to report: an existing comment is updated, but no new comment is written. */
  isAllWell: boolean;
}

export interface Commented {
  done: 'created' | 'updated' | 'nothing';
  url?: string;
}

/** Returns the result, or a text with the reason and what to do. */
export async function comment(place: CommentPlace, text: CommentText): Promise<Commented | string> {
  for (let isLast = false; ; isLast = true) {
    try {
      return await written(place, text);
    } catch (thrown) {
      // Start from the beginning: the failed request may have created the comment, and then the search finds it.
      const mayHelp = !(thrown instanceof Refused) || thrown.status >= 500;
      if (isLast || !mayHelp) return reasonOf(thrown);
    }
  }
}

async function written(place: CommentPlace, { body, isAllWell }: CommentText): Promise<Commented> {
  const mark = markOf(place.name);
  const known = await find(place, mark);
  if (known === undefined && isAllWell) return { done: 'nothing' };
  const at = `/repos/${place.repository}/issues`;
  const answer =
    known === undefined
      ? await ask(place, 'POST', `${at}/${place.pullRequest}/comments`, { body: `${mark}\n${body}` })
      : await ask(place, 'PATCH', `${at}/comments/${known}`, { body: `${mark}\n${body}` });
  const { html_url: url } = writtenSchema(await loadZod()).parse(answer);
  return { done: known === undefined ? 'created' : 'updated', ...(url === undefined ? {} : { url }) };
}

/** Replaces characters that could end the HTML comment. */
function markOf(name: string): string {
  return `<!-- argus-ci:${name.replaceAll(/[^\w.]+/gu, '-')} -->`;
}

async function find(place: CommentPlace, mark: string): Promise<number | undefined> {
  const schema = commentsSchema(await loadZod());
  const login = await ownLogin(place);
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const at = `/repos/${place.repository}/issues/${place.pullRequest}/comments?per_page=${PAGE_SIZE}&page=${page}`;
    const comments = schema.parse(await ask(place, 'GET', at));
    const own = comments.find(({ body, user }) => {
      const isOwn = login === null ? user?.type === 'Bot' : user?.login === login;
      return isOwn && (body === mark || body?.startsWith(`${mark}\n`) || body?.startsWith(`${mark}\r\n`));
    });
    if (own !== undefined) return own.id;
    if (comments.length < PAGE_SIZE) return undefined;
  }
  return undefined;
}

/** Returns null for the token of a workflow or an app, which belongs to no user and writes as a bot. */
async function ownLogin(place: CommentPlace): Promise<string | null> {
  try {
    const z = await loadZod();
    return z.object({ login: z.string() }).parse(await ask(place, 'GET', '/user')).login;
  } catch (thrown) {
    if (thrown instanceof Refused && [401, 403, 404].includes(thrown.status)) return null;
    throw thrown;
  }
}

const commentsSchema = (z: Zod) =>
  z.array(
    z.object({
      id: z.int().positive(),
      body: z.string().nullish(),
      user: z.object({ login: z.string(), type: z.string() }).nullish(),
    }),
  );

const writtenSchema = (z: Zod) => z.object({ html_url: z.string().optional() });

/** Returns the parsed answer. Throws `Refused` for an HTTP error. */
async function ask({ api, token }: CommentPlace, method: string, at: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${api.replace(/\/$/u, '')}${at}`, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'user-agent': `argus-mcp/${VERSION}`,
      'x-github-api-version': '2022-11-28',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // The token is for this address only, so it must not follow a redirect.
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!answer.ok) {
    await answer.body?.cancel();
    throw new Refused(method, answer.status, answer.headers.get('x-ratelimit-remaining') === '0');
  }
  return answer.json();
}

class Refused extends Error {
  readonly method: string;
  readonly status: number;
  readonly isTooMuch: boolean;

  constructor(method: string, status: number, isTooMuch: boolean) {
    super(`GitHub answered ${status}`);
    this.method = method;
    this.status = status;
    this.isTooMuch = isTooMuch || status === 429;
  }
}

function reasonOf(thrown: unknown): string {
  const start = 'The comment was not written; the summary of the job has the same';
  if (!(thrown instanceof Refused)) return `${start}: GitHub could not be asked (${messageOf(thrown)}).`;
  if (thrown.isTooMuch) return `${start}: GitHub takes no more requests of this token for now.`;
  if ([401, 403, 404].includes(thrown.status)) {
    const what = thrown.method === 'GET' ? 'read' : 'write';
    return `${start}: the token may not ${what} comments here (${thrown.status}). Give the job permissions: pull-requests: write.`;
  }
  return `${start}: GitHub answered ${thrown.status}.`;
}
