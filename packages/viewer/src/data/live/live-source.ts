/**
 * The data of a running `argus-mcp view` or of a team's server: calls are requests, and changes arrive in a streamed
 * response. `token.ts` provides the token.
 */

import {
  describeFolder,
  hasErrorCode,
  type Method,
  type Params,
  Problem,
  type Result,
  type Source,
  type SourceFacts,
} from '../source.ts';

/** Delays before the stream of changes is opened again, by number of failures. */
const RECONNECT_DELAYS_MS = [500, 1000, 2000, 5000] as const;

export interface ServerFacts {
  readonly project: string;
  /** Null if nothing has been recorded yet, or if recording is disabled. */
  readonly database: string | null;
  /** True if the project's configuration allows recording. */
  readonly history: boolean;
  readonly version: string;
  /** True if the database can be written. */
  readonly editable: boolean;
}

export class LiveSource implements Source {
  readonly live = true;
  readonly editable: boolean;
  readonly about: SourceFacts;
  readonly #server: ServerConnection;
  readonly #listeners = new Set<() => void>();
  readonly #ended = new AbortController();

  /** `connected` is called when the connection to the server is lost or restored. */
  constructor(server: ServerConnection, facts: ServerFacts, connected: (yes: boolean) => void) {
    this.#server = server;
    this.editable = facts.editable;
    this.about = describeFolder(facts.project);
    const changed = () => {
      for (const listener of this.#listeners) listener();
    };
    void followChanges(server, { changed, connected }, this.#ended.signal);
  }

  async call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    const answer = await this.#server.request(`api/${method}`, { method: 'POST', body: JSON.stringify(params) });
    return answer.json();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#ended.abort();
  }
}

export interface ChangeListener {
  /** Called when stored data may have changed. */
  changed(): void;
  /** Called when the connection to the server is lost or restored. */
  connected(yes: boolean): void;
}

/** Reports changes until `ended` is aborted. Reconnects to a server that was restarted. */
export async function followChanges(
  server: ServerConnection,
  follower: ChangeListener,
  ended: AbortSignal,
): Promise<void> {
  for (let failures = 0; !ended.aborted; failures += 1) {
    try {
      const answer = await server.request('api/events', { signal: ended });
      follower.connected(true);
      if (failures > 0) follower.changed();
      failures = 0;
      await forEachLine(answer, () => follower.changed());
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.code === 'UNAUTHORIZED') return follower.connected(false);
    }
    if (ended.aborted) return;
    follower.connected(false);
    const wait = RECONNECT_DELAYS_MS[Math.min(failures, RECONNECT_DELAYS_MS.length - 1)];
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** A server and the token for it. A team's server recognizes the reader by a cookie instead. */
export class ServerConnection {
  readonly #token: string | undefined;

  constructor(token: string | undefined) {
    this.#token = token;
  }

  async facts(): Promise<ServerFacts> {
    return (await this.request('api/about')).json();
  }

  /** Sends a request. The path is relative to the page. */
  async request(path: string, options: RequestInit = {}): Promise<Response> {
    const headers = {
      'content-type': 'application/json',
      ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
    };
    let answer: Response;
    try {
      answer = await fetch(path, { ...options, headers, cache: 'no-store' });
    } catch (thrown) {
      throw new Problem('SERVER_GONE', 'The server does not answer.', { cause: thrown });
    }
    if (answer.ok) return answer;
    if (answer.status === 401) throw new Problem('UNAUTHORIZED', `HTTP ${answer.status}`);
    throw await readProblem(answer);
  }
}

async function readProblem(answer: Response): Promise<Problem> {
  const body: unknown = await answer.json().catch(() => undefined);
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  return hasErrorCode(error)
    ? new Problem(error.code, error.message)
    : new Problem('INTERNAL_ERROR', `HTTP ${answer.status}`);
}

/** Calls `take` when lines with content arrive. Empty lines only keep the connection open. */
async function forEachLine(answer: Response, take: () => void): Promise<void> {
  if (!answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ''; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    if (lines.some((line) => line.trim() !== '')) take();
  }
}

/**
 * The fragment of an address with a token: `#token=…`, and the place after `&`. `token.ts` removes the token from the
 * address and stores it.
 */
const TOKEN_FRAGMENT = /^#token=([\w.~-]+)(?:&(.*))?$/;

/** Splits the fragment of an address into the token and the rest. */
export function splitToken(hash: string): { token: string; rest: string } | undefined {
  const given = TOKEN_FRAGMENT.exec(hash);
  return given?.[1] === undefined ? undefined : { token: given[1], rest: given[2] === undefined ? '' : `#${given[2]}` };
}
