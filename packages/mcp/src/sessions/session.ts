/**
 * An open project: its configuration and, from the first use on, its engine. A session does not write to the disk
 * before it has something to store. `session-manager.ts` has the open sessions.
 */

import path from 'node:path';
import {
  type Calls,
  createFixLoop,
  EngineError,
  type FixLoop,
  type HistoricRun,
  type ImportRunParams,
  type Locale,
  type MemoryKind,
  type RecorderOptions,
  type RecordRunParams,
  type RunResult,
} from 'argus-engine';
import { v7 as uuidV7 } from 'uuid';
import { convertAgeToDays, createPatternError, getDatabasePath, type LoadedConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { ArgusError } from '../errors.ts';
import { removeCommitsOffBranch } from '../git/history.ts';
import { log } from '../log.ts';
import { findTrustedDataFolder, findTrustedUserMemory } from '../owner/data-folder.ts';
import { formatForeignNote, type MemoryLocation } from '../owner/memory-location.ts';
import { listFoldersUpToRoot, type Project } from '../owner/project.ts';
import { findTestCommandLocation, type TestCommandLocation } from '../run/planning/test-command-location.ts';
import {
  Database,
  type EngineCalls,
  type EngineOptions,
  isStorageProblem,
  type ResultWithWarnings,
  type SecondaryMemory,
  type Store,
} from '../storage/database.ts';
import { warmUpEngine } from '../storage/engine-warm-up.ts';
import { type LocalStorageResult, Outbox, type StorageResult } from '../storage/outbox.ts';
import { computeSharedStamp, getSharedDatabase, getSharedWarnings } from '../storage/shared-copy.ts';
import { FileHmac, Spool, type SpoolCounts, type WaitingCall } from '../storage/spool.ts';
import {
  extractIds,
  replaceIds,
  retryWithoutUnknownLookup,
  type SolutionCallName,
  type TeamIds,
} from '../storage/waiting-solutions.ts';
import { isForkBuild } from '../system/ci.ts';
import { io } from '../system/io.ts';
import type { Membership } from '../team/client/membership.ts';
import { isTeamUnavailable, TeamServerClient, toCallRejectedError } from '../team/client/remote.ts';
import { addLocalFixes, findLocalFix, stripLocalPaths, TeamStore } from '../team/client/team-store.ts';
import { chooseLocale } from '../text/locale.ts';
import { mapStringsDeep, removeInvisibleCharacters } from '../text/untrusted-text.ts';
import { MemoryLocator } from './memory-locator.ts';
import { checkPreviousFixes } from './weakenings.ts';

/** The additional memories that are searched together with a project's own memory. */
export type SearchedMemories = SecondaryMemory & Pick<EngineOptions, 'foreignPath' | 'sharedPath'>;

/** Maximum number of related commits in a diagnosis without a known fix. */
const MAX_RELATED_COMMITS = 3;

/** Values that all sessions of a process share. */
export interface ProcessOptions {
  /** The person or agent who records. */
  recorder: RecorderOptions;
  /** True if CI sets ARGUS_ADOPT: then an unknown database in the project becomes this user's database. */
  readonly adoptsForeign: boolean;
  /** True to give up on a locked database after a second and to spool the call, because a test run waits for it. */
  readonly isImpatient?: boolean;
  /** The language of every answer, which overrides the configuration. */
  readonly language?: Locale;
}

export class Session {
  readonly project: Project;
  readonly loaded: LoadedConfig;
  readonly #process: ProcessOptions;
  readonly #place: MemoryLocator;
  readonly #store: Store;
  /** The team of this repository. Undefined if it belongs to no team. */
  readonly team: Membership | undefined;
  #hasReportedForeign = false;
  #reader: Locale | undefined;
  readonly #spoolSeal: FileHmac;
  #rules: FixLoop | undefined;
  #outbox: { readonly own: string; readonly other: string | undefined; readonly outbox: Outbox } | undefined;

  constructor(project: Project, loaded: LoadedConfig, process: ProcessOptions, team?: Membership) {
    const { top, home } = project;
    this.project = project;
    this.loaded = loaded;
    this.#process = process;
    this.#spoolSeal = new FileHmac(() => findTrustedDataFolder(top, home));
    const importShared = (folder: string) => getSharedDatabase(top, folder, this.createOpenOptions('project', {}));
    const configured = { root: home, database: getDatabasePath(project, loaded.config), top };
    this.#place = new MemoryLocator(configured, process.adoptsForeign, importShared);
    this.team = team;
    const database = new Database({
      locate: () => this.#place.locate(),
      exists: () => this.#place.exists(),
      createOpenOptions: async () =>
        this.createOpenOptions('project', createSecondary(await findTrustedUserMemory(top, home))),
      computeSharedStamp: () => computeSharedStamp(top),
      home,
      createPatternError: (message) => createPatternError(loaded, message),
    });
    this.#store = team === undefined ? database : this.#createTeamStore(team, database);
  }

  #createTeamStore(team: Membership, database: Database): TeamStore {
    const getCallerInfo = () => ({
      locale: this.locale,
      by: this.recorder.by ?? undefined,
      from: this.recorder.from ?? undefined,
    });
    return new TeamStore(new TeamServerClient(team, getCallerInfo), database, (params) =>
      mapStringsDeep(params, (text) => stripLocalPaths(this.sanitize(text), this.project.top)),
    );
  }

  /** The folder that the caller named. Commands run there. */
  get root(): string {
    return this.project.root;
  }

  /** The configured way to test the project from this folder. */
  get testPlace(): TestCommandLocation {
    return findTestCommandLocation(this.project, this.loaded);
  }

  get config(): Config {
    return this.loaded.config;
  }

  /**
   * The path of the memory. Before the memory was located for the first time, this is the configured path in the
   * project.
   */
  get databasePath(): string {
    return this.#place.path;
  }

  /**
   * Finds the memory and its owner, and uses that memory from then on. Throws if a memory cannot be stored anywhere.
   */
  async findMemoryLocation(): Promise<MemoryLocation> {
    const placement = await this.#place.find();
    this.#store.switchTo(placement.path);
    return placement;
  }

  /**
   * True if the user has recorded something here. A foreign memory does not count, because only argus_init reports it.
   */
  async hasMemory(): Promise<boolean> {
    if (!this.historyEnabled) return false;
    if (this.team !== undefined) return true;
    if (!(await this.#place.exists())) return false;
    try {
      return (await this.#place.find()).memoryId !== undefined;
    } catch (thrown) {
      // The memory exists. The call that uses it will report the problem.
      if (isStorageProblem(thrown)) return true;
      throw thrown;
    }
  }

  /**
   * Returns the databases that are searched together with another memory: this project's database and foreign data, as
   * far as they exist.
   */
  async findSearchedMemories(): Promise<SearchedMemories> {
    if (!this.historyEnabled || !(await this.#place.exists())) return {};
    try {
      const { path: secondaryPath, memoryId, foreignPath, sharedPath } = await this.#place.locate();
      return {
        ...(memoryId === undefined ? {} : { secondaryPath, secondaryMemoryId: memoryId }),
        ...(foreignPath === undefined ? {} : { foreignPath }),
        ...(sharedPath === undefined ? {} : { sharedPath }),
      };
    } catch (thrown) {
      if (isStorageProblem(thrown)) return {};
      throw thrown;
    }
  }

  /** True if the caller named a configuration file outside the folders in which a configuration is searched. */
  get hasNamedConfig(): boolean {
    const { path: file } = this.loaded;
    return file !== null && !listFoldersUpToRoot(this.project).includes(path.dirname(file));
  }

  get historyEnabled(): boolean {
    return this.config.history?.enabled ?? true;
  }

  get recorder(): RecorderOptions {
    return this.#process.recorder;
  }

  get locale() {
    return this.#process.language ?? chooseLocale(this.config.locale, undefined, this.#reader);
  }

  /**
   * Sets the language of the person who reads the page of the viewer. It is used only if neither the configuration nor
   * the environment names a language.
   */
  setReaderLocale(reader: Locale | undefined): void {
    this.#reader ??= reader;
  }

  /** Returns the options to open an engine for this project, for either of the two memories. */
  createOpenOptions(home: MemoryKind, { secondaryPath, secondaryMemoryId }: SecondaryMemory): EngineOptions {
    const { history, classify, redact, memory } = this.config;
    return {
      projectRoot: this.project.top,
      locale: this.locale,
      rules: classify?.rules ?? [],
      secrets: redact?.patterns ?? [],
      retention: {
        maxAgeDays: toDaysOrNull(history?.retention?.maxAge),
        maxRuns: history?.retention?.maxRuns ?? null,
        minRuns: history?.retention?.minRuns ?? null,
      },
      memory: { home, halfLifeDays: toDaysOrNull(memory?.halfLife) },
      recorder: this.recorder,
      isImpatient: this.#process.isImpatient ?? io().isImpatient ?? false,
      ...(secondaryPath === undefined ? {} : { secondaryPath }),
      ...(secondaryMemoryId === undefined ? {} : { secondaryMemoryId }),
      log,
    };
  }

  /** Makes a call that stores nothing. `runId` names a run that may still wait in the outbox. */
  async withEngine<T>(call: (engine: EngineCalls) => Promise<T>, runId?: string): Promise<ResultWithWarnings<T>> {
    this.requireHistory();
    const outbox = await this.#openOutbox();
    const waitingWarnings = await outbox.storeWaiting();
    const memory = runId === undefined ? undefined : await outbox.findInMemoryRun(runId);
    if (memory !== undefined) {
      return { value: await call(memory), warnings: [...waitingWarnings, 'This run is not stored yet.'] };
    }
    const { value, warnings } = await this.#store.read(call);
    return { value, warnings: [...waitingWarnings, ...warnings, ...getSharedWarnings(this.project.top)] };
  }

  /**
   * Makes a call that learns from a failure of a run. If the run still waits in the outbox, the call waits there too.
   */
  async learn<N extends 'diagnose' | 'reportFix'>(
    name: N,
    params: Calls[N]['params'],
  ): Promise<StorageResult<Calls[N]['result']>> {
    this.requireHistory();
    const outbox = await this.#openOutbox();
    const waiting = await outbox.storeWaiting();
    const kept = await this.#learnOrQueue(outbox, name, params);
    if (this.#store instanceof TeamStore && 'signature' in kept.value) {
      kept.value = { ...kept.value, ...(await findLocalFix(kept.value, this.#store.local)) };
    }
    if ('signature' in kept.value) await removeCommitsOffBranch(this.project.top, [kept.value], MAX_RELATED_COMMITS);
    return { ...kept, warnings: [...waiting, ...kept.warnings] };
  }

  async #learnOrQueue<N extends 'diagnose' | 'reportFix'>(
    outbox: Outbox,
    name: N,
    params: Calls[N]['params'],
  ): Promise<StorageResult<Calls[N]['result']>> {
    const sanitizeParams = () => mapStringsDeep(params, (text) => this.sanitize(text));
    const isWaiting = (await outbox.findInMemoryRun(params.runId)) !== undefined;
    if (isWaiting) return outbox.queueCall(name, sanitizeParams());
    // If a team cannot be reached, this machine does not have the runs, because only the team knows them.
    if (this.#store.isShared)
      return { value: await (await this.#store.openDurable()).call(name, params), warnings: [] };
    const { value, warnings } = await this.#store.read((engine) => engine.call(name, params));
    if (!('notStored' in value) || value.notStored === undefined) return { value, warnings };
    const problem = new EngineError(value.notStored, 'The answer shows the earlier state.');
    return outbox.queueAnsweredCall(name, sanitizeParams(), value, problem);
  }

  /**
   * Stores a solution or an outcome with the team. If the team cannot be reached, stores it on this machine, and sends
   * it later.
   */
  async remember<N extends SolutionCallName>(
    method: N,
    params: Calls[N]['params'],
  ): Promise<LocalStorageResult<Calls[N]['result']>> {
    this.requireHistory();
    const store = this.#store;
    if (!(store instanceof TeamStore))
      return { value: await (await store.openDurable()).call(method, params), warnings: [] };
    const outbox = await this.#openOutbox();
    const waiting = await outbox.storeWaiting();
    // The team may have stored the call although its answer was lost, so the waiting call gets the same id.
    const callId = uuidV7();
    let problem: EngineError | undefined;
    if (!(await outbox.hasWaitingCallCreated(Object.values(extractIds(params))))) {
      try {
        const team = await store.openDurable();
        return {
          value: await team.call(method, replaceIds(params, await outbox.readTeamIds()), callId),
          warnings: waiting,
        };
      } catch (thrown) {
        if (!isTeamUnavailable(thrown)) throw thrown;
        problem = thrown;
      }
    }
    const kept = await this.#rememberLocally(outbox, store.local, { callId, now: io().now(), method, params }, problem);
    return { ...kept, warnings: [...waiting, ...kept.warnings] };
  }

  async #rememberLocally<N extends SolutionCallName>(
    outbox: Outbox,
    local: Database,
    { callId, now, method, params }: WaitingCall<N>,
    problem: EngineError | undefined,
  ): Promise<LocalStorageResult<Calls[N]['result']>> {
    const fitting = mapStringsDeep(params, (text) => this.sanitize(text));
    const engine = await local.openDurable();
    let value: Calls[N]['result'];
    try {
      value = await retryWithoutUnknownLookup(fitting, (given) => engine.call(method, given, callId, now));
    } catch (thrown) {
      // Only the team knows the incident or solution.
      const isUnknown = thrown instanceof EngineError && thrown.code.endsWith('_NOT_FOUND');
      throw isUnknown ? (problem ?? thrown) : thrown;
    }
    // A known incident is not added again; the result tells that to the caller.
    if ('similarity' in value) return { value, warnings: problem === undefined ? [] : [problem.message] };
    const call = { callId, now, method, params: fitting, made: extractIds(value) };
    return { value, ...(await outbox.queueLocalCall(call, problem)) };
  }

  get remote(): TeamServerClient | undefined {
    return this.#store instanceof TeamStore ? this.#store.remote : undefined;
  }

  /**
   * Returns the memory on this machine, even if the project's memory is a team's memory. Creates the file if it is
   * missing.
   */
  async openLocalMemory(): Promise<EngineCalls> {
    this.requireHistory();
    return (this.#store instanceof TeamStore ? this.#store.local : this.#store).openDurable();
  }

  /** Like `openLocalMemory`, for callers that only read. Creates no file. */
  async readLocal<T>(call: (engine: EngineCalls) => Promise<T>): Promise<ResultWithWarnings<T>> {
    if (!(this.#store instanceof TeamStore)) return this.withEngine(call);
    this.requireHistory();
    return this.#store.local.read(call);
  }

  /** Returns an engine with the project's rules but without recorded data. */
  openRulesEngine(): ReturnType<Store['openInMemory']> {
    return this.#store.openInMemory();
  }

  get database(): Store {
    this.requireHistory();
    return this.#store;
  }

  /**
   * Records a run. If the database cannot store the run now, the run waits, and the result states that. Runs of a fork
   * are marked as foreign.
   */
  async recordRun(run: RecordRunParams): Promise<StorageResult<RunResult>> {
    this.requireHistory();
    const params = { ...run, foreign: run.foreign || isForkBuild() };
    const kept = await this.#recordOrQueue(params);
    const store = this.#store;
    const value = store instanceof TeamStore ? await addLocalFixes(kept.value, params, store.local) : kept.value;
    await removeCommitsOffBranch(this.project.top, value.failures, 1);
    return { ...kept, value: { ...value, failures: await checkPreviousFixes(this, value.failures) } };
  }

  async #recordOrQueue(params: RecordRunParams): Promise<StorageResult<RunResult>> {
    const outbox = await this.#openOutbox();
    // A team's server may have recorded the run although its answer was lost, so the waiting call gets the same id.
    const callId = uuidV7();
    let value: RunResult;
    try {
      value = await (await this.#store.openDurable()).call('recordRun', params, callId);
    } catch (thrown) {
      const problem = this.#store.isShared ? toCallRejectedError(thrown) : thrown;
      if (!isStorageProblem(problem)) throw thrown;
      const inMemory = await this.#store.openInMemory();
      return outbox.queueCall('recordRun', await inMemory.prepareRun(params), problem, callId);
    }
    return { value, warnings: [...(await outbox.storeWaitingAfterWrite()), ...this.#takeForeignNote()] };
  }

  /** Records a run of a history that was recorded elsewhere. Importing the run again has no effect. */
  async importRun(params: ImportRunParams): Promise<HistoricRun> {
    this.requireHistory();
    return (await this.#store.openDurable()).call('importRun', params, uuidV7());
  }

  /**
   * Prepares what a recording needs while the tests run. Errors are ignored here, because the recording itself reports
   * them.
   */
  warmUp(): void {
    if (this.#store.isShared) this.sanitize('');
    else {
      const opening = this.#store.read((engine) => engine.overview());
      opening.then(warmUpEngine).catch(() => {});
    }
  }

  async countWaiting(): Promise<SpoolCounts> {
    return (await this.#openOutbox()).counts();
  }

  /** Returns the ids of the team for ids of this machine. */
  async readTeamIds(): Promise<TeamIds> {
    return (await this.#openOutbox()).readTeamIds();
  }

  /** Stores the waiting calls that can be stored without waiting for a lock. */
  async storeWaiting(): Promise<void> {
    await (await this.#openOutbox()).storeWaiting();
  }

  /** Moves calls that the team has refused back into the queue. */
  async releaseRefused(): Promise<void> {
    (await this.#openOutbox()).releaseRefused();
  }

  /**
   * Returns the queue of waiting calls. The calls wait in files next to the database. The database may have moved, so
   * files next to its earlier location are read too.
   */
  async #openOutbox(): Promise<Outbox> {
    await this.#place.find().catch(() => undefined);
    const { path: own, earlierPath: other } = this.#place;
    if (this.#outbox?.own !== own || this.#outbox.other !== other) {
      const spool = new Spool(
        getSpoolPath(own),
        this.#spoolSeal,
        other === undefined ? undefined : getSpoolPath(other),
      );
      this.#outbox = { own, other, outbox: new Outbox(this.#store, spool) };
    }
    return this.#outbox.outbox;
  }

  /**
   * Redacts a text that this program did not write, so that the text can be stored and shown. Also uses the patterns in
   * the project's configuration.
   */
  sanitize(text: string): string {
    const { classify, redact } = this.config;
    this.#rules ??= createFixLoop({ rules: classify?.rules ?? [], secrets: redact?.patterns ?? [] });
    return this.#rules.redact(removeInvisibleCharacters(text));
  }

  /** Returns the summary of the memory for argus_init. Creates no file. */
  async readOverview() {
    const { value, warnings } = await this.withEngine((engine) => engine.overview());
    return { value, warnings: [...warnings, ...this.#takeForeignNote()] };
  }

  /** Returns the note about a foreign memory, once per session. */
  #takeForeignNote(): string[] {
    const found = this.#place.found;
    const note = found === undefined || this.#hasReportedForeign ? undefined : formatForeignNote(found);
    if (note === undefined) return [];
    this.#hasReportedForeign = true;
    return [note];
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** Throws if the configuration disables the history. */
  requireHistory(): void {
    if (this.historyEnabled) return;
    const where = this.loaded.path ?? 'argus.yaml';
    const advice = `Set history.enabled to true in ${where} and call argus_init again.`;
    throw new ArgusError('HISTORY_DISABLED', `History is disabled for ${this.root}. ${advice}`);
  }
}

/** A file in the user's data folder needs no id. */
function createSecondary(secondaryPath: string | undefined): SecondaryMemory {
  return secondaryPath === undefined ? {} : { secondaryPath };
}

function getSpoolPath(database: string): string {
  return `${database}.spool`;
}

function toDaysOrNull(age: number | string | undefined): number | null {
  return age === undefined ? null : convertAgeToDays(age);
}
