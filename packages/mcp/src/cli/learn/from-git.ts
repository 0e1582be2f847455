/**
 * learn --from-git: learns which tests and symbols were touched by commits that look like fixes. The engine selects
 * these commits and the facts to keep. The result stays on this machine, even if the project's memory belongs to a
 * team.
 */

import type { CommitDiff } from 'argus-engine';
import { ArgusError } from '../../errors.ts';
import type { LearnedFromGit } from '../../format/memory/learned-text.ts';
import { Git, GitError } from '../../git/git.ts';
import { diffsOf, HISTORY_TIMEOUT_MS, type LoggedCommit, newestCommits } from '../../git/history.ts';
import { repositoryOf } from '../../git/repository.ts';
import type { Session } from '../../sessions/session.ts';
import { startProgress } from '../terminal/progress-bar.ts';

export async function learnFromGit(session: Session, limit: number, signal: AbortSignal): Promise<LearnedFromGit> {
  const { top } = session.project;
  const repository = await repositoryOf(top, signal, HISTORY_TIMEOUT_MS);
  if (repository === undefined) throw new ArgusError('INVALID_INPUT', `${top} lies in no git repository.`);
  if (typeof repository === 'string')
    throw new ArgusError('INVALID_INPUT', `The git repository of ${top} is not read: ${repository}.`);
  const git = new Git(top, HISTORY_TIMEOUT_MS);
  const commits = await logged(git, limit, signal);
  const memory = await session.localMemory();
  const messages = commits.map(({ commit, message }) => ({ commit, message }));
  const { commits: likely, known } = await memory.likelyFixes({ commits: messages });
  const times = new Map(commits.map(({ commit, committedAt }) => [commit, committedAt]));
  const progress = await startProgress(likely.length, 'reading commits');
  let learned = 0;
  try {
    for await (const { read, diffs } of diffsOf(git, likely, signal)) {
      const batch: CommitDiff[] = [...diffs].map(([commit, diff]) => ({
        commit,
        committedAt: times.get(commit) ?? 0,
        diff,
      }));
      learned += (await memory.learnCommits({ commits: batch })).learned;
      progress.advance(read);
    }
  } catch (thrown) {
    // The commits that were learned so far are stored, and the next call skips them.
    if (!(thrown instanceof ArgusError && thrown.code === 'CANCELLED')) throw thrown;
    return { looked: commits.length, fixes: likely.length + known, learned, known, cancelled: true };
  } finally {
    progress.stop();
  }
  return { looked: commits.length, fixes: likely.length + known, learned, known };
}

async function logged(git: Git, limit: number, signal: AbortSignal): Promise<LoggedCommit[]> {
  try {
    return await newestCommits(git, limit, signal);
  } catch (thrown) {
    if (!(thrown instanceof GitError)) throw thrown;
    throw new ArgusError('INVALID_INPUT', `The history could not be read: ${thrown.message}.`, { cause: thrown });
  }
}
