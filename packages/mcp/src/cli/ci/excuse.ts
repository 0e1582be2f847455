/**
 * Decides whether a failure may pass the gate. A verdict is not enough, because it may be based on the change itself:
 * on a condition that the change set, on a failure that an earlier commit of the change staged, or on an outage in its
 * own run only. So an excuse needs a precedent that the change could not have made.
 */

import type { CaseRecord, VerdictKind } from 'argus-engine';

/** Verdicts that do not blame the code of the change. */
const EXCUSABLE: ReadonlySet<VerdictKind> = new Set(['flaky', 'infrastructure', 'order', 'environment']);

/**
 * Below this probability a verdict is a guess: for example, a failure that was staged once counts as flaky at 53 %. Of
 * 357 runs of six development histories that failed through no fault of the change, this bound makes 2 more need a
 * second run; a bound of 80 % makes 20 more.
 */
export const MIN_PROBABILITY = 0.7;

/** Below this chance, a flaky test that failed in each run of the same files did not fail by chance. */
export const MIN_CHANCE = 0.05;

/** Names of tests that ran again on the same files: tests that passed at least once, and tests that never passed. */
export interface RanAgain {
  passed: ReadonlySet<string>;
  failed: ReadonlySet<string>;
}

export const NOTHING_AGAIN: RanAgain = { passed: new Set(), failed: new Set() };

/** The base into which a change is to be merged. */
export interface GateBase {
  /** Commits of the base. Null if the base is not known. */
  commits: ReadonlySet<string> | null;
  /** A sentence that explains why the commits are incomplete. Null if all commits are here. */
  problem: string | null;
}

export function isExcusable({ verdict }: Pick<CaseRecord, 'verdict'>): boolean {
  return verdict !== undefined && EXCUSABLE.has(verdict.kind);
}

/**
 * Returns why a failure with an excusable verdict fails the gate, or null if it is excused. `commit` is the commit of
 * the judged run.
 */
export function refusal(
  { caseName, verdict, precedents }: CaseRecord,
  commit: string | null,
  base: GateBase,
  again: RanAgain,
): string | null {
  if (verdict === undefined) return 'there is no verdict';
  if (again.passed.has(caseName)) return null;
  if (precedents?.passedIn !== undefined && verdict.kind !== 'environment') return null;
  if (again.failed.has(caseName)) return 'it failed again each time that it ran again on the same files';
  const { failedHere } = precedents ?? {};
  if (verdict.kind === 'flaky' && failedHere !== undefined && failedHere.chance < MIN_CHANCE) {
    const chance = `${(failedHere.chance * 100).toPrecision(1)} %`;
    return `it failed in each of ${failedHere.runs} runs of these files, which happens by chance in ${chance} of the cases`;
  }
  if (verdict.probability < MIN_PROBABILITY) {
    return `not sure enough to be excused (${percent(MIN_PROBABILITY)}); argus ci --rerun runs it again`;
  }
  const isOfBase = (at: string) => at !== commit && base.commits?.has(at) === true;
  if (precedents?.failedAt.some(isOfBase) === true) return null;
  return base.problem ?? 'no run without this change failed like this; argus ci --rerun runs it again';
}

function percent(probability: number): string {
  return `${Math.round(probability * 100)} %`;
}
