/**
 * record: what an installed reporter tells of a run: at its beginning, so that the work tree is noted as the tests find it,
 * and at its end, when its reports lie in a folder. Reporters: run/reporters/installed.
 */

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { GitFacts, RunResult } from 'argus-engine';
import { enveloped } from '../../answer.ts';
import { ArgusError } from '../../errors.ts';
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
import { lstat } from '../../system/files/way.ts';
import { adoptsInCi, terminal } from '../recorder.ts';
import { EXIT } from '../terminal/exit.ts';

/** What git said at the beginning. */
const GIT_FILE = 'git.json';

/** What the runner said outside of tests. */
const OUTPUT_FILE = 'output.txt';

export interface RecordOptions {
  begin?: boolean;
  runner?: string;
  command?: string;
  startedAt?: number;
  duration?: number;
  exitCode?: number;
  timedOut?: boolean;
  filter?: string;
}

/** Says what is known of the failures, and nothing else on stdout. */
export async function record(folder: string, options: RecordOptions): Promise<void> {
  const root = process.cwd();
  if (options.begin) return noteGit(folder, root);
  const sessionManager = new SessionManager({ recorder: terminal(), adopts: adoptsInCi() });
  const envelope = await enveloped(async () => {
    const session = await sessionManager.init(root, undefined, 'person');
    // Whoever has switched the history off has said so, and hears nothing of it.
    return { run: session.historyEnabled ? await recorded(session, folder, options) : undefined };
  });
  await sessionManager.closeAll();
  if (!envelope.success) return complain(`was not recorded: ${envelope.error.code}: ${envelope.error.message}`);
  const { run } = envelope.data;
  if (run === undefined) return;
  const text = formatKnown(run.value);
  if (text !== '') process.stdout.write(`${text}\n`);
  if (run.notStored !== undefined) complain(`is not stored: ${run.warnings.join(' ')}`);
}

/** One line: whoever runs tests looks for theirs. */
function complain(problem: string): void {
  process.stderr.write(`this run ${withCommands(problem).replaceAll(/\s*\n\s*/gu, ' ')}\n`);
  process.exitCode = EXIT.error;
}

/** A run may be over, and its folder gone, before git has answered. */
async function noteGit(folder: string, root: string): Promise<void> {
  const facts = await gitFacts(root);
  const file = path.join(folder, GIT_FILE);
  if (!existsSync(folder)) return;
  writeFileSync(`${file}.new`, JSON.stringify(facts));
  renameSync(`${file}.new`, file);
}

async function recorded(session: Session, folder: string, options: RecordOptions): Promise<Kept<RunResult>> {
  const { runner, command, startedAt, duration, exitCode, timedOut, filter } = options;
  if (lstat(folder)?.isDirectory() !== true)
    throw new ArgusError('INVALID_INPUT', `${folder} is no folder. A reporter names the one that it wrote to.`);
  const sources = hookReporting({ dir: folder, root: session.root, env: {} }).reports;
  const reports = await writtenReports(sources, session.root, () => true);
  const output = path.join(folder, OUTPUT_FILE);
  return session.recordRun({
    command: command ?? null,
    runner: runnerThatWrote(sources, reports, runner),
    startedAt: startedAt ?? null,
    durationMs: duration ?? null,
    exitCode: exitCode ?? null,
    signal: null,
    timedOut: timedOut ?? false,
    folder: folderOf(session.project, session.root),
    git: (await gitSeen(folder, session.root)) ?? ciFacts(),
    environment: conditions(session.root),
    reports,
    outputTail: existsSync(output) ? readFileSync(output, 'utf8') : null,
    containers: [],
    notes: [],
    filter: filter ?? null,
  });
}

/** As it was at the beginning; a run that is over before git has answered is asked about now. */
async function gitSeen(folder: string, root: string): Promise<GitFacts | null> {
  const file = path.join(folder, GIT_FILE);
  if (!existsSync(file)) return gitFacts(root);
  const facts: GitFacts | null = JSON.parse(readFileSync(file, 'utf8'));
  return facts;
}
