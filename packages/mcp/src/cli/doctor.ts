/**
 * The command `doctor`: checks everything that a session needs, including a real write to the database, and prints
 * advice for each problem. It repairs nothing.
 */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { openEngine } from 'argus-engine';
import { runInEnvelope, toErrorBody } from '../answer.ts';
import { getErrorMessage } from '../errors.ts';
import { type Check, formatDoctorChecks } from '../format/project.ts';
import { readHookState } from '../hook/hook-location.ts';
import { computeScore } from '../hook/score.ts';
import { formatForeignNote } from '../owner/memory-location.ts';
import type { Project } from '../owner/project.ts';
import { findCommandProblem, findVersionProblem } from '../run/advice/runner-check.ts';
import { createCiFacts, readGitFacts } from '../run/git-state.ts';
import { recognizeRunnerName } from '../run/planning/plan.ts';
import { getField } from '../run/planning/scripts.ts';
import { getInstalledPrograms } from '../run/planning/test-command.ts';
import type { Session } from '../sessions/session.ts';
import { SessionManager } from '../sessions/session-manager.ts';
import { readText } from '../system/files/read.ts';
import { createTemporaryFolderBeside, type TemporaryFolder } from '../system/files/temporary.ts';
import { createUnwritableError } from '../system/files/unwritable-error.ts';
import { getUserDatabasePath } from '../system/files/user-folder.ts';
import { io, toAbsolutePath } from '../system/io.ts';
import { checkTeamServer } from '../team/client/remote.ts';
import { includesScope } from '../team/protocol.ts';
import { formatCount } from '../text/count.ts';
import { VERSION } from '../version.ts';
import { checkServerStarts } from './install/start-check.ts';
import { EXIT_CODES } from './terminal/exit.ts';
import { type GlobalOptions, getTerminalRecorder, printEnvelope } from './terminal/output.ts';

const MAX_LOCK_MODE_BYTES = 4096;

export async function runDoctorCommand(options: GlobalOptions): Promise<void> {
  const envelope = await runInEnvelope(async () => {
    const checks = await runAllChecks(options);
    return { ok: checks.every((check) => check.state !== 'problem'), checks };
  });
  printEnvelope(envelope, options.json ?? false, ({ checks }) => formatDoctorChecks(checks));
  io().exitCode = envelope.success ? exitCode(envelope.data) : EXIT_CODES.error;
}

function exitCode({ ok }: { ok: boolean }): number {
  return ok ? EXIT_CODES.done : EXIT_CODES.failures;
}

async function runAllChecks(options: GlobalOptions): Promise<Check[]> {
  const sessionManager = new SessionManager({ recorder: getTerminalRecorder(), adoptsForeign: false });
  const checks: Check[] = [
    { name: 'argus', state: 'ok', detail: VERSION },
    { name: 'node', state: 'ok', detail: `${process.version} ${process.platform} ${process.arch}` },
  ];
  try {
    const session = await sessionManager.init(toAbsolutePath(options.project), options.config, 'person');
    checks.push(
      { name: 'project', state: 'ok', detail: describeLocation(session.project) },
      { name: 'config', state: 'ok', detail: session.loaded.path ?? 'none (not required)' },
      { name: 'locale', state: 'ok', detail: session.locale },
      await checkStorage(session),
      ...(await checkTeam(session)),
      ...(await checkWaitingCalls(session)),
      ...(await checkServerStarts(session.project.top)),
      ...(await checkHook(session)),
      await checkUserMemory(),
      await checkTestCommand(session),
      await checkGit(session),
    );
  } catch (thrown) {
    checks.push(await toProblemCheck('project', thrown));
  } finally {
    await sessionManager.closeAll();
  }
  return checks;
}

/** Returns the project's folder, and the folder of its memory if that is another folder. */
function describeLocation({ root, top, home }: Project): string {
  if (home !== top) return `${root}, a linked work tree that uses the memory of ${home}`;
  return root === top ? root : `${root}, which shares the memory of ${top}`;
}

async function checkStorage(session: Session): Promise<Check> {
  if (!session.historyEnabled) return { name: 'database', state: 'note', detail: 'history is disabled' };
  try {
    const { path: file, memoryId, ...placement } = await session.findMemoryLocation();
    const exists = memoryId !== undefined;
    const locks = exists ? await checkDatabaseWrite(session, file) : await checkFutureDatabase(session, file);
    const note = formatForeignNote({ path: file, ...placement });
    const ownerNote = note ?? (exists ? 'yours' : 'nothing is recorded yet');
    const detail = `${file}, writable, locks: ${locks}; ${ownerNote}`;
    return { name: 'database', state: note === undefined ? 'ok' : 'note', detail };
  } catch (thrown) {
    return toProblemCheck('database', thrown);
  }
}

async function checkDatabaseWrite(session: Session, file: string): Promise<string> {
  await (await session.openLocalMemory()).checkWrite();
  return readLockMode(file);
}

/** Checks the future folder of a database with a temporary database, because the database does not exist yet. */
async function checkFutureDatabase({ project }: Session, file: string): Promise<string> {
  const probe = createProbeFolder(path.dirname(file));
  try {
    const databasePath = path.join(probe.path, 'argus.db');
    const engine = await openEngine({ databasePath, projectRoot: project.top });
    await engine.checkWrite().finally(() => engine.close());
    return readLockMode(databasePath);
  } finally {
    probe.remove();
  }
}

/** Creates a temporary folder in the nearest existing parent folder of `wanted`. */
function createProbeFolder(wanted: string): TemporaryFolder {
  let folder = wanted;
  while (!existsSync(folder) && folder !== path.dirname(folder)) folder = path.dirname(folder);
  try {
    return createTemporaryFolderBeside(path.join(folder, 'argus.db'), 'doctor');
  } catch (thrown) {
    throw createUnwritableError(folder, thrown, folder === wanted ? '' : `, where ${wanted} would be created`);
  }
}

