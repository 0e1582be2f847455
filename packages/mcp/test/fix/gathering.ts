/** Helpers for tests of the context: finding an answer by its number, and replacing real programs by scripts. */

import path from 'node:path';
import type { Answer, FixContext } from '../../src/fix/context/gather-context.ts';
import { io, withIo } from '../../src/system/io.ts';
import { createFolder } from '../project.ts';

export function getAnswer({ answers }: FixContext, number: number): Answer {
  const entry = answers[number - 1];
  if (entry === undefined) throw new Error(`no answer ${number}`);
  return entry;
}

/** Runs `work` with additional environment variables. */
export function runWithEnvironment<T>(env: NodeJS.ProcessEnv, work: () => T): T {
  return withIo({ ...io(), env: { ...process.env, ...env } }, work);
}

/** Creates the given programs, and returns a PATH that finds them first. */
export function createPathWithPrograms(scripts: Record<string, string>): { PATH: string } {
  const bin = createFolder(
    Object.fromEntries(Object.entries(scripts).map(([name, text]) => [`bin/${name}`, `#!/bin/sh\n${text}`])),
  );
  return { PATH: `${path.join(bin, 'bin')}${path.delimiter}${process.env.PATH}` };
}
