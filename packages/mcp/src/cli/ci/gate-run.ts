/**
 * Finds the run that the gate judges if no run is named. All work trees of a repository share a memory, so the newest
 * run may belong to another work tree or another commit, for example from a cache when the tests wrote no report.
 */

import { QUARANTINE_FILE, type RunRecord } from 'argus-engine';
import { ArgusError } from '../../errors.ts';
import { runGit } from '../../git/git.ts';
import { NOT_OURS } from '../../git/settings.ts';
import { ciFacts, gitFacts } from '../../run/git-state.ts';
import type { Session } from '../../sessions/session.ts';

/** Number of newest runs in which to look for a run of the current state. */
const MAX_RUNS = 100;

/** The state of the work tree. */
export interface StateHere {
  commit: string | null;
  /** Git's id of the tree of all files, including uncommitted changes. Null if it is not known. */
  tree: string | null;
  /**
   * True if all files of the commit are unchanged. Untracked files, such as reports that the tests wrote, may exist.
   */
  isAsCommitted: boolean;
}

/** Returns undefined (the newest run) without git, because states cannot be compared then. */
export async function runOfStateHere(session: Session): Promise<string | undefined> {
  const here = await stateHere(session.root);
  if (here === null) return undefined;
  const { value } = await session.withEngine((engine) => engine.history({ limit: MAX_RUNS }));
  if (value.runs.length === 0) return undefined;
  const run = runOf(value.runs, here);
  if (run === undefined) throw new ArgusError('REPORT_NOT_FOUND', noRunText(here));
  return run.id;
}

/** Returns the newest run of exactly these files, otherwise of the commit if its files are unchanged. */
export function runOf(runs: readonly RunRecord[], { commit, tree, isAsCommitted }: StateHere): RunRecord | undefined {
  const ofFiles = tree === null ? undefined : runs.find((run) => run.tree === tree);
  if (ofFiles !== undefined || !isAsCommitted || commit === null) return ofFiles;
  return runs.find(({ gitCommit, dirty }) => gitCommit === commit && dirty === false);
}

async function stateHere(root: string): Promise<StateHere | null> {
  const facts = await gitFacts(root);
  if (facts === null) {
    const ofCi = ciFacts();
    return ofCi && { commit: ofCi.commit ?? null, tree: null, isAsCommitted: true };
  }
  const { commit = null, tree = null, dirty } = facts;
  return { commit, tree, isAsCommitted: dirty === false || (await hasOnlyNewFiles(root)) };
}

async function hasOnlyNewFiles(root: string): Promise<boolean> {
  // Tests do not read the files of Argus, so changes to those files do not count.
  const paths = [':(top)', ...NOT_OURS, `:(exclude)${QUARANTINE_FILE}`];
  const { problem, stdout } = await runGit(root, ['status', '--porcelain', '--untracked-files=no', '--', ...paths]);
  return problem === null && stdout === '';
}

function noRunText({ commit, isAsCommitted }: StateHere): string {
  const name = commit?.slice(0, 12);
  const next = 'Run argus run or argus import first, or name a run.';
  if (isAsCommitted) return `No recorded run is of the commit that is checked out (${name}). ${next}`;
  const edited = name === undefined ? '' : ` (${name} with what is not committed)`;
  const written = 'What tests write is among them, unless .gitignore names it.';
  return `No recorded run is of the files as they lie here${edited}. ${written} ${next}`;
}
