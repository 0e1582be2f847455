/**
 * Decides whether a run passes the gate. The gate fails on a failure that the change caused or that nothing excuses, on
 * a run with too little information, and if the excused failures do not explain why the command failed.
 */

import type { CaseRecord, MissingTestsResult, RunRecord, VerdictKind } from 'argus-engine';
import { isExpired, type QuarantinedCase, type QuarantineVersions } from '../../config/quarantine.ts';
import type { GateFailure, GateResult, StepOutcome } from '../../format/report/gate.ts';
import type { RunReport } from '../../format/report/run-report.ts';
import { formatCount } from '../../text/count.ts';

export interface GateFacts {
  /** How the step that ran the tests ended. Undefined if not given. */
  outcome: StepOutcome | undefined;
  /** Descriptions of reports that were read only in part or not at all. */
  unread: readonly string[];
  /** Reports that are part of the commit and unchanged, which means that the tests did not write them. */
  committed: readonly string[];
  /** Day in UTC, as `2026-02-03`. */
  today: string;
  base: GateBase;
  again: RerunResults;
  /**
   * Comparison with a run of the base. Null if no such run is known. Its field `baseRunId` is null if the runs have no
   * test in common.
   */
  missing: MissingTestsResult | null;
  missingFails: boolean;
  /** Messages about reasons other than failed tests why the command may have failed. */
  otherReasons: readonly string[];
}

export function judgeRun({ run, cases }: RunReport, quarantine: QuarantineVersions, facts: GateFacts): GateResult {
  const { today, base, again, missing } = facts;
  const excused = new Map(
    quarantine.counting.filter((entry) => !isExpired(entry, today)).map((entry) => [entry.case, entry]),
  );
  const failed = cases.filter(({ status }) => status === 'failed');
  const unquarantined = failed
    .filter(({ caseName }) => !excused.has(caseName))
    .map((one) => {
      const refused = isExcusable(one) ? findRefusal(one, run.gitCommit, base, again) : undefined;
      return { isExcused: refused === null, failure: { ...toGatedFailure(one), ...(refused ? { refused } : {}) } };
    });
  const failing = unquarantined.filter(({ isExcused }) => !isExcused).map(({ failure }) => failure);
  const problems = [
    ...findRunProblems(run, failed, facts),
    ...(failing.length === 0 ? findUnexplainedReasons(run, failed, facts) : []),
    ...findQuarantineProblems(quarantine, today),
  ];
  return {
    runId: run.id,
    commit: run.gitCommit,
    passes: failing.length === 0 && problems.length === 0,
    failing,
    problems,
    reported: unquarantined.filter(({ isExcused }) => isExcused).map(({ failure }) => failure),
    quarantined: failed.flatMap((one) => {
      const entry = excused.get(one.caseName);
      return entry === undefined ? [] : [{ ...toGatedFailure(one), ...pickExcuse(entry) }];
    }),
    quarantine: { from: quarantine.from, ...quarantine.change },
    missing: missing?.missing ?? [],
    notes: quarantine.notes,
  };
}

function toGatedFailure({ caseName, verdict, headline, category, causeId }: CaseRecord): GateFailure {
  return {
    caseName,
    verdict: verdict ?? null,
    headline: headline ?? '',
    category: category ?? 'UNKNOWN',
    causeId: causeId ?? null,
  };
}

function pickExcuse({ reason, owner, until }: QuarantinedCase) {
  return { reason, owner, until };
}

/**
 * Returns messages if the excused failures do not explain why the command failed, so that something else may have
 * failed.
 */
function findUnexplainedReasons(
  { status }: RunRecord,
  failed: readonly CaseRecord[],
  { outcome, missing, otherReasons }: GateFacts,
): string[] {
  if (failed.length === 0 || (status !== 'failed' && outcome !== 'failure')) return [];
  const isMissing = missing !== null && missing.missing.length > 0;
  const compared = `${missing?.missing.length} of ${missing?.ran} tests of ${missing?.baseRunId} did not run`;
  return [
    ...(isMissing ? [`${compared}, so the excused failures may not explain the failed command.`] : []),
    ...otherReasons,
  ];
}

/** Returns problems of the run that its failing cases do not show: something else failed, or failures are missing. */
function findRunProblems(
  { status, passed, failed: counted, skipped, command }: RunRecord,
  failed: readonly CaseRecord[],
  { outcome, unread, committed, missing, missingFails }: GateFacts,
): string[] {
  const reportProblems = [...unread.map(formatUnreadReport), ...committed.map(formatCommittedReport)];
  if (passed + counted + skipped === 0) return ['The run has no tests.', ...reportProblems];
  const hasFailed = status === 'failed' || outcome === 'failure';
  return [
    ...(hasFailed && failed.length === 0
      ? ['The run failed, but none of its tests failed. See the output of the command.']
      : []),
    ...(failed.some((one) => isCommandTimeout(one, command))
      ? ['The run was stopped before all of its tests had run.']
      : []),
    ...(missingFails && missing !== null ? formatMissingTests(missing) : []),
    ...(outcome === 'cancelled' || outcome === 'skipped' ? [`The tests were ${outcome}.`] : []),
    ...reportProblems,
  ];
}

