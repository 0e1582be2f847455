/**
 * Writes files atomically, even if the process is killed or the power fails. Processes that write the same file must
 * use a lock or different names.
 */

import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { getSystemCode } from '../../errors.ts';

/** Suffix of a file that is not complete yet. */
export const DRAFT_SUFFIX = '.draft';

/**
 * Writes a file that only this user can read. When this function returns, the file is on the disk. Replaces the draft
 * of a killed process.
 */
export function writeFileAtomically(file: string, text: string): void {
  const draft = `${file}${DRAFT_SUFFIX}`;
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(draft, file);
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  }
  syncFolder(path.dirname(file));
}

/**
 * Creates a file atomically by linking the finished draft, so that a reader never sees an incomplete file. An existing
 * file is not changed. Returns true if the file is new.
 */
export function createFileAtomically(file: string, content: string | Uint8Array): boolean {
  const draft = `${file}.${crypto.randomUUID()}${DRAFT_SUFFIX}`;
  const options = { flag: 'wx', mode: 0o600, flush: true };
  try {
    writeFileSync(draft, content, options);
    try {
      linkSync(draft, file);
    } catch (thrown) {
      if (!NO_HARD_LINK_CODES.has(getSystemCode(thrown) ?? '')) throw thrown;
      writeFileSync(file, content, options);
    }
  } catch (thrown) {
    if (getSystemCode(thrown) !== 'EEXIST') throw thrown;
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(path.dirname(file));
  return true;
}

/** Error codes of file systems that do not support hard links. */
const NO_HARD_LINK_CODES: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Writes the new name to the disk too. Windows cannot open folders and does not need this. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
