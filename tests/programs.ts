/** Tests that need a program of the machine. runners/installed.ts has the programs that run the tests of a project. */

import { spawnSync } from 'node:child_process';
import { test } from 'vitest';
import { findPostgresFolder } from '../scripts/lib/postgres.mjs';

const canRun = (command: string) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;

const PROGRAMS = {
  PostgreSQL: { isThere: () => findPostgresFolder() !== undefined, install: 'apt-get install postgresql' },
  pgbouncer: { isThere: () => canRun('pgbouncer'), install: 'apt-get install pgbouncer' },
  sqlite3: { isThere: () => canRun('sqlite3'), install: 'apt-get install sqlite3' },
};

/**
 * Declares a test that is skipped if a program is missing. A line then names the program and the command to install it.
 * In CI, a missing program is an error, because every program must be installed there.
 */
export function testWith(...names: (keyof typeof PROGRAMS)[]): ReturnType<typeof test.skipIf> {
  const missing = names.filter((name) => !PROGRAMS[name].isThere());
  const notes = missing.map((name) => `${name} is missing; install it with: ${PROGRAMS[name].install}`);
  if (notes.length > 0 && process.env.CI) throw new Error(notes.join('. '));
  for (const note of notes) process.stderr.write(`skipped: ${note}\n`);
  return test.skipIf(notes.length > 0);
}