/** Checks that the team's server stores what is recorded in this project, if the repository belongs to a team. */
async function checkTeam({ team, remote, historyEnabled }: Session): Promise<Check[]> {
  if (team === undefined || remote === undefined || !historyEnabled) return [];
  const { url, project } = team;
  try {
    const reached = await checkTeamServer(remote, team);
    if (!reached.reachable) return [{ name: 'team', state: 'problem', detail: reached.problem }];
    const { token, scope } = reached;
    const who = `${project} at ${url}, as '${token}' with the scope ${scope}`;
    if (!includesScope(scope, 'write')) {
      return [
        { name: 'team', state: 'note', detail: `${who}: this token cannot store runs, because it may only read` },
      ];
    }
    await remote.call('checkWrite', {});
    return [{ name: 'team', state: 'ok', detail: `${who}, writable` }];
  } catch (thrown) {
    return [await toProblemCheck('team', thrown)];
  }
}

/** Reports calls that could not be stored when they were made. Returns an empty list if there are none. */
async function checkWaitingCalls(session: Session): Promise<Check[]> {
  if (!session.historyEnabled) return [];
  const { waiting, refused, refusedIn } = await session.countWaiting();
  if (waiting + refused === 0) return [];
  const refusedNote =
    session.team === undefined ? 'that cannot be stored' : 'that the team rejected; argus team push sends them again';
  const details = [
    ...(waiting > 0 ? [`${formatCount(waiting, 'call')} waiting to be stored by the next call`] : []),
    ...(refused > 0
      ? [`${formatCount(refused, 'call')} ${refusedNote} (see *.refused in ${refusedIn.join(' and ')})`]
      : []),
  ];
  return [{ name: 'waiting', state: 'note', detail: details.join('; ') }];
}

/**
 * Checks the user's memory, which belongs to no project. A problem is only a note, because a project works without that
 * memory.
 */
async function checkUserMemory(): Promise<Check> {
  try {
    const file = await getUserDatabasePath();
    return { name: 'user memory', state: 'ok', detail: existsSync(file) ? file : `${file} (still empty)` };
  } catch (thrown) {
    return { name: 'user memory', state: 'note', detail: getErrorMessage(thrown) };
  }
}

async function checkTestCommand(session: Session): Promise<Check> {
  const { root, command } = session.testPlace;
  if (command === undefined) {
    return { name: 'tests', state: 'note', detail: 'no command found; set test.command in argus.yaml' };
  }
  const wrong = findCommandProblem(command, root, getInstalledPrograms());
  if (wrong !== undefined) return { name: 'tests', state: 'problem', detail: `${command}: ${wrong}` };
  const old = await findVersionProblem(command, root);
  if (old !== undefined) return { name: 'tests', state: 'note', detail: `${command}: ${old}` };
  const runner = recognizeRunnerName(command, root);
  return {
    name: 'tests',
    state: 'ok',
    detail: `${command} (${runner ?? 'unknown runner, recorded as a single case from its output'})`,
  };
}

async function checkGit(session: Session): Promise<Check> {
  const facts = await readGitFacts(session.root);
  if (!facts) {
    const commit = createCiFacts()?.commit;
    const recorded = commit === undefined ? 'without a commit' : `with the commit from the CI environment, ${commit}`;
    return { name: 'git', state: 'note', detail: `not a repository, so runs are recorded ${recorded}` };
  }
  const where = facts.branch ?? 'detached';
  return { name: 'git', state: 'ok', detail: `${where}${facts.dirty ? ', uncommitted changes' : ''}` };
}

async function toProblemCheck(name: string, thrown: unknown): Promise<Check> {
  const { code, message } = await toErrorBody(thrown);
  return { name, state: 'problem', detail: `${code}: ${message}` };
}

/** Reads the kind of lock that users of the database take. The engine records it in a file next to the database. */
function readLockMode(databasePath: string): string {
  try {
    const record: unknown = JSON.parse(
      readText(`${databasePath}.lockmode`, { maxBytes: MAX_LOCK_MODE_BYTES, links: 'refused' }),
    );
    return String(getField(record, 'mode') ?? 'unknown');
  } catch {
    return 'unknown';
  }
}

/** Older errors of the hook are not mentioned, because the check describes the current state. */
const MAX_HOOK_ERROR_AGE_MS = 7 * 24 * 60 * 60 * 1_000;

/** Returns an empty list if the hook was never called. */
async function checkHook({ project, config }: Pick<Session, 'project' | 'config'>): Promise<Check[]> {
  const name = 'hook';
  if (config.hook === false) return [{ name, state: 'note', detail: 'off: hook is false in argus.yaml' }];
  const state = await readHookState(project).catch(() => undefined);
  if (state === undefined || state.lines.length === 0) return [];
  const { said, used, wrong, precision, muted } = computeScore(state);
  const counts = `${formatCount(said, 'hint')}, ${used} used, ${wrong} wrong`;
  const precisionText = precision === null ? '' : `, precision ${precision.toFixed(2)}`;
  const quiet = 'muted, because less than half of its hints were right; argus-mcp score --reset unmutes it';
  const trouble = state.findLast('trouble');
  const troubled =
    trouble !== undefined && io().now() - trouble.at < MAX_HOOK_ERROR_AGE_MS
      ? `; at ${new Date(trouble.at).toISOString()} it failed: ${trouble.reason}`
      : '';
  const isNote = muted || troubled !== '';
  return [
    { name, state: isNote ? 'note' : 'ok', detail: `${counts}${precisionText}${muted ? `; ${quiet}` : ''}${troubled}` },
  ];
}
