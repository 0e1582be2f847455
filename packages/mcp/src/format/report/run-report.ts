/** The data for reports about a recorded run: Markdown for people, JUnit XML and CTRF JSON for programs. */

import type { BriefVerdict, CaseRecord, RunRecord } from 'argus-engine';

/** A run with all cases, and the failures of the newest run of the base branch. */
export interface RunReport {
  run: RunRecord;
  cases: CaseRecord[];
  base?: { branch: string; runId: string | null; failing: string[] };
}

/** Failures with the same cause. In a run without verdicts, failures with the same error. */
export interface ReportedCause {
  headline: string;
  category: string;
  verdict: BriefVerdict | undefined;
  cases: string[];
}

/** The cause with the most failures comes first. */
export function causesOf(cases: readonly CaseRecord[]): ReportedCause[] {
  const causes = new Map<string, ReportedCause>();
  for (const { status, headline, category, verdict, causeId, caseName } of cases) {
    if (status !== 'failed') continue;
    const key = causeId ?? JSON.stringify([headline, category]);
    const cause = causes.get(key);
    if (cause === undefined)
      causes.set(key, { headline: headline ?? '', category: category ?? 'UNKNOWN', verdict, cases: [caseName] });
    else cause.cases.push(caseName);
  }
  return [...causes.values()].sort((one, other) => other.cases.length - one.cases.length);
}
