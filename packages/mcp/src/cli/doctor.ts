/**
 * doctor: checks everything that a session needs, including a real write, and prints advice for each problem. It
 * repairs nothing.
 */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { openEngine } from 'argus-engine';
import { enveloped, toErrorBody } from '../answer.ts';
import { messageOf } from '../errors.ts';
import { type Check, formatChecks } from '../format/project/doctor-text.ts';
import { foreignNote } from '../owner/placement.ts';
import type { Project } from '../owner/project.ts';
import { commandProblem, versionProblem } from '../run/advice/runner-check.ts';
import { ciFacts, gitFacts } from '../run/git-state.ts';
import { recognisedRunner } from '../run/planning/plan.ts';
import { field } from '../run/planning/scripts.ts';
import { thisMachine } from '../run/planning/test-command.ts';
import type { Session } from '../sessions/session.ts';
import { SessionManager } from '../sessions/session-manager.ts';
import { readText } from '../system/files/read.ts';
import { type TemporaryFolder, temporaryFolderBeside } from '../system/files/temporary.ts';
import { unwritable } from '../system/files/unwritable.ts';
import { userDatabasePath } from '../system/files/user-folder.ts';
import { absolutePath, io } from '../system/io.ts';
import { reach } from '../team/client/reach.ts';
import { holds } from '../team/protocol.ts';
import { count } from '../text/count.ts';
import { VERSION } from '../version.ts';
import { hookCheck } from './hook/hook-check.ts';
import { terminal } from './recorder.ts';
import { EXIT } from './terminal/exit.ts';
import { type GlobalOptions, print } from './terminal/output.ts';

const MAX_LOCK_MODE_BYTES = 4096;

export async function doctor(options: GlobalOptions): Promise<void> {
  const envelope = await enveloped(async () => {
    const checks = await allChecks(options);
    return { ok: checks.every((check) => check.state !== 'problem'), checks };
  });
  print(envelope, options.json ?? false, ({ checks }) => formatChecks(checks));
  io().exitCode = envelope.success ? exitCode(envelope.data) : EXIT.error;
}

function exitCode({ ok }: { ok: boolean }): number {
  return ok ? EXIT.done : EXIT.failures;
}

async function allChecks(options: GlobalOptions): Promise<Check[]> {
  const sessionManager = new SessionManager({ recorder: terminal(), adopts: false });
  const checks: Check[] = [
    { name: 'argus', state: 'ok', detail: VERSION },
    { name: 'node', state: 'ok', detail: `${process.version} ${process.platform} ${process.arch}` },
  ];
  try {
    const session = await sessionManager.init(absolutePath(options.project), options.config, 'person');
    checks.push(
      { name: 'project', state: 'ok', detail: whereOf(session.project) },
      { name: 'config', state: 'ok', detail: session.loaded.path ?? 'none (none is needed)' },
      { name: 'locale', state: 'ok', detail: session.locale },
      await storageCheck(session),
      ...(await teamCheck(session)),
      ...(await waitingCheck(session)),
      ...(await hookCheck(session)),
      await userMemoryCheck(),
      await testCheck(session),
      await gitCheck(session),
    );
  } catch (thrown) {
    checks.push(await problem('project', thrown));
  } finally {
    await sessionManager.closeAll();
  }
  return checks;
}

/** Returns the project's folder, and the place of its memory if that is another folder. */
function whereOf({ root, top, home }: Project): string {
  if (home !== top) return `${root}, in a linked work tree: the memory is that of ${home}`;
  return root === top ? root : `${root}, in ${top}, whose memory it shares`;
}

async function storageCheck(session: Session): Promise<Check> {
  if (!session.historyEnabled) return { name: 'database', state: 'note', detail: 'history is disabled' };
  try {
    const { path: file, memoryId, ...placement } = await session.placement();
    const isThere = memoryId !== undefined;
    const locks = isThere ? await checkWrite(session, file) : await checkPlace(session, file);
    const note = foreignNote({ path: file, ...placement });
    const whose = note ?? (isThere ? 'made or adopted by this user' : 'nothing is recorded yet');
    const detail = `${file}, a write works, locks: ${locks}; ${whose}`;
    return { name: 'database', state: note === undefined ? 'ok' : 'note', detail };
  } catch (thrown) {
    return problem('database', thrown);
  }
}

async function checkWrite(session: Session, file: string): Promise<string> {
  await (await session.localMemory()).checkWrite();
  return lockMode(file);
}

/** Checks the future place of a database with a temporary database, because nothing is recorded yet. */
async function checkPlace({ project }: Session, file: string): Promise<string> {
  const trial = trialAt(path.dirname(file));
  try {
    const databasePath = path.join(trial.path, 'argus.db');
    const engine = await openEngine({ databasePath, projectRoot: project.top });
    await engine.checkWrite().finally(() => engine.close());
    return lockMode(databasePath);
  } finally {
    trial.remove();
  }
}

