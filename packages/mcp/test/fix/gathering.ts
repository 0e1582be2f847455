/** Helpers for tests of the context: answers by number, and programs that replace real programs. */

import path from 'node:path';
import type { Answer, FixContext } from '../../src/fix/context/gather-context.ts';
import { io, withIo } from '../../src/system/io.ts';
import { folder } from '../project.ts';

export function answerOf({ answers }: FixContext, number: number): Answer {
  const found = answers[number - 1];
  if (found === undefined) throw new Error(`no answer ${number}`);
  return found;
}

/** Runs `work` with additional environment variables. */
export function withEnvironment<T>(env: NodeJS.ProcessEnv, work: () => T): T {
  return withIo({ ...io(), env: { ...process.env, ...env } }, work);
}

/** A PATH on which the given programs come first. */
export function programs(scripts: Record<string, string>): { PATH: string } {
  const bin = folder(
    Object.fromEntries(Object.entries(scripts).map(([name, text]) => [`bin/${name}`, `#!/bin/sh\n${text}`])),
  );
  return { PATH: `${path.join(bin, 'bin')}${path.delimiter}${process.env.PATH}` };
}
