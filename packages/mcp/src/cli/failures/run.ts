/**
 * The commands `run` and `import`, which record the results of tests. The options are in run-command.ts and
 * commands.ts; the code that runs tests is in run/run-tests.ts.
 */

import type { ReportFormat, RunResult } from 'argus-engine';
import { formatRun } from '../../format/failures/run-text.ts';
import type { CommitLabels } from '../../format/failures/verdict-text.ts';
import { shortenId } from '../../format/terminal.ts';
import { Git } from '../../git/git.ts';
import { describeCommits } from '../../git/history.ts';
import { createCommitWorkTree } from '../../run/commit-work-tree.ts';
import { type PendingGitState, startReadingGit } from '../../run/git-state.ts';
import { quoteArgument } from '../../system/command-line.ts';
import { io, toAbsolutePath } from '../../system/io.ts';
import { handleImport } from '../../tools/import.ts';
import { handleRun } from '../../tools/run.ts';
import { abortOnSignals, EXIT_CODES } from '../terminal/exit.ts';
import { writeWithBackpressure } from '../terminal/lines.ts';
import { type GlobalOptions, isAdoptionAllowedInCi, runProjectCommand } from '../terminal/output.ts';
import { findNewestFailedRun } from './named-failure.ts';

/** An interrupted run is an error, because some tests did not run. */
function getRunExitCode({ status, interrupted }: Pick<RunResult, 'status' | 'interrupted'>): number {
  if (interrupted === true) return EXIT_CODES.error;
  return status === 'passed' ? EXIT_CODES.done : EXIT_CODES.failures;
}

export interface RunOptions extends GlobalOptions {
  filter?: string;
  at?: string;
  timeout?: number;
  idleTimeout?: number;
}

/** The command `run --at`: runs at another commit, in a temporary work tree. The checkout is not changed. */
export async function runAtCommit(commit: string, command: string[], options: RunOptions): Promise<void> {
  const signal = abortOnSignals(EXIT_CODES.error);
  const tree = await createCommitWorkTree(toAbsolutePath(options.project), commit, signal);
  try {
    Object.assign(io().env, tree.env);
    await run(command, { ...options, project: tree.root }, startReadingGit(tree.root), signal);
  } finally {
    await tree.remove();
  }
}

export async function run(
  command: string[],
  options: RunOptions,
  gitState: PendingGitState,
  signal: AbortSignal = abortOnSignals(EXIT_CODES.error),
): Promise<void> {
  // With --json, stdout belongs to the answer.
  let atLineStart = true;
  const onOutput = (text: string, stream: 'stdout' | 'stderr') => {
    if (stream === 'stdout' && text !== '') atLineStart = text.endsWith('\n');
    return writeWithBackpressure(stream === 'stdout' && !options.json ? io().stdout : io().stderr, text);
  };
  if (io().stdout.isTTY && !io().env.NO_COLOR && !options.json) io().env.FORCE_COLOR ??= '1';
  // A single word is a complete command line, as in `argus run "npm test"`. Several words are a command and its
  // arguments.
  const commandLine = command.length > 1 ? command.map((word) => quoteArgument(word)).join(' ') : command[0];
  let commits: CommitLabels | undefined;
  await runProjectCommand(
    options,
    async ({ projectPath, sessionManager, session }) => {
      const { filter, timeout: timeoutSeconds, idleTimeout: idleTimeoutSeconds } = options;
      const params = { projectPath, command: commandLine, filter, timeoutSeconds, idleTimeoutSeconds };
      const result = await handleRun(params, sessionManager, { signal, onOutput }, gitState);
      commits = await describeNamedCommits(session.root, result);
      return result;
    },
    // An empty line separates the answer from the output of the command.
    (run) => `${atLineStart ? '' : '\n'}\n${formatRun(run, { columns: io().stdout.columns, commits })}`,
    { exitCode: getRunExitCode, adopts: isAdoptionAllowedInCi() },
  );
}

/** Returns the titles of the commits that the verdicts and the earlier fixes of a run name. */
async function describeNamedCommits(
  root: string,
  { causes, failures }: Pick<RunResult, 'causes' | 'failures'>,
): Promise<CommitLabels> {
  const suspects = causes.flatMap(({ verdict }) => verdict?.suspect ?? []);
  const fixes = failures.flatMap(({ mendedBefore }) => [mendedBefore?.commit, mendedBefore?.presence?.removedBy]);
  const named = [...suspects, ...fixes.filter((commit) => commit !== undefined)];
  return named.length === 0 ? new Map() : describeCommits(new Git(root), [...new Set(named)]);
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
  let runName: string | undefined;
  await runProjectCommand(
    options,
    async ({ projectPath, sessionManager, session }) => {
      const result = await handleImport({ projectPath, ...given }, sessionManager);
      const newest = await findNewestFailedRun(session);
      if (newest !== result.runId) runName = shortenId(result.runId);
      return result;
    },
    (run) => formatRun(run, { columns: io().stdout.columns, runName }),
    { exitCode: getRunExitCode, adopts: isAdoptionAllowedInCi() },
  );
}
