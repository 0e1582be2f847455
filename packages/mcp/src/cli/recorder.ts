/**
 * Who records what a command records, and whether a database that nobody knows is taken over.
 */

import { hostname } from 'node:os';
import type { RecorderOptions } from 'argus-engine';
import { isInCi } from '../system/ci.ts';
import { io } from '../system/io.ts';

/** A person at a terminal, or a script. */
export function terminal(): RecorderOptions {
  return { by: io().isInteractive ? 'person' : 'command line', from: hostname() };
}

/**
 * In CI a database comes out of a cache and is nobody's on that machine. A repository can set the environment of an MCP
 * server, so this is asked by two commands alone.
 */
export function adoptsInCi(): boolean {
  return io().env.ARGUS_ADOPT === '1' && isInCi();
}
