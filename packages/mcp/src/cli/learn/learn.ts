/** The command `learn`: fills a memory from existing commits and reports. The options are in learn-program.ts. */

import type { CommitDiff } from 'argus-engine';
import { ArgusError } from '../../errors.ts';
import { formatLearnResult, type GitLearnResult, type LearnResult } from '../../format/memory.ts';
import { Git, GitError } from '../../git/git.ts';
import { HISTORY_TIMEOUT_MS, type LoggedCommit, listNewestCommits, readDiffs } from '../../git/history.ts';
import { findRepository } from '../../git/repository.ts';
import type { Session } from '../../sessions/session.ts';
import { abortOnSignals, EXIT_CODES } from '../terminal/exit.ts';
import { startProgress } from '../terminal/interaction.ts';
import { type GlobalOptions, isAdoptionAllowedInCi, runProjectCommand } from '../terminal/output.ts';
import { learnFromCi } from './from-ci.ts';

export interface LearnOptions extends GlobalOptions {
  fromGit?: number;
  fromCi?: string;
}

export async function learn(options: LearnOptions): Promise<void> {
  const { fromGit, fromCi } = options;
  const signal = abortOnSignals(EXIT_CODES.error);
  await runProjectCommand<LearnResult>(
    options,
    async ({ session }) => {
      const learnedFromCi = fromCi === undefined ? undefined : await learnFromCi(session, fromCi, signal);
      const isDone = fromGit === undefined || learnedFromCi?.cancelled === true;
      const learnedFromGit = isDone ? undefined : await learnFromGit(session, fromGit, signal);
      return { ...(learnedFromCi && { fromCi: learnedFromCi }), ...(learnedFromGit && { fromGit: learnedFromGit }) };
    },
    formatLearnResult,
    {
      exitCode: (learned) =>
        learned.fromCi?.cancelled || learned.fromGit?.cancelled ? EXIT_CODES.error : EXIT_CODES.done,
      adopts: isAdoptionAllowedInCi(),
    },
  );
}

/**
 * The command `learn --from-git`: learns which tests and symbols were changed by commits that look like fixes. The
 * engine selects these commits and the facts to keep. The result stays on this machine, even if the repository belongs
 * to a team.
 */
async function learnFromGit(session: Session, limit: number, signal: AbortSignal): Promise<GitLearnResult> {
  const { top } = session.project;
  const repository = await findRepository(top, signal, HISTORY_TIMEOUT_MS);
  if (repository === undefined) throw new ArgusError('INVALID_INPUT', `${top} is not in a git repository.`);
  if (typeof repository === 'string')
    throw new ArgusError('INVALID_INPUT', `The git repository of ${top} cannot be read: ${repository}.`);
  const git = new Git(top, HISTORY_TIMEOUT_MS);
  const commits = await readNewestCommits(git, limit, signal);
  const memory = await session.openLocalMemory();
  const messages = commits.map(({ commit, message }) => ({ commit, message }));
  const { commits: likely, known } = await memory.likelyFixes({ commits: messages });
  const times = new Map(commits.map(({ commit, committedAt }) => [commit, committedAt]));
  const progress = await startProgress(likely.length, 'reading commits');
  let learned = 0;
  try {
    for await (const { read, diffs } of readDiffs(git, likely, signal)) {
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

async function readNewestCommits(git: Git, limit: number, signal: AbortSignal): Promise<LoggedCommit[]> {
  try {
    return await listNewestCommits(git, limit, signal);
  } catch (thrown) {
    if (!(thrown instanceof GitError)) throw thrown;
    throw new ArgusError('INVALID_INPUT', `The history could not be read: ${thrown.message}.`, { cause: thrown });
  }
}
