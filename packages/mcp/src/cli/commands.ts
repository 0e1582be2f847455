/**
 * All commands: the twins of tools call the same handlers and print for people; doctor, inspect, view and the
 * debug memory have files.
 * Does not: parse the command line.
 */

import type { FailureCategory, PatternSort, PatternSource, ReportFormat, RunResult, RunStatus } from 'argus-engine';
import { formatDiagnosis, formatFix } from '../format/diagnosis.ts';
import { formatHistory, formatPatterns } from '../format/lists.ts';
import { formatRun } from '../format/run.ts';
import { quoted } from '../run/words.ts';
import { handleDiagnose } from '../tools/diagnose.ts';
import { handleHistory } from '../tools/history.ts';
import { handleImport } from '../tools/import.ts';
import { handlePatterns } from '../tools/patterns.ts';
import { handleReportFix } from '../tools/report-fix.ts';
import { handleRun } from '../tools/run.ts';
import { cancelledBySignals } from './cancel.ts';
import { passOn } from './lines.ts';
import { answer, EXIT, type GlobalOptions } from './output.ts';
import { adoptsInCi } from './recorder.ts';

export { adoptMemory } from './adopt.ts';
export { clean } from './clean.ts';
export { doctor } from './doctor.ts';
export { fixProblem } from './fix-problem.ts';
export { generateInputs } from './generate-inputs.ts';
export { inspect } from './inspect.ts';
export { addIncident, addSolution, outcome, solutions } from './memory.ts';
export { memoryExport, memoryImport, memorySearch } from './memory-bulk.ts';
export { view } from './view.ts';

const runExit = ({ status }: Pick<RunResult, 'status'>) => (status === 'passed' ? EXIT.done : EXIT.failures);

export async function run(
  command: string[],
  options: GlobalOptions & { filter?: string; timeout?: number },
): Promise<void> {
  const signal = cancelledBySignals(EXIT.error);
  // With --json stdout belongs to the answer.
  let atLineStart = true;
  const onOutput = (text: string, stream: 'stdout' | 'stderr') => {
    if (stream === 'stdout' && text !== '') atLineStart = text.endsWith('\n');
    return passOn(stream === 'stdout' && !options.json ? process.stdout : process.stderr, text);
  };
  if (process.stdout.isTTY && !process.env.NO_COLOR && !options.json) process.env.FORCE_COLOR ??= '1';
  // One word is a whole command line, as in `argus run "npm test"`; several are a command and its arguments.
  const line = command.length > 1 ? command.map((word) => quoted(word)).join(' ') : command[0];
  await answer(
    options,
    ({ projectPath, sessionManager }) =>
      handleRun(
        { projectPath, command: line, filter: options.filter, timeoutSeconds: options.timeout },
        sessionManager,
        { signal, onOutput },
      ),
    (run) => `${atLineStart ? '' : '\n'}${formatRun(run)}`,
    runExit,
    adoptsInCi(),
  );
}

export async function importReports(path: string, options: GlobalOptions & { format?: ReportFormat }): Promise<void> {
  await answer(
    options,
    ({ projectPath, sessionManager }) => handleImport({ projectPath, path, format: options.format }, sessionManager),
    formatRun,
    runExit,
    adoptsInCi(),
  );
}

export async function history(
  runId: string | undefined,
  options: GlobalOptions & { limit?: number; offset?: number; days?: number; status?: RunStatus },
): Promise<void> {
  const { limit, offset, days, status } = options;
  await answer(
    options,
    ({ projectPath, sessionManager }) =>
      handleHistory({ projectPath, runId, limit, offset, days, status }, sessionManager),
    formatHistory,
  );
}

export async function diagnose(runId: string, caseName: string, options: GlobalOptions): Promise<void> {
  await answer(
    options,
    ({ projectPath, sessionManager }) => handleDiagnose({ projectPath, runId, caseName }, sessionManager),
    formatDiagnosis,
  );
}

export async function reportFix(
  runId: string,
  caseName: string,
  fixDescription: string,
  options: GlobalOptions & { failed?: boolean },
): Promise<void> {
  const success = !options.failed;
  await answer(
    options,
    ({ projectPath, sessionManager }) =>
      handleReportFix({ projectPath, runId, caseName, fixDescription, success }, sessionManager),
    formatFix,
  );
}

export async function patterns(
  options: GlobalOptions & {
    category?: FailureCategory;
    source?: PatternSource;
    sort?: PatternSort;
    limit?: number;
    offset?: number;
  },
): Promise<void> {
  const { category, source, sort: sortBy, limit, offset } = options;
  await answer(
    options,
    ({ projectPath, sessionManager }) =>
      handlePatterns({ projectPath, category, source, sortBy, limit, offset }, sessionManager),
    formatPatterns,
  );
}
