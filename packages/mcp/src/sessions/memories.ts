/**
 * The two memories of solutions: the project's database, and the user's own memory in the platform's data folder. Each
 * of them is opened with the other as a secondary memory. Therefore a search covers both memories, and a call accepts
 * ids from both.
 */

import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import {
  type AddIncidentResult,
  type AddSolutionResult,
  type Calls,
  EngineError,
  type RankedSolutionsResult,
  type RecordOutcomeResult,
} from 'argus-engine';
import { createPatternError } from '../config/load.ts';
import { type DetectedEnvironment, getEnvironment } from '../environment/project-environment.ts';
import { ArgusError, getErrorMessage } from '../errors.ts';
import { findTrustedDataFolder } from '../owner/data-folder.ts';
import { Database, type EngineCalls, type ResultWithWarnings, type Store } from '../storage/database.ts';
import type { SolutionCallName } from '../storage/waiting-solutions.ts';
import { restrictPermissions } from '../system/files/path-safety.ts';
import { getUserHomeFolder, io } from '../system/io.ts';
import { mergeSolutions } from '../team/client/team-store.ts';
import { removeInvisibleDeep } from '../text/untrusted-text.ts';
import { selectOnlyId } from './complete-id.ts';
import type { SearchedMemories, Session } from './session.ts';

/** The project in which a call without a project is made: its rules, and its database if there is one. */
interface DefaultProject {
  session: Session;
  /**
   * Folders whose repository could contain a fake data folder. Empty if the folder in which the server was started is
   * gone.
   */
  roots: readonly string[];
  /** Empty until the project contains something to find, because a search must not create a file in a project. */
  searched: SearchedMemories;
  warnings: string[];
}

/** The methods of the session manager that the memories need. */
interface SessionSource {
  listOpen(): Session[];
  getOrOpen(projectPath: string): Promise<Session>;
  createWithoutConfig(root: string): Session;
}

export class Memories {
  readonly #sessionManager: SessionSource;
  /** The user's memory, by the options with which it was opened. */
  readonly #userMemories = new Map<string, Database>();

  constructor(sessionManager: SessionSource) {
    this.#sessionManager = sessionManager;
  }

  /** Returns the memory for a call: the project's memory, or without a project the user's memory. */
  async findMemory(projectPath: string | undefined): Promise<Memory> {
    if (projectPath !== undefined) {
      const session = await this.#sessionManager.getOrOpen(projectPath).catch(rethrowAsInvalidInput);
      return new Memory(session.database, {
        root: session.root,
        ...(hasTeamMemory(session) ? { owningTeamProject: session } : {}),
      });
    }
    const surroundings = await this.#findSurroundings();
    const { session, warnings } = surroundings;
    const [newest = session] = this.#sessionManager.listOpen();
    const teamProject = hasTeamMemory(session) ? { beside: session } : {};
    return new Memory(await this.#openUserMemory(surroundings), { root: newest.root, warnings, ...teamProject });
  }

  async close(): Promise<void> {
    const open = [...this.#userMemories.values()];
    this.#userMemories.clear();
    await Promise.allSettled(open.map((database) => database.close()));
  }

  async #openUserMemory({ session, roots, searched }: DefaultProject): Promise<Database> {
    const folder = await findTrustedDataFolder(...roots);
    const file = path.join(folder, 'memory.db');
    const { secondaryPath, secondaryMemoryId, foreignPath, sharedPath } = searched;
    const { by, from } = session.recorder;
    const secondary = [secondaryPath, secondaryMemoryId, foreignPath, sharedPath];
    const key = [session.root, session.loaded.text, ...secondary, by, from].join('\0');
    const known = this.#userMemories.get(key);
    if (known) return known;
    restrictPermissions(folder, 0o700);
    const database = new Database({
      // Files in the user's data folder belong to the user, so they need no id.
      locate: async () => ({ path: file, memoryId: undefined, newId: undefined, foreignPath, sharedPath }),
      exists: async () => existsSync(file),
      createOpenOptions: async () => session.createOpenOptions('user', searched),
      createPatternError: (message) => createPatternError(session.loaded, message),
    });
    this.#userMemories.set(key, database);
    return database;
  }

  /**
   * Returns the newest open project that has learned something, otherwise the project in which the server was started.
   */
  async #findSurroundings(): Promise<DefaultProject> {
    const open = this.#sessionManager.listOpen();
    for (const session of open) {
      const searched = await session.findSearchedMemories();
      if (searched.secondaryPath !== undefined || hasTeamMemory(session))
        return { session, roots: getRoots(session), searched, warnings: [] };
    }
    try {
      const start = await this.#sessionManager.getOrOpen(io().cwd());
      const searched = await start.findSearchedMemories();
      const isEmpty =
        searched.secondaryPath === undefined && searched.foreignPath === undefined && !hasTeamMemory(start);
      return { session: isEmpty ? (open[0] ?? start) : start, roots: getRoots(start), searched, warnings: [] };
    } catch (thrown) {
      // The user's memory must stay usable if the folder is gone or its configuration has an error.
      const session = open[0] ?? this.#sessionManager.createWithoutConfig(getUserHomeFolder());
      const warnings = [
        `The project in which the server was started could not be searched: ${getErrorMessage(thrown)}`,
      ];
      return { session, roots: findStartFolder(), searched: {}, warnings };
    }
  }
}

