/**
 * Whether a reported fix left the test as it was: what differs between the commit on which it failed and the work tree.
 * Nothing of the diff leaves this machine.
 */

import type { RunRecord, Weakening } from 'argus-engine';
import { ArgusError } from '../errors.ts';
import type { Session } from './session.ts';
import { weakenings } from './weakenings.ts';

/** Throws where the test, or how tests are run, is another than when it failed. */
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
  // What was edited then is not known whole.
  if (gitCommit === null || dirty !== false) return [];
  return weakenings(session, ['diff-index', gitCommit], caseName);
}

/** Of a run that is not to be read, as one that waits for the database, nothing is known. */
async function stateOfRun(session: Session, runId: string): Promise<Pick<RunRecord, 'gitCommit' | 'dirty'>> {
  try {
    return (await session.withEngine((engine) => engine.runDetail({ runId, limit: 1 }))).value.run;
  } catch {
    return { gitCommit: null, dirty: null };
  }
}
