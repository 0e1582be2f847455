/**
 * The work of the hook after its answer: records the run, updates the score and searches the memory for facts to
 * report. This code runs in a separate process, so that the agent does not wait for it.
 */

import { hostname } from 'node:os';
import type { GitFacts, RecordRunParams, RunErrors } from 'argus-engine';
import { findRejectedOption } from '../run/adapters.ts';
import { recognizeRunnerName } from '../run/planning/plan.ts';
import type { Session } from '../sessions/session.ts';
import { SessionManager } from '../sessions/session-manager.ts';
import { createTemporaryFolder } from '../system/files/temporary.ts';
import { createCommandCaseName, createCommandRun, type EndedCommand, type Signer, withSigner } from './command-run.ts';
import { addFailureMark, removeFailureMark } from './failure-marks.ts';
import { collectHints } from './hints/collect-hints.ts';
import { computeMemoryStamp, findHookLocation, type HookLocation } from './hook-location.ts';
import { judgeMessages } from './score.ts';
import { HookState, type StateLine } from './state.ts';

/** A job for the separate process: `ready` only searches for facts to report, and `ended` also records a command. */
export type HookJob =
  | { kind: 'ready'; folder: string }
  | {
      kind: 'ended';
      ended: EndedCommand;
      session: string;
      key: string;
      /** The state of git at the end of the command, before the agent could change files. */
      git: GitFacts | null;
      said?: string | undefined;
    };

export async function runJob(job: HookJob): Promise<void> {
  const folder = job.kind === 'ready' ? job.folder : job.ended.recognized.folder;
  const place = await findHookLocation(folder);
  if (place === undefined) return;
  await withHookSession(folder, async (session) => {
    if (!(await session.hasMemory())) return;
    if (job.kind === 'ended') await recordCommand(job, session, place);
    await refreshHints(session, place);
  });
  HookState.read(place.folder).compact();
}

/** Opens a project with the options of the hook. */
export async function withHookSession<T>(folder: string, run: (session: Session) => Promise<T>): Promise<T> {
  const sessionManager = new SessionManager({
    recorder: { by: 'hook', from: hostname() },
    adoptsForeign: false,
    isImpatient: true,
  });
  try {
    return await run(await sessionManager.init(folder));
  } finally {
    await sessionManager.closeAll();
  }
}

async function recordCommand(
  { ended, session: agentSession, key, git, said }: Extract<HookJob, { kind: 'ended' }>,
  session: Session,
  place: HookLocation,
): Promise<void> {
  const { event, recognized } = ended;
  const runner = recognizeRunnerName(recognized.command, recognized.folder);
  if (ended.ending === 'failed' && findRejectedOption(runner, recognized.command, event.output) !== undefined) return;
  const dir = createTemporaryFolder('hook');
  try {
    const state = HookState.read(place.folder);
    const { ending, at } = ended;
    const [tree, clean] = [git?.tree ?? null, git?.dirty === false];
    const isKnown = ending === 'passed' && isKnownPass(state, key, tree, clean);
    let runErrors: RunErrors = { errors: [], ofCommand: true };
    let cases: string[] = [];
    if (!isKnown) {
      const failed = state.findOpenFailure(key)?.cases ?? [];
      let run = createCommandRun(ended, session.project, git, dir.path, failed);
      if (ending === 'failed') {
        runErrors = await withSigner(session.config, session.project.top, async (signer) => {
          if (!ended.isCertain) run = await keepFailedCases(run, signer);
          return signer.runErrors(run);
        });
      }
      const caseErrors = runErrors.ofCommand ? [] : runErrors.errors;
      cases = caseErrors.length > 0 ? caseErrors.map(({ caseName }) => caseName) : [createCommandCaseName(run)];
      await session.recordRun(run);
    }
    const families = runErrors.errors.map(({ family }) => family);
    const lines: StateLine[] = [];
    if (ending === 'failed') lines.push({ t: 'failed', key, at, tree, clean, families, cases });
    else if (!isKnown) lines.push({ t: 'passed', key, at, tree, clean });
    lines.push(...judgeMessages(state, { session: agentSession, key, tree, ending, families }, at));
    if (said !== undefined) lines.push({ t: 'on', id: said, tree });
    if (lines.length > 0) state.append(...lines);
    if (state.findOpenFailure(key) === undefined) removeFailureMark(ended.recognized);
    else addFailureMark(ended.recognized);
  } finally {
    dir.remove();
  }
}

/** Removes passed cases that were only read from the output, because a pass proves a fix. */
async function keepFailedCases(run: RecordRunParams, signer: Signer): Promise<RecordRunParams> {
  const prepared = await signer.prepareRun(run);
  return { ...prepared, cases: (prepared.cases ?? []).filter(({ status }) => status === 'failed') };
}

/** True if the command already passed with the same files since its last failure, and that pass is recorded. */
function isKnownPass(state: HookState, key: string, tree: string | null, clean: boolean): boolean {
  const pass = state.findLastPass(key);
  const failure = state.findOpenFailure(key);
  if (pass === undefined || tree === null || (failure !== undefined && failure.at > pass.at)) return false;
  return pass.tree === tree && pass.clean === clean;
}

/** Searches for facts to report if the databases changed since the last search. */
export async function refreshHints(session: Session, place: HookLocation): Promise<void> {
  const stamp = computeMemoryStamp(place);
  const state = HookState.read(place.folder);
  if (state.findLast('stamp')?.stamp === stamp) return;
  const previous = state.findLast('earned')?.entries ?? [];
  const entries = await collectHints(session, previous);
  const isSame = entries.map(({ of }) => of).join() === previous.map(({ of }) => of).join();
  state.append(...(isSame ? [] : [{ t: 'earned', entries } as const]), { t: 'stamp', stamp });
}
