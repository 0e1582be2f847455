/** Reads the details of failures from the recorded run, and finds what fixed them before. */

import { EngineError, type ViewCaseResult } from 'argus-engine';
import { type GateResult, MAX_LISTED_CASES } from '../../format/report/gate.ts';
import type { Session } from '../../sessions/session.ts';
import { checkPreviousFixes } from '../../sessions/weakenings.ts';

/**
 * Adds to the failures that block the change what fixed them before, and whether that change is still in the tree. Only
 * the failures that the gate lists get it.
 */
export async function addPreviousFixes(session: Session, gate: GateResult): Promise<GateResult> {
  const listed = gate.failing.slice(0, MAX_LISTED_CASES);
  const details = await Promise.all(
    listed.map(async ({ caseName }) => {
      const { mendedBefore } = (await readFailedCase(session, gate.runId, caseName)) ?? {};
      return { caseName, ...(mendedBefore === undefined ? {} : { mendedBefore }) };
    }),
  );
  const fixes = await checkPreviousFixes(session, details);
  const failing = gate.failing.map((failure, index) => ({ ...failure, ...fixes[index] }));
  return { ...gate, failing };
}

/** Returns undefined if the run is not recorded yet. */
export async function readFailedCase(
  session: Session,
  runId: string,
  caseName: string,
): Promise<ViewCaseResult | undefined> {
  try {
    const { value } = await session.withEngine((engine) => engine.viewCase({ runId, caseName }));
    return value;
  } catch (thrown) {
    if (thrown instanceof EngineError) return undefined;
    throw thrown;
  }
}
