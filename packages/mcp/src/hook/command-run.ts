/**
 * Converts a command of an agent to a run, as `argus run` would record it without a report, and computes the signatures
 * of its errors.
 */

import {
  type Engine,
  type GitFacts,
  openEngine,
  type RecordRunParams,
  type ReportCase,
  type RunError,
} from 'argus-engine';
import type { Config } from '../config/schema.ts';
import { getRunConditions } from '../environment/project-environment.ts';
import type { Project } from '../owner/project.ts';
import { recognizeRunnerName } from '../run/planning/plan.ts';
import { getFolderInProject } from '../run/planning/test-command-location.ts';
import { PrintedReports } from '../run/reports/printed-reports.ts';
import type { CommandEvent } from './agent-events.ts';
import type { RecognizedCommand } from './recognize-command.ts';

/** A command and how it ended. */
export interface EndedCommand {
  event: Pick<CommandEvent, 'output' | 'exitCode' | 'timedOut' | 'durationMs'>;
  recognized: Pick<RecognizedCommand, 'command' | 'folder' | 'variables'>;
  ending: 'passed' | 'failed';
  /** True if the exit code shows how the command ended. Otherwise that is inferred from the output. */
  isCertain: boolean;
  /** When the hook received the event, in milliseconds since 1970. */
  at: number;
}

/**
 * Creates the run. The cases in the output are written to files in `dir`. `failed` has the cases that failed in earlier
 * runs of the command. If the command passes now, these cases are recorded as passed, because a test runner may print
 * only the names of failed tests.
 */
export function createCommandRun(
  ended: EndedCommand,
  project: Project,
  git: GitFacts | null,
  dir: string,
  failed: readonly string[] = [],
): RecordRunParams {
  const { event, recognized, ending, at } = ended;
  const { command, folder } = recognized;
  const printed = new PrintedReports(dir, folder);
  printed.add(event.output, 'stdout');
  const hasFailed = ending === 'failed';
  const run: RecordRunParams = {
    command,
    runner: recognizeRunnerName(command, folder),
    startedAt: at - (event.durationMs ?? 0),
    durationMs: event.durationMs ?? null,
    exitCode: hasFailed ? event.exitCode || 1 : 0,
    timedOut: hasFailed && event.timedOut === true,
    git,
    environment: getRunConditions(project.root),
    reports: printed.end(),
    outputTail: event.output,
    containers: [],
    notes: [],
    folder: getFolderInProject(project, folder),
    printedNames: true,
  };
  const commandCase = createCommandCaseName(run);
  const unnamed = run.reports.length === 0 ? failed : failed.filter((name) => name === commandCase);
  if (hasFailed || unnamed.length === 0) return run;
  return { ...run, cases: [...new Set([commandCase, ...unnamed])].map(createPassedCase) };
}

/** Returns the name of the case for the command itself, which is used if no test explains the failure. */
export function createCommandCaseName({ folder, command }: RecordRunParams): string {
  return [...(folder ? [folder] : []), command ?? ''].join(' > ');
}

function createPassedCase(name: string): ReportCase {
  return { suite: [], name, status: 'passed', flaky: false, attempts: 1 };
}

/* Opens an engine without a memory to compute signatures of errors. It stores nothing and creates no file. */

/**
 * Runs `run` with an engine that computes signatures. They depend on the classification rules and the redaction
 * patterns of the project.
 */
export async function withSigner<T>(
  { classify, redact }: Pick<Config, 'classify' | 'redact'>,
  top: string,
  run: (engine: Signer) => Promise<T>,
): Promise<T> {
  const engine = await openEngine({
    databasePath: ':memory:',
    readOnly: true,
    projectRoot: top,
    rules: classify?.rules ?? [],
    secrets: redact?.patterns ?? [],
  });
  try {
    return await run(engine);
  } finally {
    await engine.close();
  }
}

export type Signer = Pick<Engine, 'runErrors' | 'prepareRun'>;

/** A remembered error and its case. */
interface RememberedError {
  caseName: string;
  error?: string | null | undefined;
}

/** Computes the signatures of remembered errors as in a run. Errors without information are left out. */
export async function signErrors(signer: Signer, remembered: readonly RememberedError[]): Promise<RunError[]> {
  const cases = remembered.map(({ caseName: name, error = null }): ReportCase => {
    return { suite: [], name, status: 'failed', flaky: false, attempts: 1, error };
  });
  return (await signer.runErrors({ cases, timedOut: false, reports: [], containers: [], notes: [] })).errors;
}
