/**
 * record: what an installed reporter starts as a run begins, so that the work tree is noted as the tests find it, and the
 * memory is open by the time that they have ended. Reporters: run/reporters/installed.
 */

import { renameSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import type { GitFacts, RunResult } from 'argus-engine';
import { enveloped } from '../../answer.ts';
import { ArgusError, systemCodeOf } from '../../errors.ts';
import { withCommands } from '../../format/commands.ts';
import { formatKnown } from '../../format/failures/known-text.ts';
import { conditions } from '../../run/conditions.ts';
import { ciFacts, gitFacts } from '../../run/git-state.ts';
import { folderOf } from '../../run/planning/test-place.ts';
import { hookReporting } from '../../run/reporters.ts';
import { runnerThatWrote, writtenReports } from '../../run/reports/written-reports.ts';
import type { Session } from '../../sessions/session.ts';
import { SessionManager } from '../../sessions/session-manager.ts';
import type { Kept } from '../../storage/outbox.ts';
import { readText } from '../../system/files/read.ts';
import { lstat } from '../../system/files/way.ts';
import { writeWholeFile } from '../../system/files/whole-file.ts';
import { io } from '../../system/io.ts';
import { adoptsInCi, terminal } from '../recorder.ts';
import { EXIT } from '../terminal/exit.ts';

/** Written by the reporter once its reports lie there. */
const END_FILE = 'end.json';
/** It holds the end of the output. */
const MAX_END_BYTES = 64 * 1024 * 1024;
/** The same, once a process has it. */
const TAKEN_FILE = 'end-taken.json';
/** Written last of all: what the reporter prints. */
const ANSWER_FILE = 'answer.json';

/** How long the reporter waits for nothing, at most. */
const LOOK_EVERY_MS = 20;

/** How a run ended; nothing that the runner prints of its tests. */
interface RunEnd {
  runner?: string;
  /** Its command line. */
  command?: string;
  /** ISO 8601. */
  startedAt?: string;
  durationMs?: number;
  exitCode?: number;
  timedOut?: boolean;
  /** Only tests with this name were asked for. */
  filter?: string;
  /** What was said outside of tests. */
  output?: string;
}

/** What is known of the failures, or why the run is not stored; a line. */
interface Answer {
  known?: string;
  complaint?: string;
}

/** Ends without an answer where the reporter ends without a word: nothing ran then. */
export async function record(folder: string): Promise<void> {
  // Whoever breaks off the tests at the keyboard means them; this ends with its input.
  process.on('SIGINT', () => {});
  const root = io().cwd();
  const git = gitFacts(root);
  const sessionManager = new SessionManager({ recorder: terminal(), adopts: adoptsInCi(), isImpatient: true });
  const session = sessionManager.init(root, undefined, 'person');
  // What is wrong with it the recording says.
  const opening = session.then(openMemory).catch(() => {});
  const end = await endOf(folder);
  if (end === undefined) {
    removeEmpty(folder);
    return sessionManager.closeAll();
  }
  await opening;
  const envelope = await enveloped(async () => {
    const opened = await session;
    // Whoever has switched the history off has said so, and hears nothing of it.
    return { run: opened.historyEnabled ? await recorded(opened, folder, end, git) : undefined };
  });
  await sessionManager.closeAll();
  const answer = envelope.success
    ? told(envelope.data.run)
    : { complaint: complaint(`was not recorded: ${envelope.error.code}: ${envelope.error.message}`) };
  if (answer.complaint !== undefined) io().exitCode = EXIT.error;
  writeWholeFile(path.join(folder, ANSWER_FILE), JSON.stringify(answer));
}

/** Whoever made it may be gone; what lies in it is cleared up with other temporary folders, once it is old. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {}
}

/** While the tests run. Where there is none yet, a run that ends as none makes none either. */
async function openMemory(session: Session): Promise<void> {
  if (await session.hasMemory()) await session.overview();
}

/** Undefined where the input ends first: the reporter is gone, or has nothing to tell. */
function endOf(folder: string): Promise<RunEnd | undefined> {
  return new Promise((resolve, reject) => {
    const look = (isLast: boolean) => {
      try {
        const end = takenEnd(folder);
        if (end === undefined && !isLast) return;
        clearInterval(timer);
        io().stdin.destroy();
        resolve(end);
      } catch (thrown) {
        reject(thrown);
      }
    };
    const timer = setInterval(look, LOOK_EVERY_MS, false);
    io()
      .stdin.on('close', () => look(true))
      .on('error', () => {});
    io().stdin.resume();
  });
}

/** The reporter starts a second process where it takes the first for dead: one of them has it. */
function takenEnd(folder: string): RunEnd | undefined {
  const taken = path.join(folder, TAKEN_FILE);
  try {
    renameSync(path.join(folder, END_FILE), taken);
  } catch (thrown) {
    if (systemCodeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
  const end: RunEnd = JSON.parse(readText(taken, { maxBytes: MAX_END_BYTES, links: 'refused' }));
  return end;
}

function told(run: Kept<RunResult> | undefined): Answer {
  if (run === undefined) return {};
  const known = formatKnown(run.value);
  return {
    ...(known === '' ? {} : { known: `${known}\n` }),
    ...(run.notStored === undefined ? {} : { complaint: complaint(`is not stored: ${run.warnings.join(' ')}`) }),
  };
}

/** One line: whoever runs tests looks for theirs. */
function complaint(problem: string): string {
  return `this run ${withCommands(problem).replaceAll(/\s*\n\s*/gu, ' ')}`;
}

async function recorded(
  session: Session,
  folder: string,
  end: RunEnd,
  git: Promise<GitFacts | null>,
): Promise<Kept<RunResult>> {
  const { runner, command, startedAt, durationMs, exitCode, timedOut, filter, output } = end;
  if (lstat(folder)?.isDirectory() !== true)
    throw new ArgusError('INVALID_INPUT', `${folder} is no folder. A reporter names the one that it wrote to.`);
  const sources = hookReporting({ dir: folder, root: session.root, env: {} }).reports;
  const reports = await writtenReports(sources, session.root, () => true);
  return session.recordRun({
    command: command ?? null,
    runner: runnerThatWrote(sources, reports, runner),
    startedAt: startedAt === undefined ? null : Date.parse(startedAt),
    durationMs: durationMs ?? null,
    exitCode: exitCode ?? null,
    signal: null,
    timedOut: timedOut ?? false,
    folder: folderOf(session.project, session.root),
    git: (await git) ?? ciFacts(),
    environment: conditions(session.root),
    reports,
    outputTail: output ?? null,
    containers: [],
    notes: [],
    filter: filter ?? null,
  });
}
