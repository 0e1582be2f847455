/**
 * The names under which snapshots are kept in a repository, and their end: after two weeks nobody goes back.
 * Does not: remove objects; git does, once nothing names them.
 */

import { ArgusError } from '../errors.ts';
import type { Git } from '../git/git.ts';

/** All that Argus names in a repository. */
export const SNAPSHOT_REFS = 'refs/argus/';

const SNAPSHOT_DAYS = 14;

const DAY_MS = 24 * 3_600_000;
const OPTIONS = { timeoutMs: 120_000, maxBytes: 64 * 1024 * 1024 };

export interface SnapshotRef {
  id: string;
  name: string;
  isExpired(now: number): boolean;
}

export async function snapshotRefs(git: Git, under = SNAPSHOT_REFS): Promise<SnapshotRef[]> {
  const format = '--format=%(objectname) %(committerdate:unix) %(refname)';
  const listed = await git.text(['for-each-ref', format, under], OPTIONS);
  return listed.split('\n').flatMap((line) => {
    const [id, seconds, name] = line.split(' ');
    if (!id || !name) return [];
    return [{ id, name, isExpired: (now) => isOld(Number(seconds) * 1_000, now) }];
  });
}

/** Only those that are still what they were. */
export async function removeRefs(git: Git, refs: readonly SnapshotRef[]): Promise<void> {
  if (refs.length === 0) return;
  const stdin = refs.map(({ id, name }) => `delete ${name} ${id}\n`).join('');
  await git.text(['update-ref', '--stdin'], { ...OPTIONS, stdin });
}

export function isOld(time: number, now: number): boolean {
  return now - time > SNAPSHOT_DAYS * DAY_MS;
}

/** Of what a waiting loop has kept. */
export function snapshotGone(cause: unknown): ArgusError {
  const message = `A snapshot of this fix loop is gone: they are kept for ${SNAPSHOT_DAYS} days. Move the folder of the loop away to begin anew.`;
  return new ArgusError('STATE_UNREADABLE', message, { cause });
}
