/**
 * Shows the memory of a team in a browser. A user enters a token once. A cookie that scripts cannot read stores the
 * token. The viewer's page then shows the projects that the token allows. The page is in `packages/viewer`.
 */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Locale } from 'argus-engine';
import { ChangeStream } from '../../http/file-watch.ts';
import { createContentSecurityPolicy, escapeHtml, findAsset } from '../../http/page.ts';
import { RejectedRequest, sendBytes, sendHead, sendJson } from '../../http/responses.ts';
import { VERSION } from '../../version.ts';
import type { Grant } from './auth.ts';
import type { ProjectMemories } from './storage/projects.ts';

const COOKIE_NAME = 'argus_token';

/** The maximum size of the form: a token and the name of its field. */
const MAX_FORM_BYTES = 1_000;

const STYLE =
  'body{font:1rem/1.5 system-ui;max-width:30rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}' +
  'input{font:inherit;width:100%;box-sizing:border-box;padding:.4rem;margin:.4rem 0}button{font:inherit}';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `/p/{project}/` and the requests of the page below that path. */
const PROJECT_PATH = /^\/p\/([a-z0-9][a-z0-9._-]{0,49})\/(.*)$/u;

export class Pages {
  readonly #projects: ProjectMemories;
  /** True if browsers should send the cookie only over TLS. */
  readonly #isSecure: boolean;
  readonly #events = new Map<string, ChangeStream>();

  constructor(projects: ProjectMemories, isSecure: boolean) {
    this.#projects = projects;
    this.#isSecure = isSecure;
  }

  close(): void {
    for (const events of this.#events.values()) events.close();
  }

  /** Splits a path into the project and the rest of the path. */
  parseProjectPath(path: string): { project: string; rest: string } | undefined {
    const [, project, rest] = PROJECT_PATH.exec(path) ?? [];
    return project === undefined || rest === undefined ? undefined : { project, rest };
  }

  /** Sends the form for the token. */
  sendLogin(response: ServerResponse, status = 200, problem = ''): void {
    const note = problem === '' ? '' : `<p role="alert">${escapeHtml(problem)}</p>`;
    const form =
      `${note}<form method="post" action="/login"><label>Token<input name="token" type="password" ` +
      'autocomplete="current-password" required autofocus></label><button>Open</button></form>';
    sendHtml(response, status, form);
  }

  /** Sends the list of projects. Redirects to the project if there is only one. */
  async sendProjects(response: ServerResponse, grant: Grant): Promise<void> {
    const names = (await this.#projects.listProjectNames()).filter((name) => grant.isAllowed('read', name));
    const [only] = names;
    if (only !== undefined && names.length === 1) {
      redirect(response, `/p/${only}/`);
      return;
    }
    const items = names.map((name) => `<li><a href="/p/${name}/">${escapeHtml(name)}</a></li>`).join('');
    const list = names.length === 0 ? '<p>Nothing is recorded yet.</p>' : `<ul>${items}</ul>`;
    sendHtml(response, 200, `${list}<form method="post" action="/logout"><button>Leave</button></form>`);
  }

  /** The caller must have checked the token. */
  logIn(response: ServerResponse, token: string): void {
    redirect(response, '/', this.#formatCookie(token));
  }

  logOut(response: ServerResponse): void {
    redirect(response, '/', `${this.#formatCookie('')}; Max-Age=0`);
  }

  /**
   * Sends the page or one of its files. Returns false if `rest` is not such a file. `isAllowed` decides whether a
   * stream of changes stays open.
   */
  async sendPage(
    response: ServerResponse,
    project: string,
    rest: string,
    { grant, locale, isAllowed }: { grant: Grant; locale: Locale; isAllowed: () => Promise<boolean> },
  ): Promise<boolean> {
    switch (rest) {
      case '': {
        const [page, policy] = await Promise.all([readFile(findAsset('page')), createContentSecurityPolicy('served')]);
        sendBytes(response, 'text/html; charset=utf-8', page, policy);
        return true;
      }
      case 'engine.wasm':
        sendBytes(response, 'application/wasm', await readFile(findAsset('engine')));
        return true;
      case 'api/about': {
        const database = (await this.#projects.listProjectNames()).includes(project) ? project : null;
        const about = { project, database, history: true, version: VERSION, locale };
        sendJson(response, 200, { ...about, editable: grant.isAllowed('edit', project) });
        return true;
      }
      case 'api/events':
        this.#getEvents(project).addListener(response, isAllowed);
        return true;
      default:
        return false;
    }
  }

  #getEvents(project: string): ChangeStream {
    const known = this.#events.get(project);
    if (known !== undefined) return known;
    const events = new ChangeStream((changed) => [this.#projects.watch(project, changed)]);
    this.#events.set(project, events);
    return events;
  }

  #formatCookie(value: string): string {
    return `${COOKIE_NAME}=${value}; HttpOnly; SameSite=Strict; Path=/${this.#isSecure ? '; Secure' : ''}`;
  }
}

/**
 * Returns the token from the cookie. Other sites cannot use it, because the cookie is SameSite and the origin is
 * checked.
 */
export function findCookieToken(request: Pick<IncomingMessage, 'headers'>): string | undefined {
  const token = new RegExp(`(?:^|;\\s*)${COOKIE_NAME}=([\\w-]+)`, 'u').exec(request.headers.cookie ?? '')?.[1];
  return isFromOwnPage(request) ? token : undefined;
}

/**
 * False if a browser sent this request for a page of another site. Programs other than browsers send neither
 * `Sec-Fetch-Site` nor `Origin`, so their requests are accepted.
 */
export function isFromOwnPage({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const { origin, host } = headers;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

/** Reads the token from the login form. */
export async function readLoginToken(request: IncomingMessage): Promise<string> {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded'))
    throw new RejectedRequest(415, 'INVALID_INPUT', 'Send a form.');
  let text = '';
  for await (const part of request) {
    text += String(part);
    if (text.length > MAX_FORM_BYTES)
      throw new RejectedRequest(413, 'INVALID_INPUT', 'The form is too long to be a token. Paste only the token.');
  }
  return new URLSearchParams(text).get('token')?.trim() ?? '';
}

function redirect(response: ServerResponse, location: string, cookie?: string): void {
  sendHead(response, 303, { Location: location, ...(cookie === undefined ? {} : { 'Set-Cookie': cookie }) });
  response.end();
}

function sendHtml(response: ServerResponse, status: number, body: string): void {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Argus</title><style>${STYLE}</style><h1>Argus</h1>${body}`;
  sendHead(response, status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    // With `no-referrer`, a browser sends the form with the origin `null`, which `isFromOwnPage` rejects.
    'Referrer-Policy': 'same-origin',
  });
  response.end(page);
}
