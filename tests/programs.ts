/** Tests that need a program of the machine. The programs that run tests of a project: runners/installed.ts. */

import { spawnSync } from 'node:child_process';
import { test } from 'vitest';
import { postgresFolder } from '../scripts/lib/postgres.mjs';

const answers = (command: string) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;

const PROGRAMS = {
  PostgreSQL: { isThere: () => postgresFolder() !== undefined, install: 'apt-get install postgresql' },
  pgbouncer: { isThere: () => answers('pgbouncer'), install: 'apt-get install pgbouncer' },
  sqlite3: { isThere: () => answers('sqlite3'), install: 'apt-get install sqlite3' },
};

/**
 * A test that is skipped where a program is missing, with a line that names the program and how to install it. In CI it
 * is an error, because there every program must be installed.
 */
export function testWith(...names: (keyof typeof PROGRAMS)[]): ReturnType<typeof test.skipIf> {
  const missing = names.filter((name) => !PROGRAMS[name].isThere());
  const notes = missing.map((name) => `${name} is missing; install it with: ${PROGRAMS[name].install}`);
  if (notes.length > 0 && process.env.CI) throw new Error(notes.join('. '));
  for (const note of notes) process.stderr.write(`skipped: ${note}\n`);
  return test.skipIf(notes.length > 0);
}
