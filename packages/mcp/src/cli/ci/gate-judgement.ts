/**
 * What fails the gate. A failure that a change began, or that the code has, fails it; one that came by chance, by the
 * machine, by another test or by the environment is reported: the change began none of them. What the runs do not say, and
 * what no earlier run knows, fails it, for nothing speaks for the change then.
 */

import type { CaseRecord, RunRecord, VerdictKind } from 'argus-engine';
import { isExpired, type QuarantinedCase } from '../../config/quarantine.ts';
import type { QuarantineVersions } from '../../config/quarantine-versions.ts';
import type { GatedFailure, GateResult } from '../../format/report/gate-result.ts';
import type { RunReport } from '../../format/report/run-report.ts';
import { count } from '../../text/count.ts';
import type { Outcome } from './outcomes.ts';

const LET_PASS: ReadonlySet<VerdictKind> = new Set(['flaky', 'infrastructure', 'order', 'environment']);

export interface GateFacts {
  /** How the tests ended by what started them; undefined: not told. */
  outcome: Outcome | undefined;
  /** Reports that could not be read in whole. */
  unread: readonly string[];
  /** Day in UTC, as `2026-02-03`. */
  today: string;
}

export function judge({ run, cases }: RunReport, quarantine: QuarantineVersions, facts: GateFacts): GateResult {
  const { today } = facts;
  const excused = new Map(
    quarantine.counting.filter((entry) => !isExpired(entry, today)).map((entry) => [entry.case, entry]),
  );
  const failed = cases.filter(({ status }) => status === 'failed');
  const isLetPass = ({ verdict }: CaseRecord) => verdict !== undefined && LET_PASS.has(verdict.kind);
  const own = failed.filter(({ caseName }) => !excused.has(caseName));
  const failing = own.filter((one) => !isLetPass(one)).map(gated);
  const problems = [...problemsOfRun(run, failed, facts), ...problemsOfFile(quarantine, today)];
  return {
    runId: run.id,
    commit: run.gitCommit,
    passes: failing.length === 0 && problems.length === 0,
    failing,
    problems,
    reported: own.filter(isLetPass).map(gated),
    quarantined: failed.flatMap((one) => {
      const entry = excused.get(one.caseName);
      return entry === undefined ? [] : [{ ...gated(one), ...excuse(entry) }];
    }),
    quarantine: { from: quarantine.from, ...quarantine.change },
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

/** What failing cases do not show: that something else failed, or that they are not all. */
function problemsOfRun(
  { status, passed, failed: counted, skipped, command }: RunRecord,
  failed: readonly CaseRecord[],
  { outcome, unread }: GateFacts,
): string[] {
  if (passed + counted + skipped === 0) return ['The run has no test.', ...unread.map(unreadText)];
  const hasFailed = status === 'failed' || outcome === 'failure';
  return [
    ...(hasFailed && failed.length === 0
      ? ['The run failed, but no test of it did: see what the command printed.']
      : []),
    ...(failed.some((one) => isCutOff(one, command)) ? ['The run was ended before all of its tests had run.'] : []),
    ...(outcome === 'cancelled' || outcome === 'skipped' ? [`The tests were ${outcome}.`] : []),
    ...unread.map(unreadText),
  ];
}

/** The command's own case, whose time was over: whatever the verdict on it, what had not run yet may fail. */
function isCutOff({ caseName, runnerStatus }: CaseRecord, command: string | null): boolean {
  return (
    runnerStatus === 'timedOut' && command !== null && (caseName === command || caseName.endsWith(` > ${command}`))
  );
}

function unreadText(what: string): string {
  return `Not read in whole, so a failure may be missing: ${what}`;
}

/** By what will count once the change is taken in: so one that renews or removes an entry can pass. */
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
