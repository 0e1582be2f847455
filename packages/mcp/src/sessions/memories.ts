/**
 * The two memories of solutions: a project's database, and the user's own in the platform's data folder. Each is opened
 * with the other beside it, so that both are searched and ids resolve in both.
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

/** The project that a call without one happens in: its rules, and its database if there is one. */
interface Surroundings {
  session: Session;
  /** Folders whose repository might bring a data folder of its own; none where the server was started in no folder. */
  roots: readonly string[];
  /** Nothing while there is nothing to find in it: a search makes no file in somebody's project. */
  searched: Searched;
  warnings: string[];
}

/** The open projects, as far as the memories need them. */
interface Projects {
  all(): Session[];
  getOrOpen(projectPath: string): Promise<Session>;
  bare(root: string): Session;
}

export class Memories {
  readonly #sessionManager: Projects;
  /** The user's memory, by what it was opened with. */
  readonly #users = new Map<string, Database>();

  constructor(sessionManager: Projects) {
    this.#sessionManager = sessionManager;
  }

  /** The memory a call works on: its project's, or without one the user's. */
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
      // What lies in the user's data folder is the user's.
      locate: async () => ({ path: file, memoryId: undefined, newId: undefined, foreignPath, sharedPath }),
      isThere: async () => existsSync(file),
      opening: async () => session.opening('user', searched),
      refused: (message) => patternError(session.loaded, message),
    });
    this.#users.set(key, database);
    return database;
  }

  /** The newest open project that has learned something, else the one the server was started in. */
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
      // A folder that is gone, or a mistake in its configuration, is no reason to forget what the user knows.
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

/** Where the server was started; none where that is gone. */
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

/** A project whose memory a team has. */
type TeamProject = Pick<Session, 'database' | 'remember' | 'takeIn'>;

interface MemoryPlace {
  /** The folder whose project and machine tell of the environment; none: whoever asks is elsewhere. */
  root?: string;
  warnings?: readonly string[];
  /** The project that the memory is of, where a team has it. */
  ofTeam?: TeamProject;
  /** The project that the user's memory is asked in, where a team has that. */
  beside?: TeamProject;
}

/** One memory with the other beside it. */
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

  /** A search, which is remembered; where that is not possible it answers all the same, saying so. */
  async search(params: Calls['rankedSolutions']['params']): Promise<WithWarnings<RankedSolutionsResult>> {
    const { ofTeam, beside, warnings: before = [] } = this.#place;
    await (ofTeam ?? beside)?.takeIn();
    const ask = (store: Store) => store.readOrMake((engine) => engine.rankedSolutions(params));
    const [own, other] = await Promise.all([ask(this.#database), beside && ask(beside.database).catch(unasked)]);
    const warnings = [...before, ...own.warnings, ...(other?.warnings ?? [])];
    return { value: merged(own.value, other?.value, params), warnings };
  }

  /** Reading makes no file. */
  async read<T>(call: (engine: Calling) => Promise<T>): Promise<T> {
    return this.#orBeside(
      async () => (await this.#database.read(call)).value,
      async ({ database }) => (await database.read(call)).value,
    );
  }

  /** What must not be lost unnoticed: an error where it cannot be stored. */
  async write<T>(call: (engine: Calling) => Promise<T>): Promise<T> {
    return call(await this.#database.durable());
  }

  /** The same for a solution or what came of one, which may wait for a team that cannot be reached. */
  async remember<N extends SolutionCallName>(
    name: N,
    params: Calls[N]['params'],
  ): Promise<Remembered<Calls[N]['result']>> {
    const { ofTeam } = this.#place;
    if (ofTeam !== undefined) return withTeam(ofTeam, name, params);
    return this.#orBeside(
      () => this.write((engine) => engine.call(name, params)),
      // The search that it names was made with the user's memory.
      (beside) => withTeam(beside, name, { ...params, lookup_id: null }),
    );
  }

  /** Asks the team beside it what this memory does not know. */
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

/** An answer, with what became of it where the team's server cannot be reached. */
export type Remembered<T> = T & { queued?: true; warnings?: string[] };
