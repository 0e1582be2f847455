/**
 * Builds a report for a run that is not recorded yet, for example because the team's server is not reachable. The
 * report contains only facts that need no memory.
 */

import type { CaseRecord, RunResult } from 'argus-engine';
import type { RunReport } from '../../format/report/run-report.ts';
import { io } from '../../system/io.ts';

type ImportedRun = Pick<RunResult, 'runId' | 'status' | 'durationMs' | 'totals' | 'failures' | 'more'>;

export function createUnrecordedRunReport({
  runId,
  status,
  durationMs,
  totals,
  failures,
  more,
}: ImportedRun): RunReport {
  const { passed, failed, skipped, flaky } = totals;
  const listed = failures.map(toCaseRecord);
  const unlisted = Array.from({ length: more }, (_, at) => ({
    ...UNLISTED_CASE,
    caseName: `unlisted failure ${at + 1} of ${more}`,
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

const UNLISTED_CASE = {
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

function toCaseRecord({ caseName, category, headline, causeId }: RunResult['failures'][number]): CaseRecord {
  return { ...UNLISTED_CASE, caseName, category, headline, causeId };
}
