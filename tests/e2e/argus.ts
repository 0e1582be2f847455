/** Runs the built command line. */

import { spawnSync } from 'node:child_process';
import { BUNDLE, environment, project } from './harness.ts';

export interface Invocation {
  input?: string | Buffer;
  env?: Record<string, string>;
  cwd?: string;
}

export function argus(args: string[], { input, env, cwd = project() }: Invocation = {}) {
  const options = {
    encoding: 'utf8',
    env: environment(env),
    cwd,
    maxBuffer: 256 * 1024 * 1024,
    ...(input === undefined ? {} : { input }),
  } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [BUNDLE, ...args], options);
  return { status, stdout, stderr };
}