/** Creates a temporary folder in the nearest parent folder that exists. */
function trialAt(wanted: string): TemporaryFolder {
  let folder = wanted;
  while (!existsSync(folder) && folder !== path.dirname(folder)) folder = path.dirname(folder);
  try {
    return temporaryFolderBeside(path.join(folder, 'argus.db'), 'doctor');
  } catch (thrown) {
    throw unwritable(folder, thrown, folder === wanted ? '' : `, where ${wanted} is to be made`);
  }
}

/** Checks that the team's server stores what is recorded here, if the repository belongs to a team. */
async function teamCheck({ team, remote, historyEnabled }: Session): Promise<Check[]> {
  if (team === undefined || remote === undefined || !historyEnabled) return [];
  const { url, project } = team;
  try {
    const reached = await reach(remote, team);
    if (!reached.reachable) return [{ name: 'team', state: 'problem', detail: reached.problem }];
    const { token, scope } = reached;
    const who = `${project} at ${url}, as '${token}' with the scope ${scope}`;
    if (!holds(scope, 'write')) {
      return [{ name: 'team', state: 'note', detail: `${who}: what is recorded here cannot be stored there` }];
    }
    await remote.call('checkWrite', {});
    return [{ name: 'team', state: 'ok', detail: `${who}, a write works` }];
  } catch (thrown) {
    return [await problem('team', thrown)];
  }
}

/** Notes calls that could not be stored when they were made. Returns nothing without such calls. */
async function waitingCheck(session: Session): Promise<Check[]> {
  if (!session.historyEnabled) return [];
  const { waiting, refused, refusedIn } = await session.waiting();
  if (waiting + refused === 0) return [];
  const lasting =
    session.team === undefined
      ? 'that can never be stored'
      : 'that the team refused, which argus team push sends again';
  const details = [
    ...(waiting > 0 ? [`${count(waiting, 'call')} to be stored by the next one that can`] : []),
    ...(refused > 0 ? [`${count(refused, 'call')} ${lasting}: look at *.refused in ${refusedIn.join(' and ')}`] : []),
  ];
  return [{ name: 'waiting', state: 'note', detail: details.join('; ') }];
}

/** Checks the user's memory, which belongs to no project. Writes nothing, because a project works without it. */
async function userMemoryCheck(): Promise<Check> {
  try {
    const file = await userDatabasePath();
    return { name: 'user memory', state: 'ok', detail: existsSync(file) ? file : `${file} (nothing in it yet)` };
  } catch (thrown) {
    return { name: 'user memory', state: 'note', detail: messageOf(thrown) };
  }
}

async function testCheck(session: Session): Promise<Check> {
  const { root, command } = session.testPlace;
  if (command === undefined) {
    return { name: 'tests', state: 'note', detail: 'no command found; set test.command in argus.yaml' };
  }
  const wrong = commandProblem(command, root, thisMachine());
  if (wrong !== undefined) return { name: 'tests', state: 'problem', detail: `${command}: ${wrong}` };
  const old = await versionProblem(command, root);
  if (old !== undefined) return { name: 'tests', state: 'note', detail: `${command}: ${old}` };
  const runner = recognisedRunner(command, root);
  return {
    name: 'tests',
    state: 'ok',
    detail: `${command} (${runner ?? 'no known runner: one case from its output'})`,
  };
}

async function gitCheck(session: Session): Promise<Check> {
  const facts = await gitFacts(session.root);
  if (!facts) {
    const commit = ciFacts()?.commit;
    const recorded = commit === undefined ? 'without a commit' : `with the commit that CI names, ${commit}`;
    return { name: 'git', state: 'note', detail: `no repository: runs are recorded ${recorded}` };
  }
  const where = facts.branch ?? 'detached';
  return { name: 'git', state: 'ok', detail: `${where}${facts.dirty ? ', uncommitted changes' : ''}` };
}

async function problem(name: string, thrown: unknown): Promise<Check> {
  const { code, message } = await toErrorBody(thrown);
  return { name, state: 'problem', detail: `${code}: ${message}` };
}

/** Reads which kind of lock the users of the database take; the engine records it in a file beside the database. */
function lockMode(databasePath: string): string {
  try {
    const record: unknown = JSON.parse(
      readText(`${databasePath}.lockmode`, { maxBytes: MAX_LOCK_MODE_BYTES, links: 'refused' }),
    );
    return String(field(record, 'mode') ?? 'unknown');
  } catch {
    return 'unknown';
  }
}
