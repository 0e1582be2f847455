/**
 * The two memories of solutions: the project's database, and the user's own memory in the platform's data folder. Each
 * is opened with the other as a secondary memory, so that a search covers both and ids of both resolve.
 */

import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { type Calls, EngineError, type RankedSolutionsResult } from 'argus-engine';
import { patternError } from '../config/load.ts';
import { type DetectedEnvironment, environmentOf } from '../environment/project-environment.ts';
import { ArgusError, messageOf } from '../errors.ts';
import { trustedDataFolder } from '../owner/data-folder.ts';
import { type Calling, Database, type Store, type WithWarnings } from '../storage/database.ts';
import type { SolutionCallName } from '../storage/late-solutions.ts';
import { tighten } from '../system/files/way.ts';
import { homeFolderOfUser, io } from '../system/io.ts';
import { merged } from '../team/client/merge.ts';
import type { Searched, Session } from './session.ts';

/** The project in which a call without a project happens: its rules, and its database if there is one. */
interface Surroundings {
  session: Session;
  /** Folders whose repository might contain a fake data folder. Empty when the server was started in no folder. */
  roots: readonly string[];
  /** Empty until the project has something to find, because a search must not create a file in a project. */
  searched: Searched;
  warnings: string[];
}

/** The part of the session manager that the memories need. */
interface Projects {
  all(): Session[];
  getOrOpen(projectPath: string): Promise<Session>;
  bare(root: string): Session;
}

export class Memories {
  readonly #sessionManager: Projects;
  /** The user's memory, by the options that it was opened with. */
  readonly #users = new Map<string, Database>();

  constructor(sessionManager: Projects) {
    this.#sessionManager = sessionManager;
  }

  /** The memory for a call: the project's memory, or the user's memory without a project. */
  async of(projectPath: string | undefined): Promise<Memory> {
    if (projectPath !== undefined) {
      const session = await this.#sessionManager.getOrOpen(projectPath).catch(asInvalidInput);
      return new Memory(session.database, { root: session.root, ...(isOfTeam(session) ? { ofTeam: session } : {}) });
    }
    const surroundings = await this.#surroundings();
    const { session, warnings } = surroundings;
    const [newest = session] = this.#sessionManager.all();
    const beside = isOfTeam(session) ? { beside: session } : {};
    return new Memory(await this.#user(surroundings), { root: newest.root, warnings, ...beside });
  }

  async close(): Promise<void> {
    const open = [...this.#users.values()];
    this.#users.clear();
    await Promise.allSettled(open.map((database) => database.close()));
  }

  async #user({ session, roots, searched }: Surroundings): Promise<Database> {
    const folder = await trustedDataFolder(...roots);
    const file = path.join(folder, 'memory.db');
    const { secondaryPath, secondaryMemoryId, foreignPath, sharedPath } = searched;
    const { by, from } = session.recorder;
    const beside = [secondaryPath, secondaryMemoryId, foreignPath, sharedPath];
    const key = [session.root, session.loaded.text, ...beside, by, from].join('\0');
    const known = this.#users.get(key);
    if (known) return known;
    tighten(folder, 0o700);
    const database = new Database({
      // Files in the user's data folder belong to the user, so they need no id.
      locate: async () => ({ path: file, memoryId: undefined, newId: undefined, foreignPath, sharedPath }),
      isThere: async () => existsSync(file),
      opening: async () => session.opening('user', searched),
      refused: (message) => patternError(session.loaded, message),
    });
    this.#users.set(key, database);
    return database;
  }

  /** The newest open project that has learned something, otherwise the project that the server was started in. */
  async #surroundings(): Promise<Surroundings> {
    const open = this.#sessionManager.all();
    for (const session of open) {
      const searched = await session.searched();
      if (searched.secondaryPath !== undefined || isOfTeam(session))
        return { session, roots: rootsOf(session), searched, warnings: [] };
    }
    try {
      const start = await this.#sessionManager.getOrOpen(io().cwd());
      const searched = await start.searched();
      const isEmpty = searched.secondaryPath === undefined && searched.foreignPath === undefined && !isOfTeam(start);
      return { session: isEmpty ? (open[0] ?? start) : start, roots: rootsOf(start), searched, warnings: [] };
    } catch (thrown) {
      // The user's memory must stay usable when the folder is gone or its configuration has an error.
      const session = open[0] ?? this.#sessionManager.bare(homeFolderOfUser());
      const warnings = [`The project the server was started in is not searched: ${messageOf(thrown)}`];
      return { session, roots: startFolder(), searched: {}, warnings };
    }
  }
}

