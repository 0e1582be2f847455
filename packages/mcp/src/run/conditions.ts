/** The conditions of a run on this machine, because a verdict may find that a test depends on a condition. */

import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { environmentOf } from '../environment/project-environment.ts';
import { isInCi } from '../system/ci.ts';

/** Length of the hash of the host name. Only the hash is stored, because the name itself must not leave the machine. */
const MACHINE_CHARS = 12;

/** Names and values as in evidence, for example `os=windows`. */
export function conditions(root: string): Record<string, string> {
  const { language, language_major: major, runtime } = environmentOf(root);
  return {
    os: process.platform === 'win32' ? 'windows' : process.platform === 'darwin' ? 'macos' : process.platform,
    arch: process.arch,
    ci: String(isInCi()),
    ...(language === undefined ? {} : { language: major === undefined ? language : `${language}-${major}` }),
    ...(runtime === undefined ? {} : { runtime }),
    machine: createHash('sha256').update(hostname()).digest('hex').slice(0, MACHINE_CHARS),
  };
}
