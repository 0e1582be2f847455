/** A recorded run as the line that `argus import --runs` takes: redacted as it is stored, and known again by its id. */

import type { CaseRecord, GitFacts } from 'argus-engine';
import type { RunReport } from '../../format/report/run-report.ts';

/** What is known of how it ran beside what is recorded; nothing where the run was recorded by something else. */
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
    // Oldest first.
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
