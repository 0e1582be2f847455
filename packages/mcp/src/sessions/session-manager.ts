/** The open projects of this process. There is one session for each real path. */

import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ConfigRequester, type LoadedConfig, loadConfig } from '../config/load.ts';
import { ArgusError, getErrorMessage, getSystemCode } from '../errors.ts';
import { findTrustedDataFolder } from '../owner/data-folder.ts';
import { findProject, type Project } from '../owner/project.ts';
import { isStorageProblem } from '../storage/database.ts';
import { toAbsolutePath } from '../system/io.ts';
import { type Membership, Memberships } from '../team/client/membership.ts';
import { toShortLine } from '../text/untrusted-text.ts';
import { Memories } from './memories.ts';
import { type ProcessOptions, Session } from './session.ts';

export type ConfigReviser = (project: Project, loaded: LoadedConfig) => Promise<LoadedConfig>;

export class SessionManager {
  readonly process: ProcessOptions;
  readonly #sessions = new Map<string, Session>();
  /** Sessions of projects that the debug memory uses, but that argus_init has not opened. */
  readonly #implicitSessions = new Map<string, Session>();
  readonly memories = new Memories(this);

  constructor(process: ProcessOptions = { recorder: {}, adoptsForeign: false }) {
    this.process = process;
  }

  /**
   * Opens a project. Opening it again applies a changed configuration. `revise` can replace the configuration of the
   * checkout.
   */
  async init(
    projectPath: string,
    configFile?: string,
    namedBy?: ConfigRequester,
    revise: ConfigReviser = async (_, loaded) => loaded,
  ): Promise<Session> {
    const project = await findProject(resolveProjectPath(projectPath));
    const loaded = await loadConfig(project, configFile, namedBy);
    return this.#openUpToDate(this.#sessions, project, await revise(project, loaded));
  }

  /**
   * Returns the session of an open project, or of a project that already has a memory. The memory is enough, because a
   * restarted server does not know which projects were open.
   */
  async getOrThrow(projectPath: string): Promise<Session> {
    requireAbsolute(projectPath);
    const open = this.#sessions.get(toSessionKey(tryResolvePath(projectPath)));
    if (open) return open;
    const project = await findExistingProject(projectPath);
    if (project === undefined) throw createNoSessionError(projectPath);
    const sameProjectSession = this.listOpen().find(
      ({ project: { home } }) => toSessionKey(home) === toSessionKey(project.home),
    );
    const loaded = sameProjectSession?.hasNamedConfig === true ? sameProjectSession.loaded : await loadConfig(project);
    if (sameProjectSession === undefined && !(await this.#hasMemory(project, loaded)))
      throw createNoSessionError(projectPath);
    return this.#openUpToDate(this.#sessions, project, loaded);
  }

  /** Returns the session of a project without argus_init. Tools that require argus_init still require it afterwards. */
  async getOrOpen(projectPath: string): Promise<Session> {
    const root = resolveProjectPath(projectPath);
    const open = this.#sessions.get(toSessionKey(root));
    if (open) return open;
    const project = await findProject(root);
    return this.#openUpToDate(this.#implicitSessions, project, await loadConfig(project));
  }

  /** Creates a session without a configuration, which is used if no configuration can be read. */
  createWithoutConfig(root: string): Session {
    return new Session({ root, top: root, home: root }, { path: null, config: {}, text: '' }, this.process);
  }

  /** Returns the open sessions, the newest first. */
  listOpen(): Session[] {
    return [...this.#sessions.values()].reverse();
  }

  async closeAll(): Promise<void> {
    const open = [...this.#sessions.values(), ...this.#implicitSessions.values(), this.memories];
    this.#sessions.clear();
    this.#implicitSessions.clear();
    await Promise.allSettled(open.map((one) => one.close()));
  }

  async #hasMemory(project: Project, loaded: LoadedConfig): Promise<boolean> {
    const session = new Session(project, loaded, this.process, await findTeam(project));
    return session.hasMemory();
  }

  /** Returns the session with this configuration. Replaces a session with an older configuration. */
  async #openUpToDate(sessions: Map<string, Session>, project: Project, loaded: LoadedConfig): Promise<Session> {
    const key = toSessionKey(project.root);
    const open = sessions.get(key);
    const team = await findTeam(project);
    const isUnchanged =
      open?.loaded.path === loaded.path && open.loaded.text === loaded.text && isSameProject(open.project, project);
    if (open !== undefined && isUnchanged && isDeepStrictEqual(open.team, team)) return open;
    const session = new Session(project, loaded, this.process, team);
    sessions.set(key, session);
    await open?.close();
    return session;
  }
}

/** Returns the team of a project's repository. Calls git only if this user has joined a team. */
async function findTeam({ top, home }: Project): Promise<Membership | undefined> {
  try {
    const memberships = new Memberships(await findTrustedDataFolder(top, home));
    return memberships.isEmpty() ? undefined : await memberships.findMembership(top);
  } catch (thrown) {
    // Without a data folder, the user cannot have joined a team.
    if (isStorageProblem(thrown)) return undefined;
    throw thrown;
  }
}

function createNoSessionError(projectPath: string): ArgusError {
  const advice = 'Call argus_init with this projectPath first.';
  return new ArgusError('SESSION_NOT_FOUND', `No active session for '${toShortLine(projectPath)}'. ${advice}`);
}

/** Returns undefined if the folder does not exist. */
async function findExistingProject(projectPath: string): Promise<Project | undefined> {
  try {
    return await findProject(resolveProjectPath(projectPath));
  } catch (thrown) {
    if (thrown instanceof ArgusError) return undefined;
    throw thrown;
  }
}

/**
 * True if the project is the same. A repository may have been created around the folder since the session was opened.
 */
function isSameProject(one: Project, other: Project): boolean {
  return one.top === other.top && one.home === other.home;
}

/** Returns the key of a session. On Windows, `c:` and `C:` are the same drive. */
export function toSessionKey(realPath: string): string {
  return realPath.replace(/^[a-z]:/u, (drive) => drive.toUpperCase());
}

function resolveProjectPath(projectPath: string): string {
  requireAbsolute(projectPath);
  const advice = 'Pass the absolute path of the project directory.';
  try {
    const real = realpathSync.native(projectPath);
    if (statSync(real).isDirectory()) {
      accessSync(real, constants.R_OK | constants.X_OK);
      return real;
    }
  } catch (thrown) {
    const missing = ['ENOENT', 'ENOTDIR'].includes(getSystemCode(thrown) ?? '');
    if (missing)
      throw new ArgusError('PROJECT_NOT_FOUND', `Project '${toShortLine(projectPath)}' does not exist. ${advice}`);
    const reason = getSystemCode(thrown) ?? getErrorMessage(thrown);
    throw new ArgusError(
      'INVALID_INPUT',
      `Project '${toShortLine(projectPath)}' cannot be read (${reason}). ${advice}`,
    );
  }
  throw new ArgusError('INVALID_INPUT', `Project '${toShortLine(projectPath)}' is a file. ${advice}`);
}

function requireAbsolute(projectPath: string): void {
  if (path.isAbsolute(projectPath) && !projectPath.includes('\0')) return;
  throw new ArgusError('INVALID_INPUT', `projectPath must be an absolute path, not '${toShortLine(projectPath)}'.`);
}

function tryResolvePath(projectPath: string): string {
  try {
    return realpathSync.native(projectPath);
  } catch {
    return toAbsolutePath(projectPath);
  }
}
