/**
 * Checks that a reported fix did not change the test. It compares the commit on which the test failed with the work
 * tree by the same rule as the fix loop (`crates/core/src/fix_loop/weakened.rs`). The diff never leaves this machine.
 */

import type { RunRecord, Weakening } from 'argus-engine';
import { ArgusError } from '../errors.ts';
import type { Session } from './session.ts';
import { weakenings } from './weakenings.ts';

/** Throws if the test, or the way in which tests are run, has changed since the failure. */
export async function requireSameTest(session: Session, runId: string, caseName: string): Promise<void> {
  const [first] = await changesOfTest(session, runId, caseName);
  if (first === undefined) return;
  const { file, line, kind, text } = first;
  const where = `${file}:${line} (${kind.replaceAll('_', ' ')}: ${text})`;
  const advice = 'Restore it and run it again, or report with success: false.';
  throw new ArgusError(
    'INVALID_INPUT',
    `The test is not as it was when it failed, at ${where}. A fix leaves it as it is, so nothing was learned. ${advice}`,
  );
}

async function changesOfTest(session: Session, runId: string, caseName: string): Promise<Weakening[]> {
  const { gitCommit, dirty } = await stateOfRun(session, runId);
  // The state of the test at the failure is unknown if the work tree had uncommitted changes.
  if (gitCommit === null || dirty !== false) return [];
  return weakenings(session, ['diff-index', gitCommit], caseName);
}

/** Returns nulls for a run that cannot be read, for example a run that still waits for the database. */
async function stateOfRun(session: Session, runId: string): Promise<Pick<RunRecord, 'gitCommit' | 'dirty'>> {
  try {
    return (await session.withEngine((engine) => engine.runDetail({ runId, limit: 1 }))).value.run;
  } catch {
    return { gitCommit: null, dirty: null };
  }
}
