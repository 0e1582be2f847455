/** diagnose and report-fix: identify a failure and record what fixed it. The options are in commands.ts. */

import { formatDiagnosis, formatFix } from '../../format/failures/diagnosis-text.ts';
import { handleDiagnose } from '../../tools/diagnose.ts';
import { handleReportFix } from '../../tools/report-fix.ts';
import { answer, type GlobalOptions } from '../terminal/output.ts';

export async function diagnose(
  runId: string,
  caseName: string,
  options: GlobalOptions & { notSameAs?: string },
): Promise<void> {
  const { notSameAs } = options;
  await answer(
    options,
    ({ projectPath, sessionManager }) => handleDiagnose({ projectPath, runId, caseName, notSameAs }, sessionManager),
    formatDiagnosis,
  );
}

export async function reportFix(
  runId: string,
  caseName: string,
  fixDescription: string,
  options: GlobalOptions & { failed?: boolean; supersedes?: string },
): Promise<void> {
  const success = !options.failed;
  const { supersedes } = options;
  await answer(
    options,
    ({ projectPath, sessionManager }) =>
      handleReportFix({ projectPath, runId, caseName, fixDescription, success, supersedes }, sessionManager),
    (fix) => formatFix(fix, runId),
  );
}
