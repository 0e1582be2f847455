/**
 * Writes files that are there whole or not at all, also where the process is killed or the power goes. Two processes
 * that write one file: a name of its own or a lock keeps them apart.
 */

import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemCodeOf } from '../../errors.ts';

/** What a file is called until it is whole. */
export const DRAFT_SUFFIX = '.draft';

/** For this user alone; on the disk when this returns. A draft that a killed process left is written anew. */
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

/** The same for a file that may be there already, and then stays: a link to a finished file is made in one step. */
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

/** What file systems without links answer where one is to be made. */
const HAS_NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** So that the name is on the disk too; Windows opens no folders and needs no such thing. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
