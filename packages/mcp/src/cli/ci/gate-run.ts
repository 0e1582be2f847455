/**
 * Which run the gate judges where none is named. One memory belongs to all work trees of a repository, so the newest run
 * may be of another one, or of another commit, such as one out of a cache where the tests did not get as far as a report.
 */

import { QUARANTINE_FILE, type RunRecord } from 'argus-engine';
import { ArgusError } from '../../errors.ts';
import { runGit } from '../../git/git.ts';
import { NOT_OURS } from '../../git/settings.ts';
import { ciFacts, gitFacts } from '../../run/git-state.ts';
import type { Session } from '../../sessions/session.ts';

/** Newest runs among which one of the state here is looked for. */
const MAX_RUNS = 100;

/** What lies in the work tree. */
export interface StateHere {
  commit: string | null;
  /** Git's id of the tree of all files, with what is not committed; null where it is not known. */
  tree: string | null;
  /** All files of the commit are as it has them; others, such as reports that the tests wrote, may lie beside them. */
  isAsCommitted: boolean;
}

/** Undefined: the newest, for without git one state is not told from another. */
export async function runOfStateHere(session: Session): Promise<string | undefined> {
  const here = await stateHere(session.root);
  if (here === null) return undefined;
  const { value } = await session.withEngine((engine) => engine.history({ limit: MAX_RUNS }));
  if (value.runs.length === 0) return undefined;
  const run = runOf(value.runs, here);
  if (run === undefined) throw new ArgusError('REPORT_NOT_FOUND', noRunText(here));
  return run.id;
}

/** The newest of the very files that lie here, else of the commit where these are its own. */
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
  // No test reads what the gate itself goes by.
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
