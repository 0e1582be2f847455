/**
 * An open project: its configuration and, on first use, its engine. It does not touch the disk before it has something
 * to store. `session-manager.ts` keeps the open projects.
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
import { ageInDays } from '../config/age.ts';
import { databaseOf, type LoadedConfig, patternError } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { ArgusError } from '../errors.ts';
import { log } from '../log.ts';
import { trustedDataFolder, trustedUserMemoryPath } from '../owner/data-folder.ts';
import { foreignNote, type Placement } from '../owner/placement.ts';
import { foldersWithin, type Project } from '../owner/project.ts';
import { type TestPlace, testPlaceOf } from '../run/planning/test-place.ts';
import {
  type Calling,
  Database,
  isStorageProblem,
  type Opening,
  type SecondaryMemory,
  type Store,
  type WithWarnings,
} from '../storage/database.ts';
import {
  idsIn,
  type SolutionCallName,
  type TeamIds,
  withIdsOf,
  withoutUnknownSearch,
} from '../storage/late-solutions.ts';
import { type Kept, type KeptHere, Outbox } from '../storage/outbox.ts';
import { rehearseRecording } from '../storage/rehearsal.ts';
import { Seal } from '../storage/seal.ts';
import { sharedCopy, sharedNotes, stampOfShared } from '../storage/shared-copy.ts';
import { Spool, type SpoolCounts, type WaitingCall } from '../storage/spool.ts';
import { isOfFork } from '../system/ci.ts';
import { io } from '../system/io.ts';
import type { Membership } from '../team/client/membership.ts';
import { ownFix, withOwnFixes } from '../team/client/own-fix.ts';
import { withoutPlaces } from '../team/client/places.ts';
import { asNotTaken, isOutOfReach, Remote } from '../team/client/remote.ts';
import { TeamStore } from '../team/client/team-store.ts';
import { chooseLocale } from '../text/locale.ts';
import { mapTexts, visible } from '../text/untrusted.ts';
import { keepOnBranch } from './learned-commits.ts';
import { ProjectPlace } from './project-place.ts';
import { withHonestMend } from './weakenings.ts';

/** The parts of a project's memory that are searched when another memory is written. */
export type Searched = SecondaryMemory & Pick<Opening, 'foreignPath' | 'sharedPath'>;

/** The limit of commits in a diagnosis that has no known fix. */
const MAX_HINTS = 3;

/** Values that sessions take from their process. */
export interface Process {
  /** The person or agent who records. */
  recorder: RecorderOptions;
  /** True when CI sets ARGUS_ADOPT: an unknown database in the project becomes this user's database. */
  readonly adopts: boolean;
  /** Gives up on a locked database after a second and spools the call, because a test run waits for it. */
  readonly isImpatient?: boolean;
}

export class Session {
  readonly project: Project;
  readonly loaded: LoadedConfig;
  readonly #process: Process;
  readonly #place: ProjectPlace;
  readonly #store: Store;
  /** The team of this repository, if there is one. */
  readonly team: Membership | undefined;
  #hasSaidWhose = false;
  #reader: Locale | undefined;
  readonly #seal: Seal;
  #rules: FixLoop | undefined;
  #outbox: { readonly own: string; readonly other: string | undefined; readonly outbox: Outbox } | undefined;

  constructor(project: Project, loaded: LoadedConfig, process: Process, team?: Membership) {
    const { top, home } = project;
    this.project = project;
    this.loaded = loaded;
    this.#process = process;
    this.#seal = new Seal(() => trustedDataFolder(top, home));
    const share = (folder: string) => sharedCopy(top, folder, this.opening('project', {}));
    const wanted = { root: home, database: databaseOf(project, loaded.config), top };
    this.#place = new ProjectPlace(wanted, process.adopts, share);
    this.team = team;
    const database = new Database({
      locate: () => this.#place.locate(),
      isThere: () => this.#place.isThere(),
      opening: async () => this.opening('project', secondaryAt(await trustedUserMemoryPath(top, home))),
      sharedStamp: () => stampOfShared(top),
      home,
      refused: (message) => patternError(loaded, message),
    });
    this.#store = team === undefined ? database : this.#ofTeam(team, database);
  }

