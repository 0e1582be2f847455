/**
 * run and import: record the results of tests. The options are in run-command.ts and commands.ts; the run itself is in
 * run/run-tests.ts.
 */

import type { ReportFormat, RunResult } from 'argus-engine';
import { formatRun } from '../../format/failures/run-text.ts';
import { commitWorkTree } from '../../run/commit-work-tree.ts';
import { type GitLook, lookAtGit } from '../../run/git-state.ts';
import { absolutePath, io } from '../../system/io.ts';
import { quoted } from '../../system/words.ts';
import { handleImport } from '../../tools/import.ts';
import { handleRun } from '../../tools/run.ts';
import { adoptsInCi } from '../recorder.ts';
import { cancelledBySignals } from '../terminal/cancel.ts';
import { EXIT } from '../terminal/exit.ts';
import { passOn } from '../terminal/lines.ts';
import { answer, type GlobalOptions } from '../terminal/output.ts';

/** An interrupted run has no result, because some tests did not run. */
function runExit({ status, interrupted }: Pick<RunResult, 'status' | 'interrupted'>): number {
  if (interrupted === true) return EXIT.error;
  return status === 'passed' ? EXIT.done : EXIT.failures;
}

export interface RunOptions extends GlobalOptions {
  filter?: string;
  at?: string;
  timeout?: number;
  idleTimeout?: number;
}

/** Runs at another commit, in a temporary work tree. The checkout is not changed. */
export async function runAt(commit: string, command: string[], options: RunOptions): Promise<void> {
  const signal = cancelledBySignals(EXIT.error);
  const tree = await commitWorkTree(absolutePath(options.project), commit, signal);
  try {
    await run(command, { ...options, project: tree.root }, lookAtGit(tree.root), signal);
  } finally {
    await tree.remove();
  }
}

export async function run(
  command: string[],
  options: RunOptions,
  look: GitLook,
  signal: AbortSignal = cancelledBySignals(EXIT.error),
): Promise<void> {
  // With --json, stdout belongs to the answer.
  let atLineStart = true;
  const onOutput = (text: string, stream: 'stdout' | 'stderr') => {
    if (stream === 'stdout' && text !== '') atLineStart = text.endsWith('\n');
    return passOn(stream === 'stdout' && !options.json ? io().stdout : io().stderr, text);
  };
  if (io().stdout.isTTY && !io().env.NO_COLOR && !options.json) io().env.FORCE_COLOR ??= '1';
  // A single word is a whole command line, as in `argus run "npm test"`. Several words are a command and its arguments.
  const line = command.length > 1 ? command.map((word) => quoted(word)).join(' ') : command[0];
  await answer(
    options,
    ({ projectPath, sessionManager }) =>
      handleRun(
        {
          projectPath,
          command: line,
          filter: options.filter,
          timeoutSeconds: options.timeout,
          idleTimeoutSeconds: options.idleTimeout,
        },
        sessionManager,
        { signal, onOutput },
        look,
      ),
    (run) => `${atLineStart ? '' : '\n'}${formatRun(run)}`,
    { exitCode: runExit, adopts: adoptsInCi() },
  );
}

export interface ImportOptions extends GlobalOptions {
  format?: ReportFormat;
  commit?: string;
  branch?: string;
  dirty?: boolean;
  tree?: string;
  startedAt?: string;
  environment?: Record<string, string>;
  foreign?: boolean;
}

export async function importReports(path: string, options: ImportOptions): Promise<void> {
  const { format, commit, branch, dirty, tree, startedAt, environment, foreign } = options;
  const given = { path, format, commit, branch, dirty, tree, startedAt, environment, foreign };
  await answer(
    options,
    ({ projectPath, sessionManager }) => handleImport({ projectPath, ...given }, sessionManager),
    formatRun,
    { exitCode: runExit, adopts: adoptsInCi() },
  );
}
