/**
 * Writes files atomically, even if the process is killed or the power fails. Processes that write the same file must
 * use a lock or different names.
 */

import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemCodeOf } from '../../errors.ts';

/** The suffix of an unfinished file. */
export const DRAFT_SUFFIX = '.draft';

/**
 * Writes a file that only this user can read. The file is on the disk when this returns. A draft of a killed process is
 * replaced.
 */
export function writeWholeFile(file: string, text: string): void {
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

/** Creates a file atomically by linking the finished draft. An existing file stays unchanged. */
export function createWholeFile(file: string, content: string | Uint8Array): void {
  const draft = `${file}.${crypto.randomUUID()}${DRAFT_SUFFIX}`;
  const options = { flag: 'wx', mode: 0o600, flush: true };
  try {
    writeFileSync(draft, content, options);
    try {
      linkSync(draft, file);
    } catch (thrown) {
      if (!HAS_NO_LINKS.has(systemCodeOf(thrown) ?? '')) throw thrown;
      writeFileSync(file, content, options);
    }
  } catch (thrown) {
    if (systemCodeOf(thrown) !== 'EEXIST') throw thrown;
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(path.dirname(file));
}

/** Error codes of file systems that do not support hard links. */
const HAS_NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

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
