/** What argus gate answers. */

import type { BriefVerdict } from 'argus-engine';

export interface GatedFailure {
  caseName: string;
  /** Null: the run was recorded without verdicts. */
  verdict: BriefVerdict | null;
  headline: string;
  category: string;
  causeId: string | null;
  /** Why the gate does not excuse it, though its verdict is not the fault of the change. */
  refused?: string;
}

export interface GateResult {
  runId: string;
  commit: string | null;
  passes: boolean;
  /** These fail it. */
  failing: GatedFailure[];
  /** So does each of these: what is no failure of a case. */
  problems: string[];
  /** These do not. */
  reported: GatedFailure[];
  quarantined: (GatedFailure & { reason: string; owner: string; until: string })[];
  /** Where the quarantine is from, and the cases whose entries the change adds, changes or removes. */
  quarantine: { from: string | null; added: string[]; changed: string[]; removed: string[] };
  /** Tests of the base that did not run: deleted, renamed or skipped. */
  missing: string[];
  notes: string[];
}

/** What a reviewer must see: entries that count once the change is taken in, and not before. */
export function quarantineChangeText({ quarantine }: Pick<GateResult, 'quarantine'>): string[] {
  const { added, changed, removed } = quarantine;
  return [
    ...added.map((name) => `added: ${name}`),
    ...changed.map((name) => `changed: ${name}`),
    ...removed.map((name) => `removed: ${name}`),
  ];
}
