/** What is gathered about an error, for the tests of that: its answers, and programs that stand in for real ones. */

import path from 'node:path';
import { vi } from 'vitest';
import type { Answer, FixContext } from '../../src/fix/context/gather-context.ts';
import { folder } from '../project.ts';

export function answerOf({ answers }: FixContext, number: number): Answer {
  const found = answers[number - 1];
  if (found === undefined) throw new Error(`no answer ${number}`);
  return found;
}

/** Programs of the given names on the PATH, before all others. */
export function programs(scripts: Record<string, string>): void {
  const bin = folder(
    Object.fromEntries(Object.entries(scripts).map(([name, text]) => [`bin/${name}`, `#!/bin/sh\n${text}`])),
  );
  vi.stubEnv('PATH', `${path.join(bin, 'bin')}${path.delimiter}${process.env.PATH}`);
}
