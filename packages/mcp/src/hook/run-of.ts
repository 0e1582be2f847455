/** A command that an agent ran, as a run of its project: `argus run` records one of which no runner wrote a report so. */

import type { GitFacts, RecordRunParams, ReportCase } from 'argus-engine';
import type { Project } from '../owner/project.ts';
import { conditions } from '../run/conditions.ts';
import { recognisedRunner } from '../run/planning/plan.ts';
import { folderOf } from '../run/planning/test-place.ts';
import { PrintedReports } from '../run/reports/printed.ts';
import type { CommandEvent } from './agents.ts';
import type { Recognised } from './commands.ts';

/** What is known of it once it is told how it ended. */
export interface Ended {
  event: Pick<CommandEvent, 'output' | 'exitCode' | 'timedOut' | 'durationMs'>;
  recognised: Pick<Recognised, 'command' | 'folder'>;
  ending: 'passed' | 'failed';
  /** The exit code says so, and not only what was printed. */
  isTold: boolean;
  /** When the agent was told. */
  at: number;
}

/**
 * Cases are read from what was printed into files in `dir`. Runners that name what failed may not name what passed: where
 * the same command passes, so has what had `failed` of it.
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

/** The case that a command is where none of its tests tells why it failed. */
export function commandName({ folder, command }: RecordRunParams): string {
  return [...(folder ? [folder] : []), command ?? ''].join(' > ');
}

function passed(name: string): ReportCase {
  return { suite: [], name, status: 'passed', flaky: false, attempts: 1 };
}
