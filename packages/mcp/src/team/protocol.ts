/**
 * The HTTP protocol between a user's machine and the team's server. The engine defines the calls
 * (`crates/engine/src/calls.rs`).
 *
 * `POST /v1/projects/{project}/call` takes a `TeamCall` and returns `{result}` or `{error: {code, message}}`. `GET
 * /v1/hello` returns `Hello`. Both require `Authorization: Bearer TOKEN`.
 */

import { EDITING_CALLS, SCOPES, type Scope, TEAM_CALLS, WRITING_CALLS } from 'argus-engine';
import type { z } from 'zod';
import { PROJECT_NAME_PATTERN } from '../owner/project.ts';
import type { Zod } from '../system/zod.ts';

/** The protocol version of this program. A change that an older program cannot understand requires a new version. */
export const PROTOCOL_VERSION = 1;

/** The oldest version that this program supports. */
export const OLDEST_PROTOCOL_VERSION = 1;

export type TeamCallName = (typeof TEAM_CALLS)[number];

const MAX_NAME_CHARS = 100;

/** The characters of an npm version. */
const VERSION_NUMBER = /^[\w.+-]{1,50}$/u;

/** The body of a call. */
export const createTeamCallSchema = (z: Zod) =>
  z.strictObject({
    protocol: z.int().min(1),
    /** A repeated call has the same id. The server then runs the call only once. */
    callId: z.uuid(),
    /** The time of the call in milliseconds since the epoch. */
    now: z.int().min(0),
    method: z.enum(TEAM_CALLS),
    params: z.record(z.string(), z.unknown()),
    /** The language of built-in suggestions. */
    locale: z.enum(['en', 'zh']).optional(),
    /** The MCP client that made the call on the user's machine. The server knows the owner of the token without it. */
    by: z.string().max(MAX_NAME_CHARS).optional(),
    from: z.string().max(MAX_NAME_CHARS).optional(),
  });

export type TeamCall = z.output<ReturnType<typeof createTeamCallSchema>>;

/** The fields of a hello response that every version sends. */
export const createAnyHelloSchema = (z: Zod) =>
  z.object({ name: z.literal('argus'), version: z.string().regex(VERSION_NUMBER) });

/** Describes the server and what the token allows. */
export const createHelloSchema = (z: Zod) =>
  z.object({
    name: z.literal('argus'),
    version: z.string().regex(VERSION_NUMBER),
    protocol: z.object({ oldest: z.int(), newest: z.int() }),
    /** The signature version of the server. */
    recipe: z.string(),
    token: z.object({
      name: z.string(),
      scope: z.enum(SCOPES),
      projects: z.array(z.string().regex(PROJECT_NAME_PATTERN)).nullable(),
    }),
  });

export type Hello = z.output<ReturnType<typeof createHelloSchema>>;

/** Returns the scope that a token needs for a call. */
export function getRequiredScope(method: TeamCallName): Scope {
  if (EDITING_CALLS.some((call) => call === method)) return 'edit';
  return WRITING_CALLS.some((call) => call === method) ? 'write' : 'read';
}

/** True if `scope` includes `needed`. */
export function includesScope(scope: Scope, needed: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}