function hasTeamMemory({ team, historyEnabled }: Session): boolean {
  return team !== undefined && historyEnabled;
}

function getRoots({ project: { top, home } }: Session): string[] {
  return [top, home];
}

/** Returns the folder in which the server was started, or an empty list if the folder is gone. */
function findStartFolder(): string[] {
  try {
    return [realpathSync.native(io().cwd())];
  } catch {
    return [];
  }
}

/** Converts the error for a missing project, because the contract of these tools has no code for it. */
function rethrowAsInvalidInput(thrown: unknown): never {
  if (thrown instanceof ArgusError && thrown.code === 'PROJECT_NOT_FOUND') {
    throw new ArgusError('INVALID_INPUT', thrown.message, { cause: thrown });
  }
  throw thrown;
}

/** A project whose memory is a team's memory. */
type TeamProject = Pick<Session, 'database' | 'remember' | 'storeWaiting'>;

interface MemoryOptions {
  /** The folder from which the environment is detected. Undefined if the caller is on another machine. */
  root?: string;
  warnings?: readonly string[];
  /** The project that this memory belongs to. Set only for a team's memory. */
  owningTeamProject?: TeamProject;
  /** Set if the user's memory is used in a project whose memory is a team's memory. */
  beside?: TeamProject;
}

/** A memory, and the other memory that is searched with it. */
export class Memory {
  readonly root: string | undefined;
  readonly #database: Store;
  readonly #place: MemoryOptions;

  constructor(database: Store, place: MemoryOptions = {}) {
    this.root = place.root;
    this.#database = database;
    this.#place = place;
  }

  detectEnvironment(): DetectedEnvironment {
    return this.root === undefined ? {} : getEnvironment(this.root);
  }

  /** Searches, and stores the search. If the search cannot be stored, the result has a warning. */
  async search(params: Calls['rankedSolutions']['params']): Promise<ResultWithWarnings<RankedSolutionsResult>> {
    const { owningTeamProject, beside, warnings: before = [] } = this.#place;
    await (owningTeamProject ?? beside)?.storeWaiting();
    const ask = (store: Store) => store.readOrCreate((engine) => engine.rankedSolutions(params));
    const [own, other] = await Promise.all([
      ask(this.#database),
      beside && ask(beside.database).catch(warnNotSearched),
    ]);
    const warnings = [...before, ...own.warnings, ...(other?.warnings ?? [])];
    return { value: mergeSolutions(own.value, other?.value, params), warnings };
  }

  /** Makes a call that creates no file. */
  async read<T>(call: (engine: EngineCalls) => Promise<T>): Promise<T> {
    return this.#orElseTeam(
      async () => (await this.#database.read(call)).value,
      async ({ database }) => (await database.read(call)).value,
    );
  }

  /** Completes the beginning of an id. A complete id, and a text with which no id begins, stay as they are. */
  async completeId(kind: 'incident' | 'solution', given: string): Promise<string> {
    if (!ID_BEGINNING.test(given)) return given;
    const ids = await this.read((engine) => engine.completeIds({ kind, prefix: given })).catch(() => []);
    return selectOnlyId(ids, given);
  }

  /** Makes a call that must be stored. Throws if it cannot be stored. */
  async write<T>(call: (engine: EngineCalls) => Promise<T>): Promise<T> {
    return call(await this.#database.openDurable());
  }

  /** Like `write`, for an incident, a solution or an outcome. If the team cannot be reached, the call waits. */
  async remember<N extends SolutionCallName>(
    name: N,
    params: Calls[N]['params'],
  ): Promise<RememberResult<Calls[N]['result']>> {
    const { owningTeamProject } = this.#place;
    if (owningTeamProject !== undefined) return rememberWithTeam(owningTeamProject, name, params);
    return this.#orElseTeam(
      () => this.write((engine) => engine.call(name, params)),
      // The search id belongs to the user's memory, so the team does not know it.
      (beside) => rememberWithTeam(beside, name, { ...params, lookup_id: null }),
    );
  }

  /** Asks the team about ids that this memory does not know. */
  async #orElseTeam<T>(call: () => Promise<T>, callTeam: (beside: TeamProject) => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (thrown) {
      const { beside } = this.#place;
      const isUnknown = thrown instanceof EngineError && thrown.code.endsWith('_NOT_FOUND');
      if (beside === undefined || !isUnknown || thrown.code === 'LOOKUP_NOT_FOUND') throw thrown;
      return callTeam(beside);
    }
  }
}

