/**
 * Authenticates requests. Only this module decides whether a token is valid and whether an address belongs to this
 * machine. `Grant` decides what the token allows.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import type { NamedCalls, Scope, Token } from 'argus-engine';
import { getErrorMessage } from '../../errors.ts';
import { log } from '../../log.ts';
import { io } from '../../system/io.ts';
import { includesScope } from '../protocol.ts';

/** A revoked token is rejected after this time at the latest, on every server of the database. */
const MAX_TOKEN_CACHE_MS = 1_000;

/** The time of the last use of a token is stored at most once in this interval. */
const USE_RECORD_INTERVAL_MS = 60_000;

/** What a valid token allows. */
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

  isAllowed(needed: Scope, project?: string): boolean {
    const coversProject = project === undefined || this.projects === null || this.projects.includes(project);
    return coversProject && includesScope(this.scope, needed);
  }
}

export class TokenAuthenticator {
  readonly #engine: () => Promise<NamedCalls>;
  #cached: { readonly tokens: ReadonlyMap<string, Token>; readonly at: number } | undefined;
  readonly #useRecordedAt = new Map<string, number>();

  /** `engine` opens the server's own database. */
  constructor(engine: () => Promise<NamedCalls>) {
    this.#engine = engine;
  }

  /** Returns undefined for an unknown, expired or revoked token. */
  async authenticate(given: string): Promise<Grant | undefined> {
    const parts = parseToken(given);
    if (parts === undefined) return undefined;
    // Reads the tokens again for an unknown id, because the token may be new.
    const token = (await this.#getTokens()).get(parts.id) ?? (await this.#readTokens()).get(parts.id);
    if (token === undefined || !matchesDigest(parts.secret, token.digest) || !isValid(token)) return undefined;
    this.#recordUse(token.id);
    return new Grant(token);
  }

  async #getTokens(): Promise<ReadonlyMap<string, Token>> {
    return this.#cached !== undefined && io().now() - this.#cached.at <= MAX_TOKEN_CACHE_MS
      ? this.#cached.tokens
      : this.#readTokens();
  }

  async #readTokens(): Promise<ReadonlyMap<string, Token>> {
    const { tokens } = await (await this.#engine()).tokens();
    this.#cached = { tokens: new Map(tokens.map((token) => [token.id, token])), at: io().now() };
    return this.#cached.tokens;
  }

  /** Runs in the background, because the request must not wait for it. */
  #recordUse(id: string): void {
    const now = io().now();
    if (now - (this.#useRecordedAt.get(id) ?? 0) < USE_RECORD_INTERVAL_MS) return;
    this.#useRecordedAt.set(id, now);
    const record = async () => (await this.#engine()).noteTokenUsed({ id });
    record().catch((thrown: unknown) => log(`The use of a token could not be recorded: ${getErrorMessage(thrown)}`));
  }
}

function isValid({ expiresAt, revokedAt }: Token): boolean {
  return revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > io().now());
}

const ID_BYTES = 6;
const SECRET_BYTES = 32;

const TOKEN_PATTERN = /^argus_([0-9a-f]{12})_([\w-]{43})$/u;

/** A new token and the parts of it that are stored. */
interface NewToken {
  token: string;
  id: string;
  digest: string;
}

/**
 * Creates a token of the form `argus_ID_SECRET`. The server stores the id and a SHA-256 digest of the secret. A slow
 * password hash is not needed, because the secret has 256 random bits.
 */
export function generateToken(): NewToken {
  const id = randomBytes(ID_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { token: `argus_${id}_${secret}`, id, digest: hashSecret(secret).toString('hex') };
}

/** Returns undefined if the text is not a token. */
function parseToken(token: string): { id: string; secret: string } | undefined {
  const [, id, secret] = TOKEN_PATTERN.exec(token) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Compares in constant time, because the duration must not reveal the secret. */
function matchesDigest(secret: string, digest: string): boolean {
  const known = Buffer.from(digest, 'hex');
  const given = hashSecret(secret);
  return known.length === given.length && timingSafeEqual(known, given);
}

function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** True for `localhost`, `127.0.0.1`, `::1` and `::ffff:127.0.0.1`. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  return host === 'localhost' || (family !== 0 && LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4'));
}

/** True if the header `Host` names this machine. A page that uses DNS rebinding sends a different name. */
export function isLoopbackHeader(header: string | undefined): boolean {
  if (header === undefined || !URL.canParse(`http://${header}`)) return false;
  return isLoopback(new URL(`http://${header}`).hostname.replaceAll(/[[\]]/gu, ''));
}
