/** Creates the error for a database folder that cannot be created or written, with advice. */

import { EngineError } from 'argus-engine';
import { getErrorMessage, getSystemCode } from '../../errors.ts';

/** Advice by error code of the operating system. */
const ADVICE_BY_CODE: Record<string, string> = {
  ENOSPC: 'Free space on its disk.',
  EDQUOT: 'Free space on its disk, or raise the quota.',
  EROFS: 'Its disk is mounted read-only. Work in a copy of the project on another disk.',
  ENOTDIR: 'A file is in the way of a folder. Move the file away.',
  EEXIST: 'A file is in the way of a folder. Move the file away.',
};

export function createUnwritableError(folder: string, thrown: unknown, what = ''): EngineError {
  const code = getSystemCode(thrown);
  const advice = ADVICE_BY_CODE[code ?? ''] ?? 'Give this user the right to write there.';
  return new EngineError(
    'DATABASE_UNAVAILABLE',
    `${folder} cannot be written (${code ?? getErrorMessage(thrown)})${what}. ${advice}`,
  );
}
