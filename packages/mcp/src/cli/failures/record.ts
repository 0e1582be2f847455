/**
 * The command `record`: an installed reporter starts it at the beginning of a run, so that it can read the state of the
 * work tree before the tests run, and so that the memory is already open when the tests end. The reporters are in
 * run/reporters/installed.
 */

import { renameSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import type { GitFacts, RunResult } from 'argus-engine';
import { runInEnvelope } from '../../answer.ts';
import { getRunConditions } from '../../environment/project-environment.ts';
import { ArgusError, getSystemCode } from '../../errors.ts';
import { formatKnownFailures } from '../../format/failures/known-failures-text.ts';
import { toCommandLineText } from '../../format/terminal.ts';
import { createCiFacts, readGitFacts } from '../../run/git-state.ts';
import { getFolderInProject } from '../../run/planning/test-command-location.ts';
import { createHookReportSettings } from '../../run/reporters.ts';
import { determineRunner, findReports, readReporterNotes } from '../../run/reports/report-listener.ts';
import type { Session } from '../../sessions/session.ts';
import { SessionManager } from '../../sessions/session-manager.ts';
import type { StorageResult } from '../../storage/outbox.ts';
import { writeFileAtomically } from '../../system/files/atomic-file.ts';
import { tryLstat } from '../../system/files/path-safety.ts';
import { readText } from '../../system/files/read.ts';
import { io } from '../../system/io.ts';
import { EXIT_CODES } from '../terminal/exit.ts';
import { getTerminalRecorder, isAdoptionAllowedInCi } from '../terminal/output.ts';

/** The reporter writes this file after its reports. */
const END_FILE = 'end.json';
/** The end file contains the last part of the output. */
const MAX_END_BYTES = 64 * 1024 * 1024;
/** Name of the end file after a process has claimed it. */
const CLAIMED_FILE = 'end-taken.json';
/** The last file that is written. The reporter prints its content. */
const ANSWER_FILE = 'answer.json';

/** Interval at which to look for the end file. The reporter waits at most this long in vain. */
const POLL_INTERVAL_MS = 20;

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

/** Messages that the reporter prints: about known failures, or about why the run is not stored. */
interface ReporterAnswer {
  known?: string;
  complaint?: string;
}

/**
 * Waits for the end of the run and records it. Writes no answer if the reporter exits without an end file, because then
 * no test ran.
 */
export async function record(folder: string): Promise<void> {
  // The user presses Ctrl-C to stop the tests. This process ends when its stdin closes.
  process.on('SIGINT', () => {});
  const root = io().cwd();
  const git = readGitFacts(root);
  const sessionManager = new SessionManager({
    recorder: getTerminalRecorder(),
    adoptsForeign: isAdoptionAllowedInCi(),
    isImpatient: true,
  });
  const session = sessionManager.init(root, undefined, 'person');
  // `recordEndedRun` below reports an error of the session.
  const opening = session.then(openMemory).catch(() => {});
  const end = await waitForEnd(folder);
  if (end === undefined) {
    removeIfEmpty(folder);
    return sessionManager.closeAll();
  }
  await opening;
  const envelope = await runInEnvelope(async () => {
    const opened = await session;
    // A user who disabled the history wants no message about it.
    return { run: opened.historyEnabled ? await recordEndedRun(opened, folder, end, git) : undefined };
  });
  await sessionManager.closeAll();
  const answer = envelope.success
    ? toReporterAnswer(envelope.data.run)
    : { complaint: formatComplaint(`was not recorded: ${envelope.error.code}: ${envelope.error.message}`) };
  if (answer.complaint !== undefined) io().exitCode = EXIT_CODES.error;
  writeFileAtomically(path.join(folder, ANSWER_FILE), JSON.stringify(answer));
}

/**
 * Removes the folder if it is empty, because the reporter that created it may have exited. A folder with files is
 * removed by the cleanup of old temporary folders.
 */
function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {}
}

/**
 * Opens the memory while the tests run. Does not create a memory, because a run that never ends should leave none
 * behind.
 */
async function openMemory(session: Session): Promise<void> {
  if (await session.hasMemory()) await session.readOverview();
}

/** Returns undefined if stdin closes first. Then the reporter has exited or has nothing to report. */
function waitForEnd(folder: string): Promise<RunEnd | undefined> {
  return new Promise((resolve, reject) => {
    const checkForEnd = (isLast: boolean) => {
      try {
        const end = claimEnd(folder);
        if (end === undefined && !isLast) return;
        clearInterval(timer);
        io().stdin.destroy();
        resolve(end);
      } catch (thrown) {
        reject(thrown);
      }
    };
    const timer = setInterval(checkForEnd, POLL_INTERVAL_MS, false);
    io()
      .stdin.on('close', () => checkForEnd(true))
      .on('error', () => {});
    io().stdin.resume();
  });
}

/**
 * Claims the end file by renaming it. The reporter starts a second process if the first appears to be dead, and only
 * one of the two may record the run.
 */
function claimEnd(folder: string): RunEnd | undefined {
  const claimed = path.join(folder, CLAIMED_FILE);
  try {
    renameSync(path.join(folder, END_FILE), claimed);
  } catch (thrown) {
    if (getSystemCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
  const end: RunEnd = JSON.parse(readText(claimed, { maxBytes: MAX_END_BYTES, links: 'refused' }));
  return end;
}

function toReporterAnswer(run: StorageResult<RunResult> | undefined): ReporterAnswer {
  if (run === undefined) return {};
  const known = formatKnownFailures(run.value);
  return {
    ...(known === '' ? {} : { known: `${known}\n` }),
    ...(run.notStored === undefined ? {} : { complaint: formatComplaint(`is not stored: ${run.warnings.join(' ')}`) }),
  };
}

/** Returns a single line, so that the message does not hide the output of the tests. */
function formatComplaint(problem: string): string {
  return `this run ${toCommandLineText(problem).replaceAll(/\s*\n\s*/gu, ' ')}`;
}

async function recordEndedRun(
  session: Session,
  folder: string,
  end: RunEnd,
  git: Promise<GitFacts | null>,
): Promise<StorageResult<RunResult>> {
  const { runner, command, startedAt, durationMs, exitCode, timedOut, filter, output } = end;
  if (tryLstat(folder)?.isDirectory() !== true)
    throw new ArgusError('INVALID_INPUT', `${folder} is not a folder. Pass the folder that the reporter wrote to.`);
  const sources = createHookReportSettings({ dir: folder, root: session.root, env: {} }).reports;
  const reports = await findReports(sources, session.root, () => true);
  return session.recordRun({
    command: command ?? null,
    runner: determineRunner(sources, reports, runner),
    startedAt: startedAt === undefined ? null : Date.parse(startedAt),
    durationMs: durationMs ?? null,
    exitCode: exitCode ?? null,
    signal: null,
    timedOut: timedOut ?? false,
    folder: getFolderInProject(session.project, session.root),
    git: (await git) ?? createCiFacts(),
    environment: getRunConditions(session.root),
    reports,
    outputTail: output ?? null,
    containers: [],
    notes: readReporterNotes(folder),
    filter: filter ?? null,
  });
}
