/**
 * Shows the memory of a team in a browser. A person enters a token once. The token is kept in a cookie that scripts
 * cannot read, and the viewer's page then shows the projects that the token permits. The page itself is in
 * `packages/viewer`.
 */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Locale } from 'argus-engine';
import { Events } from '../../http/events.ts';
import { assetPath, contentSecurityPolicy } from '../../http/page.ts';
import { Refused, sendBytes, sendHead, sendJson } from '../../http/responses.ts';
import { VERSION } from '../../version.ts';
import type { Grant } from './auth.ts';
import type { Projects } from './storage/projects.ts';

const COOKIE = 'argus_token';

/** Enough for a token and the name of its form field. */
const MAX_FORM_BYTES = 1_000;

const STYLE =
  'body{font:1rem/1.5 system-ui;max-width:30rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}' +
  'input{font:inherit;width:100%;box-sizing:border-box;padding:.4rem;margin:.4rem 0}button{font:inherit}';

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `/p/{project}/` and the requests of the page below it. */
const PLACE = /^\/p\/([a-z0-9][a-z0-9._-]{0,49})\/(.*)$/u;

export class Pages {
  readonly #projects: Projects;
  /** True when browsers should send the cookie only over TLS. */
  readonly #isSecure: boolean;
  readonly #events = new Map<string, Events>();

  constructor(projects: Projects, isSecure: boolean) {
    this.#projects = projects;
    this.#isSecure = isSecure;
  }

  close(): void {
    for (const events of this.#events.values()) events.close();
  }

  /** Splits a path of the page into the project and the rest. */
  placeOf(path: string): { project: string; rest: string } | undefined {
    const [, project, rest] = PLACE.exec(path) ?? [];
    return project === undefined || rest === undefined ? undefined : { project, rest };
  }

  /** The form for the token. */
  sendLogin(response: ServerResponse, status = 200, problem = ''): void {
    const note = problem === '' ? '' : `<p role="alert">${escaped(problem)}</p>`;
    const form =
      `${note}<form method="post" action="/login"><label>Token<input name="token" type="password" ` +
      'autocomplete="current-password" required autofocus></label><button>Open</button></form>';
    sendHtml(response, status, form);
  }

  /** The list of projects. Redirects to the project if there is only one. */
  async sendProjects(response: ServerResponse, grant: Grant): Promise<void> {
    const names = (await this.#projects.names()).filter((name) => grant.may('read', name));
    const [only] = names;
    if (only !== undefined && names.length === 1) {
      sendTo(response, `/p/${only}/`);
      return;
    }
    const items = names.map((name) => `<li><a href="/p/${name}/">${escaped(name)}</a></li>`).join('');
    const list = names.length === 0 ? '<p>Nothing is recorded yet.</p>' : `<ul>${items}</ul>`;
    sendHtml(response, 200, `${list}<form method="post" action="/logout"><button>Leave</button></form>`);
  }

  /** The caller must have checked the token. */
  logIn(response: ServerResponse, token: string): void {
    sendTo(response, '/', this.#cookie(token));
  }

  logOut(response: ServerResponse): void {
    sendTo(response, '/', `${this.#cookie('')}; Max-Age=0`);
  }

  /**
   * Sends the page and its parts. Returns false for a call. `isAllowed` decides whether a stream of changes may
   * continue.
   */
  async send(
    response: ServerResponse,
    project: string,
    rest: string,
    { grant, locale, isAllowed }: { grant: Grant; locale: Locale; isAllowed: () => Promise<boolean> },
  ): Promise<boolean> {
    switch (rest) {
      case '': {
        const [page, policy] = await Promise.all([readFile(assetPath('page')), contentSecurityPolicy('served')]);
        sendBytes(response, 'text/html; charset=utf-8', page, policy);
        return true;
      }
      case 'engine.wasm':
        sendBytes(response, 'application/wasm', await readFile(assetPath('engine')));
        return true;
      case 'api/about': {
        const database = (await this.#projects.names()).includes(project) ? project : null;
        const about = { project, database, history: true, version: VERSION, locale };
        sendJson(response, 200, { ...about, editable: grant.may('edit', project) });
        return true;
      }
      case 'api/events':
        this.#eventsOf(project).add(response, isAllowed);
        return true;
      default:
        return false;
    }
  }

  #eventsOf(project: string): Events {
    const known = this.#events.get(project);
    if (known !== undefined) return known;
    const events = new Events((changed) => [this.#projects.watch(project, changed)]);
    this.#events.set(project, events);
    return events;
  }

  #cookie(value: string): string {
    return `${COOKIE}=${value}; HttpOnly; SameSite=Strict; Path=/${this.#isSecure ? '; Secure' : ''}`;
  }
}

/** The token in the cookie. Another site cannot use it, because the cookie is SameSite and the origin is checked. */
export function cookieToken(request: Pick<IncomingMessage, 'headers'>): string | undefined {
  const token = new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]+)`, 'u').exec(request.headers.cookie ?? '')?.[1];
  return isOwnPage(request) ? token : undefined;
}

/** False when a browser sent this for a page of another site. Programs send neither header. */
export function isOwnPage({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const { origin, host } = headers;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

/** The token in the login form. */
export async function readLogin(request: IncomingMessage): Promise<string> {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded')) throw new Refused(415, 'INVALID_INPUT', 'Send a form.');
  let text = '';
  for await (const part of request) {
    text += String(part);
    if (text.length > MAX_FORM_BYTES) throw new Refused(413, 'INVALID_INPUT', 'That is no token.');
  }
  return new URLSearchParams(text).get('token')?.trim() ?? '';
}

function sendTo(response: ServerResponse, place: string, cookie?: string): void {
  sendHead(response, 303, { Location: place, ...(cookie === undefined ? {} : { 'Set-Cookie': cookie }) });
  response.end();
}

function sendHtml(response: ServerResponse, status: number, body: string): void {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Argus</title><style>${STYLE}</style><h1>Argus</h1>${body}`;
  sendHead(response, status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': POLICY,
    // With `no-referrer` a browser sends the form with the origin `null`, which `isOwnPage` refuses.
    'Referrer-Policy': 'same-origin',
  });
  response.end(page);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
