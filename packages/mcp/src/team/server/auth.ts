/**
 * Authenticates requests: the only place that decides whether a token is valid. `Grant` decides what the token permits.
 */

import type { NamedCalls, Scope, Token } from 'argus-engine';
import { messageOf } from '../../errors.ts';
import { log } from '../../log.ts';
import { io } from '../../system/io.ts';
import { holds } from '../protocol.ts';
import { isSecretOf, partsOf } from './tokens.ts';

/** A revoked token stops working within this time on every server of the database. */
const FRESH_MS = 1_000;

/** The last use of a token is recorded to the minute. */
const NOTE_USE_MS = 60_000;

/** The permissions of a valid token. */
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

  /** `engine` opens the server's own database. */
  constructor(engine: () => Promise<NamedCalls>) {
    this.#engine = engine;
  }

  /** Undefined for an unknown, expired or revoked token. */
  async grantOf(given: string): Promise<Grant | undefined> {
    const parts = partsOf(given);
    if (parts === undefined) return undefined;
    // Reads again for an unknown id, so that a new token works at once.
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

  /** Runs in the background, so that the request does not wait. */
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
