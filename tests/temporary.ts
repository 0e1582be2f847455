/**
 * Gives each test run a folder for its temporary files, and removes the folder at the end. Nothing is removed between
 * tests, so that the files of a failed test can be inspected until the run ends.
 */

import { accessSync, chmodSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export default function setup(): () => void {
  const folder = mkdtempSync(path.join(hasFastMemory() ? MEMORY_FOLDER : tmpdir(), 'argus-tests-'));
  // Tests of permissions run as another user, who must be able to enter the folder.
  chmodSync(folder, 0o755);
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * A file system in memory. Tests that record runs would otherwise spend a fifth of their time waiting for a disk to
 * sync.
 */
const MEMORY_FOLDER = '/dev/shm';
const MIN_MEMORY_BYTES = 2 * 1024 ** 3;

/**
 * Returns true if the file system in memory is usable. Tests start programs there, which containers often forbid. A
 * TMPDIR that the user has set takes precedence.
 */
function hasFastMemory(): boolean {
  if (process.platform !== 'linux' || process.env.TMPDIR !== undefined) return false;
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    const [, options = 'noexec'] = / \/dev\/shm tmpfs (\S+)/u.exec(readFileSync('/proc/mounts', 'utf8')) ?? [];
    return bavail * bsize >= MIN_MEMORY_BYTES && !options.includes('noexec');
  } catch {
    return false;
  }
}
