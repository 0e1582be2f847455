/**
 * The refs of snapshots in a repository, and their expiry: after two weeks nobody restores a snapshot. Git removes
 * objects without a ref.
 */

import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { ArgusError } from '../../errors.ts';
import type { Git } from '../../git/git.ts';
import type { Repository } from '../../git/repository.ts';

/** All refs of Argus are below this name. */
const SNAPSHOT_REFS = 'refs/argus/';

const SNAPSHOT_DAYS = 14;

const DAY_MS = 24 * 3_600_000;
const OPTIONS = { timeoutMs: 120_000, maxBytes: 64 * 1024 * 1024 };

export interface SnapshotRef {
  id: string;
  name: string;
  isExpired(now: number): boolean;
}

/** Returns the common part of a loop's snapshot refs, without the last `/`. */
export function snapshotFolder(commandHash: string, repository: Repository): string {
  return `${SNAPSHOT_REFS}fixes/${commandHash}${projectSuffix(repository)}`;
}

/** True if a snapshot belongs to a loop of this project. */
export function isOfProject({ name }: SnapshotRef, repository: Repository): boolean {
  const [, hash] = /^refs\/argus\/fixes\/([0-9a-f]{8})[-/]/u.exec(name) ?? [];
  return hash !== undefined && name.startsWith(`${snapshotFolder(hash, repository)}/`);
}

/**
 * Makes names unique, because linked work trees share refs, and a repository may hold several projects with the same
 * command.
 */
function projectSuffix({ prefix, gitFolder, commonFolder }: Repository): string {
  if (prefix === '' && realpathSync(gitFolder) === realpathSync(commonFolder)) return '';
  return `-${createHash('sha256').update(`${gitFolder}\0${prefix}`).digest('hex').slice(0, 8)}`;
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

/** Removes each ref only if it still has its id. */
export async function removeRefs(git: Git, refs: readonly SnapshotRef[]): Promise<void> {
  if (refs.length === 0) return;
  const stdin = refs.map(({ id, name }) => `delete ${name} ${id}\n`).join('');
  await git.text(['update-ref', '--stdin'], { ...OPTIONS, stdin });
}

export function isOld(time: number, now: number): boolean {
  return now - time > SNAPSHOT_DAYS * DAY_MS;
}

/** The error for a snapshot of a waiting loop that was removed. */
export function snapshotGone(cause: unknown): ArgusError {
  const message = `A snapshot of this fix loop is gone: they are kept for ${SNAPSHOT_DAYS} days. Move the folder of the loop away to begin anew.`;
  return new ArgusError('STATE_UNREADABLE', message, { cause });
}
