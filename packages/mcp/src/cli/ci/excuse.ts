/**
 * Whether a failure may pass the gate. A verdict alone is not enough, because it may rest on what the change itself did: on
 * a condition that it set, on a failure that an earlier commit of it staged, on an outage that only its own run had. So an
 * excuse needs a precedent that the change could not have made.
 */

import type { CaseRecord, VerdictKind } from 'argus-engine';

/** Verdicts by which the code of the change is not at fault. */
const EXCUSABLE: ReadonlySet<VerdictKind> = new Set(['flaky', 'infrastructure', 'order', 'environment']);

/**
 * Below that a verdict is a guess: a failure that was staged once is flaky at 53 %. Of 357 runs of six development
 * histories that failed for no fault of the change, 2 more need a second run by this bound; at 80 % it is 20 more.
 */
export const MIN_PROBABILITY = 0.7;

/** What is known of the base that a change is to be merged into. */
export interface GateBase {
  /** Commits of the base; null: the base is not known. */
  commits: ReadonlySet<string> | null;
  /** Why too little is known of it, as a sentence; null: all of its commits are here. */
  problem: string | null;
}

/** Whether the verdict is one that can be excused at all. */
export function isExcusable({ verdict }: Pick<CaseRecord, 'verdict'>): boolean {
  return verdict !== undefined && EXCUSABLE.has(verdict.kind);
}

/**
 * Why a failure with an excusable verdict fails the gate; null: it is excused. `commit`: of the run that is judged.
 * `passedAgain`: names of tests that passed when they ran again on the same files.
 */
export function refusal(
  { caseName, verdict, precedents }: CaseRecord,
  commit: string | null,
  base: GateBase,
  passedAgain: ReadonlySet<string>,
): string | null {
  if (verdict === undefined) return 'there is no verdict';
  if (passedAgain.has(caseName)) return null;
  if (precedents?.passedIn !== undefined && verdict.kind !== 'environment') return null;
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
