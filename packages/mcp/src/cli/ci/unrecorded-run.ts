/**
 * Builds a report for a run that is not recorded yet, for example because the team's server is not reachable. It
 * contains only facts that need no memory.
 */

import type { CaseRecord, RunResult } from 'argus-engine';
import type { RunReport } from '../../format/report/run-report.ts';
import { io } from '../../system/io.ts';

type Read = Pick<RunResult, 'runId' | 'status' | 'durationMs' | 'totals' | 'failures' | 'more'>;

export function unrecordedRun({ runId, status, durationMs, totals, failures, more }: Read): RunReport {
  const { passed, failed, skipped, flaky } = totals;
  const listed = failures.map(caseOf);
  const unlisted = Array.from({ length: more }, (_, at) => ({
    ...UNLISTED,
    caseName: `failure ${at + 1} of ${more} that are not listed`,
  }));
  return {
    run: {
      id: runId,
      timestamp: new Date(io().now()).toISOString(),
      gitCommit: null,
      gitBranch: null,
      dirty: null,
      command: null,
      durationMs,
      passed,
      failed,
      skipped,
      flaky,
      status,
    },
    cases: [...listed, ...unlisted],
  };
}

const UNLISTED = {
  status: 'failed',
  flaky: false,
  runnerStatus: null,
  durationMs: null,
  attempts: 1,
  category: null,
  headline: null,
  error: null,
  signature: null,
} as const;

function caseOf({ caseName, category, headline, causeId }: RunResult['failures'][number]): CaseRecord {
  return { ...UNLISTED, caseName, category, headline, causeId };
}
