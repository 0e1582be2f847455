/** What has fixed a failure on this machine, before its repository belonged to a team. */

import type { DiagnosticResult, FailureBrief, KnownPattern, RecordRunParams, RunResult } from 'argus-engine';
import { messageOf } from '../../errors.ts';
import { log } from '../../log.ts';
import type { Store } from '../../storage/database.ts';

type Fix = Pick<DiagnosticResult, 'suggestedFix' | 'suggestedFrom' | 'tried' | 'claimed' | 'standing'>;

/** Nothing where the team knows a fix of its own, or this machine none. */
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

/** The same for the failures of a run, which was recorded with the team or waits for it. */
export async function withOwnFixes(result: RunResult, params: RecordRunParams, local: Store): Promise<RunResult> {
  if (result.failures.every(({ known }) => isFixed(known))) return result;
  try {
    const { value: own } = await local.read((engine) => engine.knownFailures(params));
    const byCase = new Map(own.map((failure) => [failure.caseName, failure]));
    const failures = result.failures.map((failure) => withOwn(failure, byCase.get(failure.caseName)));
    return { ...result, failures };
  } catch (thrown) {
    // The run is recorded, whatever becomes of this.
    log(`What this machine knows of the run could not be read: ${messageOf(thrown)}`);
    return result;
  }
}

/** What was learned of commits is this machine's alone. */
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

/** A tip of a built-in that nobody tried fixed nothing. */
function isFixed(known: KnownPattern | null): boolean {
  return known?.tried !== undefined && known.suggestedFix !== null;
}
