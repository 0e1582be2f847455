/** A recorded run as a report for others: Markdown for people, JUnit XML and CTRF JSON for programs. */

import type { BriefVerdict, CaseRecord, RunRecord } from 'argus-engine';

/** A run with all of its cases, and what failed in the newest run of the branch that it is compared with. */
export interface RunReport {
  run: RunRecord;
  cases: CaseRecord[];
  base?: { branch: string; runId: string | null; failing: string[] };
}

/** Failures with one cause; of a run that was recorded without verdicts those of one error. */
export interface ReportedCause {
  headline: string;
  category: string;
  verdict: BriefVerdict | undefined;
  cases: string[];
}

/** The one with the most failures first. */
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
