/** A command that an agent ran, as a run of its project: `argus run` records one of which no runner wrote a report so. */

import type { GitFacts, RecordRunParams, ReportCase } from 'argus-engine';
import type { Project } from '../owner/project.ts';
import { conditions } from '../run/conditions.ts';
import { recognisedRunner } from '../run/planning/plan.ts';
import { folderOf } from '../run/planning/test-place.ts';
import { cargoPackageAt, PrintedReports } from '../run/reports/printed.ts';
import type { CommandEvent } from './agents.ts';
import type { Recognised } from './commands.ts';

/** What is known of it once it is told how it ended. */
export interface Ended {
  event: Pick<CommandEvent, 'output' | 'exitCode' | 'timedOut' | 'durationMs'>;
  recognised: Pick<Recognised, 'command' | 'folder'>;
  ending: 'passed' | 'failed';
  /** It passed, and had failed itself, which none of its tests says. */
  mended?: boolean;
  /** When the agent was told. */
  at: number;
}

/** Cases are read from what was printed into files in `dir`. */
export function runOf(ended: Ended, project: Project, git: GitFacts | null, dir: string): RecordRunParams {
  const { event, recognised, ending, at } = ended;
  const { command, folder } = recognised;
  const printed = new PrintedReports(dir, cargoPackageAt(folder));
  printed.add(event.output, 'stdout');
  const failed = ending === 'failed';
  return {
    command,
    runner: recognisedRunner(command, folder),
    startedAt: at - (event.durationMs ?? 0),
    durationMs: event.durationMs ?? null,
    exitCode: failed ? event.exitCode || 1 : 0,
    timedOut: failed && event.timedOut === true,
    git,
    environment: conditions(),
    reports: printed.end(),
    outputTail: event.output,
    containers: [],
    notes: [],
    folder: folderOf(project, folder),
    ...(ended.mended ? { cases: [passedItself(command, folderOf(project, folder))] } : {}),
  };
}

/** The case that a command is of which no report tells, as the engine names it. */
function passedItself(command: string, folder: string | null): ReportCase {
  return { suite: folder === null ? [] : [folder], name: command, status: 'passed', flaky: false, attempts: 1 };
}
