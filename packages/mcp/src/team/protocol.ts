/**
 * The HTTP protocol between a user's machine and the team's server. The calls themselves are the engine's
 * (`crates/engine/src/calls.rs`).
 *
 * `POST /v1/projects/{project}/call` takes a `TeamCall` and returns `{result}` or `{error: {code, message}}`. `GET
 * /v1/hello` returns `Hello`. Both need `Authorization: Bearer TOKEN`.
 */

import { EDITING_CALLS, SCOPES, type Scope, TEAM_CALLS, WRITING_CALLS } from 'argus-engine';
import type { z } from 'zod';
import { PROJECT_NAME } from '../config/project-name.ts';
import type { Zod } from '../system/zod.ts';

/** The version that this program sends. A change that an older program cannot understand needs a new version. */
export const PROTOCOL = 1;

/** The oldest version that this program understands. */
export const OLDEST_PROTOCOL = 1;

export type TeamCallName = (typeof TEAM_CALLS)[number];

const MAX_NAME_CHARS = 100;

/** The characters of an npm version. */
const VERSION_NUMBER = /^[\w.+-]{1,50}$/u;

/** The body of a call. */
export const teamCall = (z: Zod) =>
  z.strictObject({
    protocol: z.int().min(1),
    /** A repetition of a call has the same id, so that the server makes the call only once. */
    callId: z.uuid(),
    /** The time of the call in milliseconds since the epoch. */
    now: z.int().min(0),
    method: z.enum(TEAM_CALLS),
    params: z.record(z.string(), z.unknown()),
    /** The language of built-in suggestions. */
    locale: z.enum(['en', 'zh']).optional(),
    /** The MCP client that made the call on the user's machine. The server knows the owner of the token itself. */
    by: z.string().max(MAX_NAME_CHARS).optional(),
    from: z.string().max(MAX_NAME_CHARS).optional(),
  });

export type TeamCall = z.output<ReturnType<typeof teamCall>>;

/** The part of a greeting that every version sends. */
export const anyHello = (z: Zod) => z.object({ name: z.literal('argus'), version: z.string().regex(VERSION_NUMBER) });

/** Describes the server and the permissions of the token. */
export const hello = (z: Zod) =>
  z.object({
    name: z.literal('argus'),
    version: z.string().regex(VERSION_NUMBER),
    protocol: z.object({ oldest: z.int(), newest: z.int() }),
    /** The signatures of failures depend on it, and the server's value counts. */
    recipe: z.string(),
    token: z.object({
      name: z.string(),
      scope: z.enum(SCOPES),
      projects: z.array(z.string().regex(PROJECT_NAME)).nullable(),
    }),
  });

export type Hello = z.output<ReturnType<typeof hello>>;

/** The scope that a token needs for a call. */
export function scopeFor(method: TeamCallName): Scope {
  if (EDITING_CALLS.some((call) => call === method)) return 'edit';
  return WRITING_CALLS.some((call) => call === method) ? 'write' : 'read';
}

/** True when `scope` includes `needed`. */
export function holds(scope: Scope, needed: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}