function formatMissingTests({ baseRunId, missing }: MissingTestsResult): string[] {
  const setting = '(gate.missingTests is fail)';
  if (baseRunId === null) return [`None of the tests that ran is a test of the base ${setting}.`];
  return missing.length === 0 ? [] : [`${formatCount(missing.length, 'test')} of the base did not run ${setting}.`];
}

/**
 * True if a timeout stopped the command, for which the run has a case with the name of the command. Tests that did not
 * run may fail, so this failure is a problem whatever its verdict is.
 */
function isCommandTimeout({ caseName, runnerStatus }: CaseRecord, command: string | null): boolean {
  return (
    runnerStatus === 'timedOut' && command !== null && (caseName === command || caseName.endsWith(` > ${command}`))
  );
}

function formatCommittedReport(file: string): string {
  return `${file} is in the commit and unchanged, so the tests did not write it. Remove the file from git.`;
}

function formatUnreadReport(what: string): string {
  return `Not fully read, so a failure may be missing: ${what}`;
}

/**
 * Returns problems of the quarantine file as it will be after the merge, so that a change that renews or removes an
 * expired entry can pass.
 */
function findQuarantineProblems({ here, problem, change }: QuarantineVersions, today: string): string[] {
  if (problem !== null) return [problem];
  const expired = here.filter((entry) => isExpired(entry, today));
  if (expired.length === 0) return [];
  const [entry] = expired;
  const more = expired.length > 1 ? ` and ${formatCount(expired.length - 1, 'more case')}` : '';
  const addedNote = entry !== undefined && change.added.includes(entry.case) ? ', although this change adds it' : '';
  return [
    `The quarantine of ${entry?.case}${more} has expired (until ${entry?.until}, ${entry?.owner})${addedNote}: fix it, remove the entry, or set a later date.`,
  ];
}

/** Verdicts that do not blame the change. */
const EXCUSABLE_VERDICTS: ReadonlySet<VerdictKind> = new Set(['flaky', 'infrastructure', 'order', 'environment']);

/**
 * Below this probability a verdict is a guess: for example, a test that failed once although its files were unchanged
 * counts as flaky at 53 %. The bound was chosen with 357 failed runs of six projects in which the change was not at
 * fault. With this bound, 2 more runs need a rerun. With 80 %, 20 more runs need a rerun.
 */
const MIN_VERDICT_PROBABILITY = 0.7;

/**
 * If a flaky test failed in every run of the same files, and the probability of that is below this bound, chance does
 * not explain the failures.
 */
export const MIN_CHANCE_PROBABILITY = 0.05;

/** Names of tests that were rerun on the same files: `passed` passed at least once, `failed` failed every time. */
export interface RerunResults {
  passed: ReadonlySet<string>;
  failed: ReadonlySet<string>;
}

export const NO_RERUNS: RerunResults = { passed: new Set(), failed: new Set() };

/** The base into which a change is to be merged. */
export interface GateBase {
  /** Commits of the base. Null if the base is not known. */
  commits: ReadonlySet<string> | null;
  /** Explains why commits of the base are not known. Null if all are known. */
  problem: string | null;
}

/**
 * True if the verdict of the failure is one that can be excused. The verdict alone is not enough, because it may be
 * based on the change itself: on a condition that the change set, on a failure that an earlier commit of the change
 * caused on purpose, or on an outage in this run only. `findRefusal` therefore also requires a precedent that the
 * change could not have made.
 */
function isExcusable({ caseName, verdict }: Pick<CaseRecord, 'caseName' | 'verdict'>): boolean {
  // Stands for the tests that an incomplete report lacks, which have no verdict of their own.
  const isIncompleteReport = /(?:^| > )\(report\)$/u.test(caseName);
  return !isIncompleteReport && verdict !== undefined && EXCUSABLE_VERDICTS.has(verdict.kind);
}

/**
 * Returns why a failure with an excusable verdict fails the gate, or null if it is excused. `commit` is the commit of
 * the judged run.
 */
function findRefusal(
  { caseName, verdict, precedents }: CaseRecord,
  commit: string | null,
  base: GateBase,
  again: RerunResults,
): string | null {
  if (verdict === undefined) return 'the failure has no verdict';
  if (again.passed.has(caseName)) return null;
  if (precedents?.passedIn !== undefined && verdict.kind !== 'environment') return null;
  if (again.failed.has(caseName)) return 'it failed in every rerun on the same files';
  const { failedHere } = precedents ?? {};
  if (verdict.kind === 'flaky' && failedHere !== undefined && failedHere.chance < MIN_CHANCE_PROBABILITY) {
    const chance = `${(failedHere.chance * 100).toPrecision(1)} %`;
    return `it failed in all ${failedHere.runs} runs of these files, which has a probability of ${chance} by chance`;
  }
  if (verdict.probability < MIN_VERDICT_PROBABILITY) {
    return `the verdict is not certain enough to excuse it (needs ${formatPercent(MIN_VERDICT_PROBABILITY)}); argus ci --rerun runs it again`;
  }
  const isEarlierBaseCommit = (at: string) => at !== commit && base.commits?.has(at) === true;
  if (precedents?.failedAt.some(isEarlierBaseCommit) === true) return null;
  return base.problem ?? 'no run without this change failed like this; argus ci --rerun runs it again';
}

function formatPercent(probability: number): string {
  return `${Math.round(probability * 100)} %`;
}