  #ofTeam(team: Membership, database: Database): TeamStore {
    const asking = () => ({
      locale: this.locale,
      by: this.recorder.by ?? undefined,
      from: this.recorder.from ?? undefined,
    });
    return new TeamStore(new Remote(team, asking), database, (params) =>
      mapTexts(params, (text) => withoutPlaces(this.fitToLeave(text), this.project.top)),
    );
  }

  /** The folder that the caller named. Commands run there. */
  get root(): string {
    return this.project.root;
  }

  /** The configured way to test the project from this folder. */
  get testPlace(): TestPlace {
    return testPlaceOf(this.project, this.loaded);
  }

  get config(): Config {
    return this.loaded.config;
  }

  /** The path of the memory as far as it is known. Before the first `placement` it is the path in the project. */
  get databasePath(): string {
    return this.#place.path;
  }

  /** Finds the memory and its owner, and uses it from then on. Throws if no place for a memory exists. */
  async placement(): Promise<Placement> {
    const placement = await this.#place.find();
    this.#store.follow(placement.path);
    return placement;
  }

  /**
   * True when the user has recorded something here. A foreign memory does not count, because only argus_init reports
   * it.
   */
  async hasMemory(): Promise<boolean> {
    if (!this.historyEnabled) return false;
    if (this.team !== undefined) return true;
    if (!(await this.#place.isThere())) return false;
    try {
      return (await this.#place.find()).memoryId !== undefined;
    } catch (thrown) {
      // The memory exists, and the call that uses it will report the problem.
      if (isStorageProblem(thrown)) return true;
      throw thrown;
    }
  }

  /** The parts that are searched when another memory is written: the own database and foreign data, if they exist. */
  async searched(): Promise<Searched> {
    if (!this.historyEnabled || !(await this.#place.isThere())) return {};
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

  /** True when the caller named a configuration file outside the folders that are searched for a configuration. */
  get hasNamedConfig(): boolean {
    const { path: file } = this.loaded;
    return file !== null && !foldersWithin(this.project).includes(path.dirname(file));
  }

  get historyEnabled(): boolean {
    return this.config.history?.enabled ?? true;
  }

  get recorder(): RecorderOptions {
    return this.#process.recorder;
  }

  get locale() {
    return chooseLocale(this.config.locale, undefined, this.#reader);
  }

  /**
   * Sets the language of the reader's page, which is used when neither configuration nor environment names a language.
   */
  readBy(reader: Locale | undefined): void {
    this.#reader ??= reader;
  }

  /** The options for an engine of this project, for either of the two memories. */
  opening(home: MemoryKind, { secondaryPath, secondaryMemoryId }: SecondaryMemory): Opening {
    const { history, classify, redact, memory } = this.config;
    return {
      projectRoot: this.project.top,
      locale: this.locale,
      rules: classify?.rules ?? [],
      secrets: redact?.patterns ?? [],
      retention: {
        maxAgeDays: inDays(history?.retention?.maxAge),
        maxRuns: history?.retention?.maxRuns ?? null,
        minRuns: history?.retention?.minRuns ?? null,
      },
      memory: { home, halfLifeDays: inDays(memory?.halfLife) },
      recorder: this.recorder,
      isImpatient: this.#process.isImpatient ?? io().isImpatient ?? false,
      ...(secondaryPath === undefined ? {} : { secondaryPath }),
      ...(secondaryMemoryId === undefined ? {} : { secondaryMemoryId }),
      log,
    };
  }

  /** Makes a call that stores nothing. `runId` names a run that may still wait in the outbox. */
  async withEngine<T>(call: (engine: Calling) => Promise<T>, runId?: string): Promise<WithWarnings<T>> {
    this.requireHistory();
    const outbox = await this.#waiting();
    const waiting = await outbox.takeIn();
    const memory = runId === undefined ? undefined : await outbox.memoryOf(runId);
    if (memory !== undefined) {
      return { value: await call(memory), warnings: [...waiting, 'This run is not stored yet.'] };
    }
    const { value, warnings } = await this.#store.read(call);
    return { value, warnings: [...waiting, ...warnings, ...sharedNotes(this.project.top)] };
  }

  /** Learns from a failure of a run. The call joins the outbox if its run still waits there. */
  async learn<N extends 'diagnose' | 'reportFix'>(
    name: N,
    params: Calls[N]['params'],
  ): Promise<Kept<Calls[N]['result']>> {
    this.requireHistory();
    const outbox = await this.#waiting();
    const waiting = await outbox.takeIn();
    const kept = await this.#learnedOrKept(outbox, name, params);
    if (this.#store instanceof TeamStore && 'signature' in kept.value) {
      kept.value = { ...kept.value, ...(await ownFix(kept.value, this.#store.local)) };
    }
    if ('signature' in kept.value) await keepOnBranch(this.project.top, [kept.value], MAX_HINTS);
    return { ...kept, warnings: [...waiting, ...kept.warnings] };
  }

  async #learnedOrKept<N extends 'diagnose' | 'reportFix'>(
    outbox: Outbox,
    name: N,
    params: Calls[N]['params'],
  ): Promise<Kept<Calls[N]['result']>> {
    const fitting = () => mapTexts(params, (text) => this.fitToLeave(text));
    const isWaiting = (await outbox.memoryOf(params.runId)) !== undefined;
    if (isWaiting) return outbox.keep(name, fitting());
    // When a team cannot be reached, this machine does not have the runs that only the team knows.
    if (this.#store.isShared) return { value: await (await this.#store.durable()).call(name, params), warnings: [] };
    const { value, warnings } = await this.#store.read((engine) => engine.call(name, params));
    if (!('notStored' in value) || value.notStored === undefined) return { value, warnings };
    const problem = new EngineError(value.notStored, 'The answer is what was known before.');
    return outbox.keepAnswered(name, fitting(), value, problem);
  }

  /**
   * Stores a solution or an outcome with the team. If the team cannot be reached, stores it here and sends it later.
   */
  async remember<N extends SolutionCallName>(
    method: N,
    params: Calls[N]['params'],
  ): Promise<KeptHere<Calls[N]['result']>> {
    this.requireHistory();
    const store = this.#store;
    if (!(store instanceof TeamStore))
      return { value: await (await store.durable()).call(method, params), warnings: [] };
    const outbox = await this.#waiting();
    const waiting = await outbox.takeIn();
    // The team may have stored the call although its answer was lost, so the waiting call gets the same id.
    const callId = uuidV7();
    let problem: EngineError | undefined;
    if (!(await outbox.holds(Object.values(idsIn(params))))) {
      try {
        const team = await store.durable();
        return { value: await team.call(method, withIdsOf(params, await outbox.ids()), callId), warnings: waiting };
      } catch (thrown) {
        if (!isOutOfReach(thrown)) throw thrown;
        problem = thrown;
      }
    }
    const kept = await this.#rememberHere(outbox, store.local, { callId, now: io().now(), method, params }, problem);
    return { ...kept, warnings: [...waiting, ...kept.warnings] };
  }

  async #rememberHere<N extends SolutionCallName>(
    outbox: Outbox,
    local: Database,
    { callId, now, method, params }: WaitingCall<N>,
    problem: EngineError | undefined,
  ): Promise<KeptHere<Calls[N]['result']>> {
    const fitting = mapTexts(params, (text) => this.fitToLeave(text));
    const engine = await local.durable();
    let value: Calls[N]['result'];
    try {
      value = await withoutUnknownSearch(fitting, (given) => engine.call(method, given, callId, now));
    } catch (thrown) {
      // Only the team knows the incident or solution.
      const isUnknown = thrown instanceof EngineError && thrown.code.endsWith('_NOT_FOUND');
      throw isUnknown ? (problem ?? thrown) : thrown;
    }
    // A known incident is not added again. The result informs the caller.
    if ('similarity' in value) return { value, warnings: problem === undefined ? [] : [problem.message] };
    const call = { callId, now, method, params: fitting, made: idsIn(value) };
    return { value, ...(await outbox.keepMade(call, problem)) };
  }

  get remote(): Remote | undefined {
    return this.#store instanceof TeamStore ? this.#store.remote : undefined;
  }

  /** The memory on this machine, even when a team owns the project's memory. Creates the file if it is missing. */
  async localMemory(): Promise<Calling> {
    this.requireHistory();
    return (this.#store instanceof TeamStore ? this.#store.local : this.#store).durable();
  }

  /** Like `localMemory` for callers that only read. It creates no file. */
  async readLocal<T>(call: (engine: Calling) => Promise<T>): Promise<WithWarnings<T>> {
    if (!(this.#store instanceof TeamStore)) return this.withEngine(call);
    this.requireHistory();
    return this.#store.local.read(call);
  }

  /** An engine that has the project's rules but no recorded data. */
  rulesAlone(): ReturnType<Store['inMemory']> {
    return this.#store.inMemory();
  }

  get database(): Store {
    this.requireHistory();
    return this.#store;
  }

  /**
   * Records a run. If the database cannot store it now, the run waits and the result states that. Runs of a fork are
   * marked as foreign.
   */
  async recordRun(run: RecordRunParams): Promise<Kept<RunResult>> {
    this.requireHistory();
    const params = { ...run, foreign: run.foreign || isOfFork() };
    const kept = await this.#recordedOrKept(params);
    const store = this.#store;
    const value = store instanceof TeamStore ? await withOwnFixes(kept.value, params, store.local) : kept.value;
    await keepOnBranch(this.project.top, value.failures, 1);
    const honest = value.failures.map((failure) => withHonestMend(this, failure, failure.caseName));
    return { ...kept, value: { ...value, failures: await Promise.all(honest) } };
  }

  async #recordedOrKept(params: RecordRunParams): Promise<Kept<RunResult>> {
    const outbox = await this.#waiting();
    // A team's server may have recorded the run although its answer was lost, so the waiting call gets the same id.
    const callId = uuidV7();
    let value: RunResult;
    try {
      value = await (await this.#store.durable()).call('recordRun', params, callId);
    } catch (thrown) {
      const problem = this.#store.isShared ? asNotTaken(thrown) : thrown;
      if (!isStorageProblem(problem)) throw thrown;
      const inMemory = await this.#store.inMemory();
      return outbox.keep('recordRun', await inMemory.prepareRun(params), problem, callId);
    }
    return { value, warnings: [...(await outbox.takeInRest()), ...this.#whoseOnce()] };
  }

  /** Records a run from a history that was recorded elsewhere. Importing it again has no effect. */
  async importRun(params: ImportRunParams): Promise<HistoricRun> {
    this.requireHistory();
    return (await this.#store.durable()).call('importRun', params, uuidV7());
  }

  /**
   * Warms up the parts that a recording needs while the tests run. Errors are ignored here, because the recording
   * itself reports them.
   */
  prepare(): void {
    if (this.#store.isShared) this.fitToLeave('');
    else {
      const opening = this.#store.read((engine) => engine.overview());
      opening.then(rehearseRecording).catch(() => {});
    }
  }

  async waiting(): Promise<SpoolCounts> {
    return (await this.#waiting()).counts();
  }

  /** Maps ids of this machine to the team's ids. */
  async teamIds(): Promise<TeamIds> {
    return (await this.#waiting()).ids();
  }

  /** Stores the waiting calls that can be stored without waiting for a lock. */
  async takeIn(): Promise<void> {
    await (await this.#waiting()).takeIn();
  }

  /** Moves calls that the team has refused back into the queue. */
  async releaseRefused(): Promise<void> {
    (await this.#waiting()).releaseRefused();
  }

  /** Calls wait beside the database, which may have moved, so both the present and the earlier place are used. */
  async #waiting(): Promise<Outbox> {
    await this.#place.find().catch(() => undefined);
    const { path: own, otherPath: other } = this.#place;
    if (this.#outbox?.own !== own || this.#outbox.other !== other) {
      const spool = new Spool(spoolOf(own), this.#seal, other === undefined ? undefined : spoolOf(other));
      this.#outbox = { own, other, outbox: new Outbox(this.#store, spool) };
    }
    return this.#outbox.outbox;
  }

  /** Redacts a foreign text by the project's own patterns too, so that it can be stored and shown. */
  fitToLeave(text: string): string {
    const { classify, redact } = this.config;
    this.#rules ??= createFixLoop({ rules: classify?.rules ?? [], secrets: redact?.patterns ?? [] });
    return this.#rules.redact(visible(text));
  }

  /** The summary of the memory for argus_init. Creates nothing. */
  async overview() {
    const { value, warnings } = await this.withEngine((engine) => engine.overview());
    return { value, warnings: [...warnings, ...this.#whoseOnce()] };
  }

  /** Returns the note about a foreign memory, once per session. */
  #whoseOnce(): string[] {
    const found = this.#place.found;
    const note = found === undefined || this.#hasSaidWhose ? undefined : foreignNote(found);
    if (note === undefined) return [];
    this.#hasSaidWhose = true;
    return [note];
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** Throws if the configuration disables history. */
  requireHistory(): void {
    if (this.historyEnabled) return;
    const where = this.loaded.path ?? 'argus.yaml';
    const advice = `Set history.enabled to true in ${where} and call argus_init again.`;
    throw new ArgusError('HISTORY_DISABLED', `History is disabled for ${this.root}. ${advice}`);
  }
}

/** A file in the user's data folder needs no id. */
function secondaryAt(secondaryPath: string | undefined): SecondaryMemory {
  return secondaryPath === undefined ? {} : { secondaryPath };
}

function spoolOf(database: string): string {
  return `${database}.spool`;
}

function inDays(age: number | string | undefined): number | null {
  return age === undefined ? null : ageInDays(age);
}
