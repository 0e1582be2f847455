/**
 * Names who records a run, and decides whether a command adopts a foreign database.
 */

import { hostname } from 'node:os';
import type { RecorderOptions } from 'argus-engine';
import { isInCi } from '../system/ci.ts';
import { io } from '../system/io.ts';

/** Returns a recorder for a person at a terminal, otherwise for a script. */
export function terminal(): RecorderOptions {
  return { by: io().isInteractive ? 'person' : 'command line', from: hostname() };
}

/**
 * True if ARGUS_ADOPT=1 is set in CI, because a database from a CI cache belongs to no user of that machine. Only
 * commands that record runs ask this. The MCP server does not, because a repository can set its environment.
 */
export function adoptsInCi(): boolean {
  return io().env.ARGUS_ADOPT === '1' && isInCi();
}
