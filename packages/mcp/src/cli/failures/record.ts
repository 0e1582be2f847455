/**
 * record: an installed reporter starts it at the beginning of a run, so that it can note the work tree as the tests
 * find it, and so that the memory is open when the tests end. The reporters are in run/reporters/installed.
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

/** The reporter writes this file after its reports. */
const END_FILE = 'end.json';
/** The file holds the end of the output. */
const MAX_END_BYTES = 64 * 1024 * 1024;
/** New name of the end file after a process has taken it. */
const TAKEN_FILE = 'end-taken.json';
/** The last file that is written; the reporter prints its content. */
const ANSWER_FILE = 'answer.json';

/** The reporter waits at most this long for nothing. */
const LOOK_EVERY_MS = 20;

/** How a run ended. Results of the tests are in the reports. */
interface RunEnd {
  runner?: string;
  /** Command line of the run. */
  command?: string;
  /** ISO 8601 time. */
  startedAt?: string;
  durationMs?: number;
  exitCode?: number;
  timedOut?: boolean;
  /** Set if only tests with this name were requested. */
  filter?: string;
  /** Output outside of tests. */
  output?: string;
}

/** A line about the known failures, or about why the run is not stored. */
interface Answer {
  known?: string;
  complaint?: string;
}

/** Writes no answer if the reporter ends without an end file, because then no test ran. */
export async function record(folder: string): Promise<void> {
  // Ctrl-C is meant for the tests. This process ends when its input ends.
  process.on('SIGINT', () => {});
  const root = io().cwd();
  const git = gitFacts(root);
  const sessionManager = new SessionManager({ recorder: terminal(), adopts: adoptsInCi(), isImpatient: true });
  const session = sessionManager.init(root, undefined, 'person');
  // The recording below reports an error of the session.
  const opening = session.then(openMemory).catch(() => {});
  const end = await endOf(folder);
  if (end === undefined) {
    removeEmpty(folder);
    return sessionManager.closeAll();
  }
  await opening;
  const envelope = await enveloped(async () => {
    const opened = await session;
    // A user who disabled the history wants no message about it.
    return { run: opened.historyEnabled ? await recorded(opened, folder, end, git) : undefined };
  });
  await sessionManager.closeAll();
  const answer = envelope.success
    ? told(envelope.data.run)
    : { complaint: complaint(`was not recorded: ${envelope.error.code}: ${envelope.error.message}`) };
  if (answer.complaint !== undefined) io().exitCode = EXIT.error;
  writeWholeFile(path.join(folder, ANSWER_FILE), JSON.stringify(answer));
}

/**
 * Removes the folder if it is empty, because its maker may be gone. The cleanup of old temporary folders removes the
 * others.
 */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {}
}

/** Opens the memory while the tests run. Does not create a memory, so that a run without an end leaves none. */
async function openMemory(session: Session): Promise<void> {
  if (await session.hasMemory()) await session.overview();
}

/** Undefined if the input ends first, because the reporter is gone or has nothing to report. */
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

/**
 * Takes the end file by a rename. The reporter starts a second process if the first appears dead, and only one of them
 * may take it.
 */
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

/** Returns a single line, because users look for the output of their tests. */
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
