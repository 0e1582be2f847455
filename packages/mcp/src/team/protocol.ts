/**
 * What a machine of a team and the team's server say to each other over HTTP. The calls themselves are the engine's
 * (`crates/engine/src/calls.rs`).
 *
 * `POST /v1/projects/{project}/call` takes a `TeamCall` and answers `{result}` or `{error: {code, message}}`;
 * `GET /v1/hello` answers `Hello`. Both need `Authorization: Bearer TOKEN`.
 */

import { EDITING_CALLS, SCOPES, type Scope, TEAM_CALLS, WRITING_CALLS } from 'argus-engine';
import type { z } from 'zod';
import { PROJECT_NAME } from '../config/project-name.ts';
import type { Zod } from '../system/zod.ts';

/** Spoken by this program. A change that an older one cannot understand is a new version. */
export const PROTOCOL = 1;

/** The oldest that this program still understands. */
export const OLDEST_PROTOCOL = 1;

export type TeamCallName = (typeof TEAM_CALLS)[number];

const MAX_NAME_CHARS = 100;

/** Characters of a version in npm. */
const VERSION_NUMBER = /^[\w.+-]{1,50}$/u;

/** A call as it is sent. */
export const teamCall = (z: Zod) =>
  z.strictObject({
    protocol: z.int().min(1),
    /** The same for the same call, made again: it is made once. */
    callId: z.uuid(),
    /** When it was made, in milliseconds since the epoch. */
    now: z.int().min(0),
    method: z.enum(TEAM_CALLS),
    params: z.record(z.string(), z.unknown()),
    /** Language of built-in suggestions. */
    locale: z.enum(['en', 'zh']).optional(),
    /** The client that the machine has asked for; whose token it is, the server knows. */
    by: z.string().max(MAX_NAME_CHARS).optional(),
    from: z.string().max(MAX_NAME_CHARS).optional(),
  });

export type TeamCall = z.output<ReturnType<typeof teamCall>>;

/** The part of a greeting that every version sends. */
export const anyHello = (z: Zod) => z.object({ name: z.literal('argus'), version: z.string().regex(VERSION_NUMBER) });

/** What a server is, and what the token may do there. */
export const hello = (z: Zod) =>
  z.object({
    name: z.literal('argus'),
    version: z.string().regex(VERSION_NUMBER),
    protocol: z.object({ oldest: z.int(), newest: z.int() }),
    /** Signatures of failures depend on it; those of the server count. */
    recipe: z.string(),
    token: z.object({
      name: z.string(),
      scope: z.enum(SCOPES),
      projects: z.array(z.string().regex(PROJECT_NAME)).nullable(),
    }),
  });

export type Hello = z.output<ReturnType<typeof hello>>;

/** What a token must at least be able to do for a call. */
export function scopeFor(method: TeamCallName): Scope {
  if (EDITING_CALLS.some((call) => call === method)) return 'edit';
  return WRITING_CALLS.some((call) => call === method) ? 'write' : 'read';
}

/** Whether one scope holds another. */
export function holds(scope: Scope, needed: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}
