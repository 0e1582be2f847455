/**
 * Who asks: the one place that decides whether a request comes from somebody that the server knows. Whether they may do
 * what they ask for: `Grant`.
 */

import type { NamedCalls, Scope, Token } from 'argus-engine';
import { messageOf } from '../../errors.ts';
import { log } from '../../log.ts';
import { io } from '../../system/io.ts';
import { holds } from '../protocol.ts';
import { isSecretOf, partsOf } from './tokens.ts';

/** A token that was revoked opens nothing after this time, on every server of the database. */
const FRESH_MS = 1_000;

/** When a token was used last is known to the minute. */
const NOTE_USE_MS = 60_000;

/** What a known token may do. */
export class Grant {
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  readonly projects: readonly string[] | null;

  constructor({ id, name, scope, projects }: Token) {
    this.id = id;
    this.name = name;
    this.scope = scope;
    this.projects = projects;
  }

  may(needed: Scope, project?: string): boolean {
    const isTheirs = project === undefined || this.projects === null || this.projects.includes(project);
    return isTheirs && holds(this.scope, needed);
  }
}

export class Auth {
  readonly #engine: () => Promise<NamedCalls>;
  #known: { readonly tokens: ReadonlyMap<string, Token>; readonly at: number } | undefined;
  readonly #noted = new Map<string, number>();

  /** `engine`: of the server's own database. */
  constructor(engine: () => Promise<NamedCalls>) {
    this.#engine = engine;
  }

  /** Undefined: nobody that is known, or not any more. */
  async grantOf(given: string): Promise<Grant | undefined> {
    const parts = partsOf(given);
    if (parts === undefined) return undefined;
    // One that was made since is known at once.
    const token = (await this.#tokens()).get(parts.id) ?? (await this.#read()).get(parts.id);
    if (token === undefined || !isSecretOf(parts.secret, token.digest) || !isValid(token)) return undefined;
    this.#noteUse(token.id);
    return new Grant(token);
  }

  async #tokens(): Promise<ReadonlyMap<string, Token>> {
    return this.#known !== undefined && io().now() - this.#known.at <= FRESH_MS ? this.#known.tokens : this.#read();
  }

  async #read(): Promise<ReadonlyMap<string, Token>> {
    const { tokens } = await (await this.#engine()).tokens();
    this.#known = { tokens: new Map(tokens.map((token) => [token.id, token])), at: io().now() };
    return this.#known.tokens;
  }

  /** Nobody waits for it. */
  #noteUse(id: string): void {
    const now = io().now();
    if (now - (this.#noted.get(id) ?? 0) < NOTE_USE_MS) return;
    this.#noted.set(id, now);
    const note = async () => (await this.#engine()).noteTokenUsed({ id });
    note().catch((thrown: unknown) => log(`The use of a token was not noted: ${messageOf(thrown)}`));
  }
}

function isValid({ expiresAt, revokedAt }: Token): boolean {
  return revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > io().now());
}
