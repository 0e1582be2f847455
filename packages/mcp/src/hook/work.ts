/**
 * The work of the hook after its answer: records the run, updates the score and searches the memory for facts to
 * report. It runs in a separate process, so that the agent does not wait for it.
 */

import { hostname } from 'node:os';
import type { GitFacts, RecordRunParams, RunErrors } from 'argus-engine';
import type { Session } from '../sessions/session.ts';
import { SessionManager } from '../sessions/session-manager.ts';
import { temporaryFolder } from '../system/files/temporary.ts';
import { lookForEarned } from './earned/look-for-earned.ts';
import { type Signer, signing } from './earned/signing.ts';
import { type HookPlace, placeOf, stampOf } from './place.ts';
import { forget, remember } from './remembered.ts';
import { commandName, type Ended, runOf } from './run-of.ts';
import { judged } from './score.ts';
import { HookState, type Line } from './state.ts';

/** The work for the separate process. */
export type Job =
  | { kind: 'ready'; folder: string }
  | {
      kind: 'ended';
      ended: Ended;
      session: string;
      key: string;
      /** The work tree at the end of the command, before the agent could change it. */
      git: GitFacts | null;
      said?: string | undefined;
    };

export async function work(job: Job): Promise<void> {
  const folder = job.kind === 'ready' ? job.folder : job.ended.recognised.folder;
  const place = await placeOf(folder);
  if (place === undefined) return;
  await withSession(folder, async (session) => {
    if (!(await session.hasMemory())) return;
    if (job.kind === 'ended') await record(job, session, place);
    await getReady(session, place);
  });
  HookState.read(place.folder).compact();
}

/** Opens a project with the options of a hook. */
export async function withSession<T>(folder: string, use: (session: Session) => Promise<T>): Promise<T> {
  const sessionManager = new SessionManager({
    recorder: { by: 'hook', from: hostname() },
    adopts: false,
    isImpatient: true,
  });
  try {
    return await use(await sessionManager.init(folder));
  } finally {
    await sessionManager.closeAll();
  }
}

async function record(
  { ended, session: of, key, git, said }: Extract<Job, { kind: 'ended' }>,
  session: Session,
  place: HookPlace,
): Promise<void> {
  const dir = temporaryFolder('hook');
  try {
    const state = HookState.read(place.folder);
    const { ending, at } = ended;
    const [tree, clean] = [git?.tree ?? null, git?.dirty === false];
    const isKnown = ending === 'passed' && isSamePass(state, key, tree, clean);
    let told: RunErrors = { errors: [], ofCommand: true };
    let cases: string[] = [];
    if (!isKnown) {
      const failed = state.failure(key)?.cases ?? [];
      let run = runOf(ended, session.project, git, dir.path, failed);
      if (ending === 'failed') {
        told = await signing(session.config, session.project.top, async (signer) => {
          if (!ended.isTold) run = await failuresOf(run, signer);
          return signer.runErrors(run);
        });
      }
      const ofCases = told.ofCommand ? [] : told.errors;
      cases = ofCases.length > 0 ? ofCases.map(({ caseName }) => caseName) : [commandName(run)];
      await session.recordRun(run);
    }
    const families = told.errors.map(({ family }) => family);
    const lines: Line[] = [];
    if (ending === 'failed') lines.push({ t: 'failed', key, at, tree, clean, families, cases });
    else if (!isKnown) lines.push({ t: 'passed', key, at, tree, clean });
    lines.push(...judged(state, { session: of, key, tree, ending, families }, at));
    if (said !== undefined) lines.push({ t: 'on', id: said, tree });
    if (lines.length > 0) state.add(...lines);
    if (state.failure(key) === undefined) forget(ended.recognised);
    else remember(ended.recognised);
  } finally {
    dir.remove();
  }
}

/** Drops passed cases that were only read from the output, because a pass proves a fix. */
async function failuresOf(run: RecordRunParams, signer: Signer): Promise<RecordRunParams> {
  const prepared = await signer.prepareRun(run);
  return { ...prepared, cases: (prepared.cases ?? []).filter(({ status }) => status === 'failed') };
}

/** Returns true if the command already passed on the same files since it failed, and that pass is recorded. */
function isSamePass(state: HookState, key: string, tree: string | null, clean: boolean): boolean {
  const pass = state.lastPass(key);
  const failure = state.failure(key);
  if (pass === undefined || tree === null || (failure !== undefined && failure.at > pass.at)) return false;
  return pass.tree === tree && pass.clean === clean;
}

/** Searches for facts to report if the databases changed since the last search. */
export async function getReady(session: Session, place: HookPlace): Promise<void> {
  const stamp = stampOf(place);
  const state = HookState.read(place.folder);
  if (state.last('stamp')?.stamp === stamp) return;
  const before = state.last('earned')?.entries ?? [];
  const entries = await lookForEarned(session, before);
  const isSame = entries.map(({ of }) => of).join() === before.map(({ of }) => of).join();
  state.add(...(isSame ? [] : [{ t: 'earned', entries } as const]), { t: 'stamp', stamp });
}