function isOfTeam({ team, historyEnabled }: Session): boolean {
  return team !== undefined && historyEnabled;
}

function rootsOf({ project: { top, home } }: Session): string[] {
  return [top, home];
}

/** The folder that the server was started in, or nothing if the folder is gone. */
function startFolder(): string[] {
  try {
    return [realpathSync.native(io().cwd())];
  } catch {
    return [];
  }
}

/** The contract of these tools has no code for a project that does not exist. */
function asInvalidInput(thrown: unknown): never {
  if (thrown instanceof ArgusError && thrown.code === 'PROJECT_NOT_FOUND') {
    throw new ArgusError('INVALID_INPUT', thrown.message, { cause: thrown });
  }
  throw thrown;
}

/** A project whose memory a team owns. */
type TeamProject = Pick<Session, 'database' | 'remember' | 'takeIn'>;

interface MemoryPlace {
  /** The folder that describes the environment. Undefined when the caller is on another machine. */
  root?: string;
  warnings?: readonly string[];
  /** Set when a team owns this memory: the project of the memory. */
  ofTeam?: TeamProject;
  /** Set when the user's memory is used in a project whose memory a team owns. */
  beside?: TeamProject;
}

/** A memory together with the memory beside it. */
export class Memory {
  readonly root: string | undefined;
  readonly #database: Store;
  readonly #place: MemoryPlace;

  constructor(database: Store, place: MemoryPlace = {}) {
    this.root = place.root;
    this.#database = database;
    this.#place = place;
  }

  environment(): DetectedEnvironment {
    return this.root === undefined ? {} : environmentOf(this.root);
  }

  /** Searches, and remembers the search. If it cannot be remembered, the answer has a warning. */
  async search(params: Calls['rankedSolutions']['params']): Promise<WithWarnings<RankedSolutionsResult>> {
    const { ofTeam, beside, warnings: before = [] } = this.#place;
    await (ofTeam ?? beside)?.takeIn();
    const ask = (store: Store) => store.readOrMake((engine) => engine.rankedSolutions(params));
    const [own, other] = await Promise.all([ask(this.#database), beside && ask(beside.database).catch(unasked)]);
    const warnings = [...before, ...own.warnings, ...(other?.warnings ?? [])];
    return { value: merged(own.value, other?.value, params), warnings };
  }

  /** Reading creates no file. */
  async read<T>(call: (engine: Calling) => Promise<T>): Promise<T> {
    return this.#orBeside(
      async () => (await this.#database.read(call)).value,
      async ({ database }) => (await database.read(call)).value,
    );
  }

  /** Throws if the result cannot be stored, because it must not be lost unnoticed. */
  async write<T>(call: (engine: Calling) => Promise<T>): Promise<T> {
    return call(await this.#database.durable());
  }

  /** Like `write`, for a solution or an outcome. It may wait for a team that cannot be reached. */
  async remember<N extends SolutionCallName>(
    name: N,
    params: Calls[N]['params'],
  ): Promise<Remembered<Calls[N]['result']>> {
    const { ofTeam } = this.#place;
    if (ofTeam !== undefined) return withTeam(ofTeam, name, params);
    return this.#orBeside(
      () => this.write((engine) => engine.call(name, params)),
      // The search id belongs to the user's memory, so the team does not know it.
      (beside) => withTeam(beside, name, { ...params, lookup_id: null }),
    );
  }

  /** Asks the team for ids that this memory does not know. */
  async #orBeside<T>(ask: () => Promise<T>, askBeside: (beside: TeamProject) => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (thrown) {
      const { beside } = this.#place;
      const isUnknown = thrown instanceof EngineError && thrown.code.endsWith('_NOT_FOUND');
      if (beside === undefined || !isUnknown || thrown.code === 'LOOKUP_NOT_FOUND') throw thrown;
      return askBeside(beside);
    }
  }
}

async function withTeam<N extends SolutionCallName>(
  team: TeamProject,
  name: N,
  params: Calls[N]['params'],
): Promise<Remembered<Calls[N]['result']>> {
  const { value, warnings, ...queued } = await team.remember(name, params);
  return { ...value, ...queued, ...(warnings.length > 0 ? { warnings } : {}) };
}

function unasked(thrown: unknown): { value: undefined; warnings: string[] } {
  return { value: undefined, warnings: [`The team's memory is not searched: ${messageOf(thrown)}`] };
}

/** A result, with a mark if it waits for the team's server. */
export type Remembered<T> = T & { queued?: true; warnings?: string[] };
