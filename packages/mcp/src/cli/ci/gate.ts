/**
 * The command `gate`: decides whether a change may be merged with the failures of a run. The options are in
 * ci-program.ts.
 */

import { QUARANTINE_FILE, type RunRecord } from 'argus-engine';
import { ArgusError } from '../../errors.ts';
import { formatGate, type GateResult } from '../../format/report/gate.ts';
import { runGit } from '../../git/git.ts';
import { EXCLUDE_ARGUS_FILES } from '../../git/settings.ts';
import { createCiFacts, readGitFacts } from '../../run/git-state.ts';
import type { Session } from '../../sessions/session.ts';
import { readRunReport } from '../failures/report.ts';
import { EXIT_CODES } from '../terminal/exit.ts';
import { type GlobalOptions, runProjectCommand } from '../terminal/output.ts';
import { collectGateFacts, type GateOptions, loadGateConfig } from './gate-facts.ts';
import { judgeRun, NO_RERUNS } from './gate-judgement.ts';
import { addPreviousFixes } from './previous-fixes.ts';

export async function runGateCommand(runId: string | undefined, options: GateOptions & GlobalOptions): Promise<void> {
  await runProjectCommand(options, ({ session }) => judgeNamedRun(session, runId, options), formatGate, {
    exitCode: getGateExitCode,
    reviseConfig: (project, loaded) => loadGateConfig(project, loaded, options.base),
  });
}

export const getGateExitCode = ({ passes }: GateResult) => (passes ? EXIT_CODES.done : EXIT_CODES.failures);

async function judgeNamedRun(session: Session, runId: string | undefined, options: GateOptions): Promise<GateResult> {
  const report = await readRunReport(session, runId ?? (await findRunOfWorkTree(session)), undefined);
  const { facts, quarantine } = await collectGateFacts(session, report.run, options);
  const judged = judgeRun(report, quarantine, { ...facts, unread: [], committed: [], again: NO_RERUNS });
  return addPreviousFixes(session, judged);
}

/*
 * Finds the run that the gate judges if the user names none. Only runs of tests count. All work trees of a repository
 * share a memory, so the newest run may belong to another work tree or another commit, for example if a cache skipped
 * the tests.
 */

/** Number of newest runs in which to look for a run of the current state. */
const MAX_RUNS = 100;

/** The files of the work tree. */
export interface WorkTreeState {
  commit: string | null;
  /** Git's id of the tree of all files, including uncommitted changes. Null if the id is not known. */
  tree: string | null;
  /**
   * True if all tracked files are as in the commit. Untracked files may exist, such as reports that the tests wrote.
   */
  isAsCommitted: boolean;
}

/**
 * Returns the newest run of tests for the files of the work tree. Without git, all runs are considered, because their
 * files are not known. Returns undefined if no run is recorded.
 */
async function findRunOfWorkTree(session: Session): Promise<string | undefined> {
  const here = await readWorkTreeState(session.root);
  const { value } = await session.withEngine((engine) => engine.history({ limit: MAX_RUNS }));
  if (value.runs.length === 0) return undefined;
  const runs = here === null ? value.runs : findRunsOfState(value.runs, here);
  const [newest] = runs;
  if (newest === undefined) throw new ArgusError('REPORT_NOT_FOUND', formatNoRun(here ?? UNKNOWN_STATE));
  for (const run of runs) if (await isTestRun(session, run)) return run.id;
  return newest.id;
}

const UNKNOWN_STATE: WorkTreeState = { commit: null, tree: null, isAsCommitted: false };

/**
 * Returns the runs of exactly these files; if there are none and the files are as committed, returns the runs of the
 * commit. The run that was recorded last comes first. The order is that of recording, because a report may contain a
 * wrong time.
 */
export function findRunsOfState(
  all: readonly RunRecord[],
  { commit, tree, isAsCommitted }: WorkTreeState,
): RunRecord[] {
  const runs = all.toSorted((one, other) => getRecordingTimeMs(other) - getRecordingTimeMs(one));
  const runsOfFiles = tree === null ? [] : runs.filter((run) => run.tree === tree);
  if (runsOfFiles.length > 0 || !isAsCommitted || commit === null) return runsOfFiles;
  return runs.filter(({ gitCommit, dirty }) => gitCommit === commit && dirty === false);
}

/**
 * Returns the time in the id, which is a UUID of version 7, in milliseconds. Imported runs have other ids, so their
 * start counts.
 */
function getRecordingTimeMs({ id, timestamp }: RunRecord): number {
  const [, high = '', low = ''] = /^run-([\da-f]{8})-([\da-f]{4})-7/u.exec(id) ?? [];
  return high === '' ? Date.parse(timestamp) : Number.parseInt(`${high}${low}`, 16);
}

/**
 * False for a command that is not a test, such as `argus run "echo hi"`: its only case is the command itself, and the
 * command is not the test command of the project.
 */
async function isTestRun(session: Session, { id, command, passed, failed, skipped }: RunRecord): Promise<boolean> {
  if (command === null || passed + failed + skipped !== 1 || command === session.testPlace.command) return true;
  const { value } = await session.withEngine((engine) => engine.runDetail({ runId: id, limit: 1 }));
  return !value.cases.some(({ caseName }) => caseName === command || caseName.endsWith(` > ${command}`));
}

async function readWorkTreeState(root: string): Promise<WorkTreeState | null> {
  const facts = await readGitFacts(root);
  if (facts === null) {
    const gitOfCi = createCiFacts();
    return gitOfCi && { commit: gitOfCi.commit ?? null, tree: null, isAsCommitted: true };
  }
  const { commit = null, tree = null, dirty } = facts;
  return { commit, tree, isAsCommitted: dirty === false || (await isUnchangedExceptNewFiles(root)) };
}

async function isUnchangedExceptNewFiles(root: string): Promise<boolean> {
  // Tests do not read the files of Argus, so changes to the files of Argus do not count.
  const paths = [':(top)', ...EXCLUDE_ARGUS_FILES, `:(exclude)${QUARANTINE_FILE}`];
  const { problem, stdout } = await runGit(root, ['status', '--porcelain', '--untracked-files=no', '--', ...paths]);
  return problem === null && stdout === '';
}

function formatNoRun({ commit, isAsCommitted }: WorkTreeState): string {
  const name = commit?.slice(0, 12);
  const next = 'Call argus run or argus import first, or name a run.';
  if (isAsCommitted) return `No run of the checked-out commit (${name}) is recorded. ${next}`;
  const edited = name === undefined ? '' : ` (${name} with uncommitted changes)`;
  const written = 'Files that tests write count too, unless .gitignore lists them.';
  return `No run of the current files${edited} is recorded. ${written} ${next}`;
}
