/** The open projects of this process, with one session for each real path. */

import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ConfigNamer, type LoadedConfig, loadConfig } from '../config/load.ts';
import { ArgusError, messageOf, systemCodeOf } from '../errors.ts';
import { trustedDataFolder } from '../owner/data-folder.ts';
import { type Project, projectAround } from '../owner/project.ts';
import { isStorageProblem } from '../storage/database.ts';
import { absolutePath } from '../system/io.ts';
import { type Membership, Memberships } from '../team/client/membership.ts';
import { shortLine } from '../text/untrusted.ts';
import { Memories } from './memories.ts';
import { type Process, Session } from './session.ts';

export type ReviseConfig = (project: Project, loaded: LoadedConfig) => Promise<LoadedConfig>;

export class SessionManager {
  readonly process: Process;
  readonly #sessions = new Map<string, Session>();
  /** Sessions of projects that the debug memory uses and that argus_init has not opened. */
  readonly #implicitSessions = new Map<string, Session>();
  readonly memories = new Memories(this);

  constructor(process: Process = { recorder: {}, adopts: false }) {
    this.process = process;
  }

  /**
   * Opens a project. Opening it again is allowed and applies a changed configuration. `revised` can replace the
   * configuration of the checkout.
   */
  async init(
    projectPath: string,
    configFile?: string,
    namedBy?: ConfigNamer,
    revised: ReviseConfig = async (_, loaded) => loaded,
  ): Promise<Session> {
    const project = await projectAround(realProjectPath(projectPath));
    const loaded = await loadConfig(project, configFile, namedBy);
    return this.#upToDate(this.#sessions, project, await revised(project, loaded));
  }

  /**
   * Returns the session of an open project or of a project that already has a memory. The memory is enough because a
   * restarted server does not know which projects were open.
   */
  async getOrThrow(projectPath: string): Promise<Session> {
    requireAbsolute(projectPath);
    const open = this.#sessions.get(sessionKey(realPathOrSame(projectPath)));
    if (open) return open;
    const project = await existingProject(projectPath);
    if (project === undefined) throw noSession(projectPath);
    const near = this.all().find(({ project: { home } }) => sessionKey(home) === sessionKey(project.home));
    const loaded = near?.hasNamedConfig === true ? near.loaded : await loadConfig(project);
    if (near === undefined && !(await this.#hasMemory(project, loaded))) throw noSession(projectPath);
    return this.#upToDate(this.#sessions, project, loaded);
  }

  /** Returns the session of a project without argus_init. Tools that require argus_init still require it afterwards. */
  async getOrOpen(projectPath: string): Promise<Session> {
    const root = realProjectPath(projectPath);
    const open = this.#sessions.get(sessionKey(root));
    if (open) return open;
    const project = await projectAround(root);
    return this.#upToDate(this.#implicitSessions, project, await loadConfig(project));
  }

  /** A session without a configuration, used when no configuration can be read. */
  bare(root: string): Session {
    return new Session({ root, top: root, home: root }, { path: null, config: {}, text: '' }, this.process);
  }

  /** Open sessions, newest first. */
  all(): Session[] {
    return [...this.#sessions.values()].reverse();
  }

  async closeAll(): Promise<void> {
    const open = [...this.#sessions.values(), ...this.#implicitSessions.values(), this.memories];
    this.#sessions.clear();
    this.#implicitSessions.clear();
    await Promise.allSettled(open.map((one) => one.close()));
  }

  async #hasMemory(project: Project, loaded: LoadedConfig): Promise<boolean> {
    const session = new Session(project, loaded, this.process, await teamOf(project));
    return session.hasMemory();
  }

  /** Returns the session with this configuration and replaces a session that has an older configuration. */
  async #upToDate(sessions: Map<string, Session>, project: Project, loaded: LoadedConfig): Promise<Session> {
    const key = sessionKey(project.root);
    const open = sessions.get(key);
    const team = await teamOf(project);
    const isAsBefore =
      open?.loaded.path === loaded.path && open.loaded.text === loaded.text && isSame(open.project, project);
    if (open !== undefined && isAsBefore && isDeepStrictEqual(open.team, team)) return open;
    const session = new Session(project, loaded, this.process, team);
    sessions.set(key, session);
    await open?.close();
    return session;
  }
}

/** The team of a project's repository. Git is only asked when this user has joined a team. */
async function teamOf({ top, home }: Project): Promise<Membership | undefined> {
  try {
    const memberships = new Memberships(await trustedDataFolder(top, home));
    return memberships.isEmpty() ? undefined : await memberships.of(top);
  } catch (thrown) {
    // Without a data folder the user cannot have joined a team.
    if (isStorageProblem(thrown)) return undefined;
    throw thrown;
  }
}

function noSession(projectPath: string): ArgusError {
  const advice = 'Call argus_init with this projectPath first.';
  return new ArgusError('SESSION_NOT_FOUND', `No active session for '${shortLine(projectPath)}'. ${advice}`);
}

/** Undefined when the folder does not exist. */
async function existingProject(projectPath: string): Promise<Project | undefined> {
  try {
    return await projectAround(realProjectPath(projectPath));
  } catch (thrown) {
    if (thrown instanceof ArgusError) return undefined;
    throw thrown;
  }
}

/** A repository may have been created around the folder since the session was opened. */
function isSame(one: Project, other: Project): boolean {
  return one.top === other.top && one.home === other.home;
}

/** On Windows `c:` and `C:` name the same drive. */
export function sessionKey(realPath: string): string {
  return realPath.replace(/^[a-z]:/u, (drive) => drive.toUpperCase());
}

function realProjectPath(projectPath: string): string {
  requireAbsolute(projectPath);
  const advice = 'Pass the absolute path of the project directory.';
  try {
    const real = realpathSync.native(projectPath);
    if (statSync(real).isDirectory()) {
      accessSync(real, constants.R_OK | constants.X_OK);
      return real;
    }
  } catch (thrown) {
    const missing = ['ENOENT', 'ENOTDIR'].includes(systemCodeOf(thrown) ?? '');
    if (missing)
      throw new ArgusError('PROJECT_NOT_FOUND', `Project '${shortLine(projectPath)}' does not exist. ${advice}`);
    const reason = systemCodeOf(thrown) ?? messageOf(thrown);
    throw new ArgusError('INVALID_INPUT', `Project '${shortLine(projectPath)}' cannot be read (${reason}). ${advice}`);
  }
  throw new ArgusError('INVALID_INPUT', `Project '${shortLine(projectPath)}' is a file. ${advice}`);
}

function requireAbsolute(projectPath: string): void {
  if (path.isAbsolute(projectPath) && !projectPath.includes('\0')) return;
  throw new ArgusError('INVALID_INPUT', `projectPath must be an absolute path, not '${shortLine(projectPath)}'.`);
}

function realPathOrSame(projectPath: string): string {
  try {
    return realpathSync.native(projectPath);
  } catch {
    return absolutePath(projectPath);
  }
}
