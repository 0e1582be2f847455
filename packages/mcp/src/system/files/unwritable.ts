/** The error for a database folder that cannot be created or written, with advice. */

import { EngineError } from 'argus-engine';
import { messageOf, systemCodeOf } from '../../errors.ts';

/** Advice by error code of the system. */
const ADVICE: Record<string, string> = {
  ENOSPC: 'Free space on its disk.',
  EDQUOT: 'Free space on its disk, or have the quota raised.',
  EROFS: 'Its disk is mounted read-only: work in a copy of the project on another one.',
  ENOTDIR: 'A file lies where a folder has to be: move it away.',
  EEXIST: 'A file lies where a folder has to be: move it away.',
};

export function unwritable(folder: string, thrown: unknown, what = ''): EngineError {
  const code = systemCodeOf(thrown);
  const advice = ADVICE[code ?? ''] ?? 'Give this user the right to write there.';
  return new EngineError(
    'DATABASE_UNAVAILABLE',
    `${folder} cannot be written (${code ?? messageOf(thrown)})${what}. ${advice}`,
  );
}
