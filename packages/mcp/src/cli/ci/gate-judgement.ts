/**
 * Judges a run. The gate fails on a failure that the change caused or that nothing excuses (excuse.ts), on a run with
 * too little information, and if the excused failures do not explain why the command failed.
 */

import type { CaseRecord, MissingTestsResult, RunRecord } from 'argus-engine';
import { isExpired, type QuarantinedCase } from '../../config/quarantine.ts';
import type { QuarantineVersions } from '../../config/quarantine-versions.ts';
import type { GatedFailure, GateResult } from '../../format/report/gate-result.ts';
import type { RunReport } from '../../format/report/run-report.ts';
import { count } from '../../text/count.ts';
import { type GateBase, isExcusable, type RanAgain, refusal } from './excuse.ts';
import type { Outcome } from './outcomes.ts';

export interface GateFacts {
  /** How the tests ended, from the step that started them. Undefined if not given. */
  outcome: Outcome | undefined;
  /** Reports that could be read only in part or not at all. */
  unread: readonly string[];
  /** Day in UTC, as `2026-02-03`. */
  today: string;
  base: GateBase;
  again: RanAgain;
  /** Comparison with a run of the base. Null if no such run is known. */
  missing: MissingTestsResult | null;
  missingFails: boolean;
  /** Sentences about other reasons why the command may have failed, beside failed tests. */
  otherReasons: readonly string[];
}

export function judge({ run, cases }: RunReport, quarantine: QuarantineVersions, facts: GateFacts): GateResult {
  const { today, base, again, missing } = facts;
  const excused = new Map(
    quarantine.counting.filter((entry) => !isExpired(entry, today)).map((entry) => [entry.case, entry]),
  );
  const failed = cases.filter(({ status }) => status === 'failed');
  const own = failed
    .filter(({ caseName }) => !excused.has(caseName))
    .map((one) => {
      const refused = isExcusable(one) ? refusal(one, run.gitCommit, base, again) : undefined;
      return { isExcused: refused === null, failure: { ...gated(one), ...(refused ? { refused } : {}) } };
    });
  const failing = own.filter(({ isExcused }) => !isExcused).map(({ failure }) => failure);
  const problems = [
    ...problemsOfRun(run, failed, facts),
    ...(failing.length === 0 ? unexplained(run, failed, facts) : []),
    ...problemsOfFile(quarantine, today),
  ];
  return {
    runId: run.id,
    commit: run.gitCommit,
    passes: failing.length === 0 && problems.length === 0,
    failing,
    problems,
    reported: own.filter(({ isExcused }) => isExcused).map(({ failure }) => failure),
    quarantined: failed.flatMap((one) => {
      const entry = excused.get(one.caseName);
      return entry === undefined ? [] : [{ ...gated(one), ...excuse(entry) }];
    }),
    quarantine: { from: quarantine.from, ...quarantine.change },
    missing: missing?.missing ?? [],
    notes: quarantine.notes,
  };
}

function gated({ caseName, verdict, headline, category, causeId }: CaseRecord): GatedFailure {
  return {
    caseName,
    verdict: verdict ?? null,
    headline: headline ?? '',
    category: category ?? 'UNKNOWN',
    causeId: causeId ?? null,
  };
}

function excuse({ reason, owner, until }: QuarantinedCase) {
  return { reason, owner, until };
}

/**
 * Returns why the excused failures do not explain the failed command, because something else may have failed as well.
 */
function unexplained(
  { status }: RunRecord,
  failed: readonly CaseRecord[],
  { outcome, missing, otherReasons }: GateFacts,
): string[] {
  if (failed.length === 0 || (status !== 'failed' && outcome !== 'failure')) return [];
  const isMissing = missing !== null && missing.missing.length > 0;
  const compared = `${missing?.missing.length} of ${missing?.ran} tests of ${missing?.baseRunId} did not run`;
  return [...(isMissing ? [`${compared}, so the failures that are excused may not be all.`] : []), ...otherReasons];
}

/** Returns problems that the failing cases do not show: something else failed, or some failures are missing. */
function problemsOfRun(
  { status, passed, failed: counted, skipped, command }: RunRecord,
  failed: readonly CaseRecord[],
  { outcome, unread, missing, missingFails }: GateFacts,
): string[] {
  if (passed + counted + skipped === 0) return ['The run has no test.', ...unread.map(unreadText)];
  const hasFailed = status === 'failed' || outcome === 'failure';
  return [
    ...(hasFailed && failed.length === 0
      ? ['The run failed, but no test of it did: see what the command printed.']
      : []),
    ...(failed.some((one) => isCutOff(one, command)) ? ['The run was ended before all of its tests had run.'] : []),
    ...(missingFails && missing !== null && missing.missing.length > 0
      ? [`${count(missing.missing.length, 'test')} of the base did not run (gate.missingTests is fail).`]
      : []),
    ...(outcome === 'cancelled' || outcome === 'skipped' ? [`The tests were ${outcome}.`] : []),
    ...unread.map(unreadText),
  ];
}

/** True for the command's own case after a timeout. Tests that had not run yet may fail, whatever the verdict is. */
function isCutOff({ caseName, runnerStatus }: CaseRecord, command: string | null): boolean {
  return (
    runnerStatus === 'timedOut' && command !== null && (caseName === command || caseName.endsWith(` > ${command}`))
  );
}

function unreadText(what: string): string {
  return `Not read in whole, so a failure may be missing: ${what}`;
}

/**
 * Checks the quarantine file as it is after the merge, so that a change that renews or removes an expired entry can
 * pass.
 */
function problemsOfFile({ here, problem, change }: QuarantineVersions, today: string): string[] {
  if (problem !== null) return [problem];
  const expired = here.filter((entry) => isExpired(entry, today));
  if (expired.length === 0) return [];
  const [entry] = expired;
  const more = expired.length > 1 ? ` and ${count(expired.length - 1, 'more case')}` : '';
  const isOwn = entry !== undefined && change.added.includes(entry.case) ? ', although this change adds it' : '';
  return [
    `The quarantine of ${entry?.case}${more} is over (until ${entry?.until}, ${entry?.owner})${isOwn}: mend it, remove the entry, or say a later day.`,
  ];
}
