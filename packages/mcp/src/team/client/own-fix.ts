/** What has fixed a failure on this machine, before its repository belonged to a team. */

import type { DiagnosticResult } from 'argus-engine';
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
