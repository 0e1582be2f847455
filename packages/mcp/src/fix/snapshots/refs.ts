/**
 * The refs of snapshots in a repository, and their expiry: snapshots older than two weeks are removed, because nobody
 * restores them. Git removes objects without a ref.
 */

import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { ArgusError } from '../../errors.ts';
import type { Git } from '../../git/git.ts';
import type { Repository } from '../../git/repository.ts';

/** All refs of Argus start with this. */
const SNAPSHOT_REFS = 'refs/argus/';

const MAX_SNAPSHOT_AGE_DAYS = 14;

const DAY_MS = 24 * 3_600_000;
const GIT_OPTIONS = { timeoutMs: 120_000, maxBytes: 64 * 1024 * 1024 };

export interface SnapshotRef {
  id: string;
  name: string;
  isExpired(now: number): boolean;
}

/** Returns the common start of the names of a loop's snapshot refs, without the last `/`. */
export function getSnapshotRefPrefix(commandHash: string, repository: Repository): string {
  return `${SNAPSHOT_REFS}fixes/${commandHash}${createProjectSuffix(repository)}`;
}

/** True if a snapshot belongs to a loop of this project. */
export function belongsToProject({ name }: SnapshotRef, repository: Repository): boolean {
  const [, hash] = /^refs\/argus\/fixes\/([0-9a-f]{8})[-/]/u.exec(name) ?? [];
  return hash !== undefined && name.startsWith(`${getSnapshotRefPrefix(hash, repository)}/`);
}

/**
 * Returns a suffix that makes the names of refs unique, because linked work trees share refs, and a repository may
 * contain several projects with the same command.
 */
function createProjectSuffix({ prefix, gitFolder, commonFolder }: Repository): string {
  if (prefix === '' && realpathSync(gitFolder) === realpathSync(commonFolder)) return '';
  return `-${createHash('sha256').update(`${gitFolder}\0${prefix}`).digest('hex').slice(0, 8)}`;
}

export async function listSnapshotRefs(git: Git, prefix = SNAPSHOT_REFS): Promise<SnapshotRef[]> {
  const format = '--format=%(objectname) %(committerdate:unix) %(refname)';
  const listed = await git.readText(['for-each-ref', format, prefix], GIT_OPTIONS);
  return listed.split('\n').flatMap((line) => {
    const [id, seconds, name] = line.split(' ');
    if (!id || !name) return [];
    return [{ id, name, isExpired: (now) => isOlderThanRetention(Number(seconds) * 1_000, now) }];
  });
}

/** Removes each ref only if it still has the same id. */
export async function removeRefs(git: Git, refs: readonly SnapshotRef[]): Promise<void> {
  if (refs.length === 0) return;
  const stdin = refs.map(({ id, name }) => `delete ${name} ${id}\n`).join('');
  await git.readText(['update-ref', '--stdin'], { ...GIT_OPTIONS, stdin });
}

export function isOlderThanRetention(time: number, now: number): boolean {
  return now - time > MAX_SNAPSHOT_AGE_DAYS * DAY_MS;
}

/** Creates the error for a waiting loop whose snapshot was removed. */
export function createSnapshotGoneError(cause: unknown): ArgusError {
  const message = `A snapshot of this fix loop was deleted after ${MAX_SNAPSHOT_AGE_DAYS} days. Move the folder of the loop away to start a new loop.`;
  return new ArgusError('STATE_UNREADABLE', message, { cause });
}