/** Matches the beginning of an id that has not all of its characters. */
const ID_BEGINNING = /^(?:inc|sol)-[0-9a-f-]{1,35}$/u;

async function rememberWithTeam<N extends SolutionCallName>(
  team: TeamProject,
  name: N,
  params: Calls[N]['params'],
): Promise<RememberResult<Calls[N]['result']>> {
  const { value, warnings, ...queued } = await team.remember(name, params);
  return { ...value, ...queued, ...(warnings.length > 0 ? { warnings } : {}) };
}

function warnNotSearched(thrown: unknown): { value: undefined; warnings: string[] } {
  return { value: undefined, warnings: [`The team's memory could not be searched: ${getErrorMessage(thrown)}`] };
}

/** A result with optional warnings. `queued` is set if the team's server has not accepted the call yet. */
type RememberResult<T> = T & { queued?: true; warnings?: string[] };

/** The source of the memories. */
export interface MemorySource {
  memories: Pick<Memories, 'findMemory'>;
}

/** The parameters of a call without the detected environment, and the path of the project that has the memory. */
type CallerParams<Call extends 'addIncident' | 'addSolution' | 'recordOutcome' | 'rankedSolutions'> = {
  [Name in keyof Omit<Calls[Call]['params'], 'detected_env'>]: NullToUndefined<Calls[Call]['params'][Name]>;
} & { projectPath?: string | undefined };

type NullToUndefined<T> = null extends T ? Exclude<T, null> | undefined : T;

/**
 * The four calls of the debug memory, for the tools, the command line and the fix loop. Each call selects the memory
 * and adds the detected environment.
 */
export async function addIncident(
  { projectPath, ...params }: CallerParams<'addIncident'>,
  { memories }: MemorySource,
): Promise<RememberResult<AddIncidentResult>> {
  const memory = await memories.findMemory(projectPath);
  const incident = { ...cleanParams(params), detected_env: memory.detectEnvironment() };
  return memory.remember('addIncident', incident);
}

export async function addSolution(
  { projectPath, ...params }: CallerParams<'addSolution'>,
  { memories }: MemorySource,
): Promise<RememberResult<AddSolutionResult>> {
  const memory = await memories.findMemory(projectPath);
  const solution = { ...cleanParams(params), detected_env: memory.detectEnvironment() };
  const incident_id = await memory.completeId('incident', solution.incident_id);
  return memory.remember('addSolution', { ...solution, incident_id });
}

export async function recordOutcome(
  { projectPath, ...params }: CallerParams<'recordOutcome'>,
  { memories }: MemorySource,
): Promise<RememberResult<RecordOutcomeResult>> {
  const memory = await memories.findMemory(projectPath);
  const outcome = { ...cleanParams(params), detected_env: memory.detectEnvironment() };
  const solution_id = await memory.completeId('solution', outcome.solution_id);
  return memory.remember('recordOutcome', { ...outcome, solution_id });
}

export async function rankedSolutions(
  { projectPath, ...params }: CallerParams<'rankedSolutions'>,
  { memories }: MemorySource,
): Promise<RankedSolutionsResult> {
  const memory = await memories.findMemory(projectPath);
  const search = { ...cleanParams(params), detected_env: memory.detectEnvironment() };
  const { value, warnings } = await memory.search(search);
  const all = [...warnings, ...(value.warnings ?? [])];
  return { ...value, ...(all.length > 0 ? { warnings: all } : {}) };
}

/** Removes invisible characters from texts, and replaces `undefined` by `null`, which the engine expects. */
function cleanParams<T extends object>(params: T): { [K in keyof T]: UndefinedToNull<T[K]> };
function cleanParams(params: object): object {
  const entries = Object.entries(removeInvisibleDeep(params));
  return Object.fromEntries(entries.map(([key, value]) => [key, value ?? null]));
}

type UndefinedToNull<T> = undefined extends T ? Exclude<T, undefined> | null : T;
