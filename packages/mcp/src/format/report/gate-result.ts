/** The result of argus gate. */

import type { BriefVerdict } from 'argus-engine';

export interface GatedFailure {
  caseName: string;
  /** Null if the run was recorded without verdicts. */
  verdict: BriefVerdict | null;
  headline: string;
  category: string;
  causeId: string | null;
  /** The reason why the gate does not excuse the failure, although the verdict does not blame the change. */
  refused?: string;
}

export interface GateResult {
  runId: string;
  commit: string | null;
  passes: boolean;
  /** Failures that fail the gate. */
  failing: GatedFailure[];
  /** Other problems that fail the gate. */
  problems: string[];
  /** Failures that do not fail the gate. */
  reported: GatedFailure[];
  quarantined: (GatedFailure & { reason: string; owner: string; until: string })[];
  /** The source of the quarantine, and the cases whose entries the change adds, changes or removes. */
  quarantine: { from: string | null; added: string[]; changed: string[]; removed: string[] };
  /** Tests of the base that did not run, because they were deleted, renamed or skipped. */
  missing: string[];
  notes: string[];
}

/** Changed entries, which a reviewer must see because they take effect only after the merge. */
export function quarantineChangeText({ quarantine }: Pick<GateResult, 'quarantine'>): string[] {
  const { added, changed, removed } = quarantine;
  return [
    ...added.map((name) => `added: ${name}`),
    ...changed.map((name) => `changed: ${name}`),
    ...removed.map((name) => `removed: ${name}`),
  ];
}
