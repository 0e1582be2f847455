/** Adds fixes that this machine learned before the repository belonged to a team. */

import type { DiagnosticResult, FailureBrief, KnownPattern, RecordRunParams, RunResult } from 'argus-engine';
import { messageOf } from '../../errors.ts';
import { log } from '../../log.ts';
import type { Store } from '../../storage/database.ts';

type Fix = Pick<DiagnosticResult, 'suggestedFix' | 'suggestedFrom' | 'tried' | 'claimed' | 'standing'>;

/** Returns nothing if the team knows a fix, or if this machine knows none. */
export async function ownFix(
  { signature, fixHistory, suggestedFrom }: DiagnosticResult,
  local: Store,
): Promise<Partial<Fix>> {
  if (fixHistory.length > 0 || suggestedFrom !== undefined) return {};
  const { value: known } = await local.read((engine) => engine.findBySignature({ signature }));
  if (known === null || known.source === 'built-in' || known.suggestedFix === null) return {};
  const { id: patternId, suggestedFix, confidence, tried, claimed, standing, signaturePattern } = known;
  const [, caseName = ''] = signaturePattern.split('::');
  return {
    suggestedFix,
    suggestedFrom: { patternId, caseName, confidence },
    ...(tried === undefined ? {} : { tried }),
    ...(claimed === undefined ? {} : { claimed }),
    ...(standing === undefined ? {} : { standing }),
  };
}

/** Like `ownFix` for the failures of a run, which was recorded with the team or waits for it. */
export async function withOwnFixes(result: RunResult, params: RecordRunParams, local: Store): Promise<RunResult> {
  if (result.failures.every(({ known }) => isFixed(known))) return result;
  try {
    const { value: own } = await local.read((engine) => engine.knownFailures(params));
    const byCase = new Map(own.map((failure) => [failure.caseName, failure]));
    const failures = result.failures.map((failure) => withOwn(failure, byCase.get(failure.caseName)));
    return { ...result, failures };
  } catch (thrown) {
    // The run is already recorded, so this error must not fail the call.
    log(`What this machine knows of the run could not be read: ${messageOf(thrown)}`);
    return result;
  }
}

/** Only this machine knows what it has learned from commits, so `changedBefore` always comes from here. */
function withOwn(failure: FailureBrief, here: FailureBrief | undefined): FailureBrief {
  if (here === undefined || isFixed(failure.known)) return failure;
  const { changedBefore } = here;
  return withOwnFix(changedBefore === undefined ? failure : { ...failure, changedBefore }, here.known);
}

function withOwnFix(failure: FailureBrief, own: KnownPattern | null): FailureBrief {
  const { known, caseName } = failure;
  if (own === null) return failure;
  if (known === null) return { ...failure, known: own };
  if (!isFixed(own)) return failure;
  const { patternId, confidence, suggestedFrom = { patternId, caseName, confidence } } = own;
  return { ...failure, known: { ...own, patternId: known.patternId, suggestedFrom } };
}

/** Returns true if a fix is known. A built-in tip that has never been tried does not count as a fix. */
function isFixed(known: KnownPattern | null): boolean {
  return known?.tried !== undefined && known.suggestedFix !== null;
}
