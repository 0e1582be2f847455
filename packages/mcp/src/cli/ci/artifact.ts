/**
 * Writes a recorded run as a line for `argus import --runs`. Texts are redacted as in the store, and the id identifies
 * the run on a second import.
 */

import type { CaseRecord, GitFacts } from 'argus-engine';
import type { RunReport } from '../../format/report/run-report.ts';

/**
 * Facts about how the run was made, which the recorded run does not hold. Empty if another program recorded the run.
 */
export interface RunFacts {
  git: GitFacts | null;
  environment: Record<string, string>;
}

export function runLine({ run, cases }: RunReport, { git, environment }: RunFacts): string {
  const commits = git?.commits ?? [];
  const line = {
    id: run.id,
    startedAt: Date.parse(run.timestamp),
    commit: run.gitCommit ?? undefined,
    // The oldest commit comes first.
    path: commits.length > 0 ? commits.toReversed() : undefined,
    branch: run.gitBranch ?? undefined,
    dirty: run.dirty ?? undefined,
    tree: git?.tree ?? undefined,
    foreign: run.foreign || undefined,
    environment,
    cases: cases.map(caseOf),
  };
  return `${JSON.stringify(line)}\n`;
}

function caseOf({ caseName, status, durationMs, attempts, error }: CaseRecord) {
  return { name: caseName, status, durationMs: durationMs ?? undefined, attempts, error: error ?? undefined };
}
