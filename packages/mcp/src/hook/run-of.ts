/** Converts a command of an agent to a run, in the form that `argus run` records without a report of a runner. */

import type { GitFacts, RecordRunParams, ReportCase } from 'argus-engine';
import type { Project } from '../owner/project.ts';
import { conditions } from '../run/conditions.ts';
import { recognisedRunner } from '../run/planning/plan.ts';
import { folderOf } from '../run/planning/test-place.ts';
import { PrintedReports } from '../run/reports/printed.ts';
import type { CommandEvent } from './agents.ts';
import type { Recognised } from './commands.ts';

/** A command and how it ended. */
export interface Ended {
  event: Pick<CommandEvent, 'output' | 'exitCode' | 'timedOut' | 'durationMs'>;
  recognised: Pick<Recognised, 'command' | 'folder'>;
  ending: 'passed' | 'failed';
  /** True if the exit code shows the ending. Otherwise the ending is guessed from the output. */
  isTold: boolean;
  /** Time at which the hook received the event. */
  at: number;
}

/**
 * Creates the run. Cases are read from the output into files in `dir`. A runner that names failed tests may not name
 * passed tests. If the same command passes, the cases in `failed`, which failed before, passed too.
 */
export function runOf(
  ended: Ended,
  project: Project,
  git: GitFacts | null,
  dir: string,
  failed: readonly string[] = [],
): RecordRunParams {
  const { event, recognised, ending, at } = ended;
  const { command, folder } = recognised;
  const printed = new PrintedReports(dir, folder);
  printed.add(event.output, 'stdout');
  const hasFailed = ending === 'failed';
  const run: RecordRunParams = {
    command,
    runner: recognisedRunner(command, folder),
    startedAt: at - (event.durationMs ?? 0),
    durationMs: event.durationMs ?? null,
    exitCode: hasFailed ? event.exitCode || 1 : 0,
    timedOut: hasFailed && event.timedOut === true,
    git,
    environment: conditions(project.root),
    reports: printed.end(),
    outputTail: event.output,
    containers: [],
    notes: [],
    folder: folderOf(project, folder),
  };
  const itself = commandName(run);
  const unnamed = run.reports.length === 0 ? failed : failed.filter((name) => name === itself);
  if (hasFailed || unnamed.length === 0) return run;
  return { ...run, cases: [...new Set([itself, ...unnamed])].map(passed) };
}

/** The case for the command itself, which is used if no test explains the failure. */
export function commandName({ folder, command }: RecordRunParams): string {
  return [...(folder ? [folder] : []), command ?? ''].join(' > ');
}

function passed(name: string): ReportCase {
  return { suite: [], name, status: 'passed', flaky: false, attempts: 1 };
}
