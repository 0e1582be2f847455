/**
 * One open project: its configuration and, once needed, its engine. The disk is not touched before something must be
 * stored. Which projects are open: session-manager.ts.
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

/** What is searched of a project's memory where another one is written. */
export type Searched = SecondaryMemory & Pick<Opening, 'foreignPath' | 'sharedPath'>;

/** Commits that a diagnosis names where nobody knows a fix. */
const MAX_HINTS = 3;

/** What sessions know of the process they are in. */
export interface Process {
  /** Who records what is recorded. */
  recorder: RecorderOptions;
  /** ARGUS_ADOPT on a command line in CI: a database that nobody knows here is made this user's. */
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
  /** The team that this repository belongs to, if there is one. */
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

  /** The folder that was named; commands run there. */
  get root(): string {
    return this.project.root;
  }

  /** How the project is tested from this folder, and where. */
  get testPlace(): TestPlace {
    return testPlaceOf(this.project, this.loaded);
  }

  get config(): Config {
    return this.loaded.config;
  }

  /** Where the memory is, as far as it was found out; in the project until then. */
  get databasePath(): string {
    return this.#place.path;
  }

  /** Whose the memory is, which is the one used from then on. Throws where there is no place for one. */
  async placement(): Promise<Placement> {
    const placement = await this.#place.find();
    this.#store.follow(placement.path);
    return placement;
  }

  /** Whether the user has recorded anything here; a foreign memory alone is for argus_init to speak of. */
  async hasMemory(): Promise<boolean> {
    if (!this.historyEnabled) return false;
    if (this.team !== undefined) return true;
    if (!(await this.#place.isThere())) return false;
    try {
      return (await this.#place.find()).memoryId !== undefined;
    } catch (thrown) {
      // It is there, and whoever asks it is told what is wrong with it.
      if (isStorageProblem(thrown)) return true;
      throw thrown;
    }
  }

  /** What is searched of it where another memory is written: the own database and what is foreign, each if it is there. */
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

  /** Its configuration is none that lies on the way to it: whoever opened it has named it. */
  get hasNamedConfig(): boolean {
    const { path: file } = this.loaded;
    return file !== null && !foldersWithin(this.project).includes(path.dirname(file));
  }

  get historyEnabled(): boolean {
    return this.config.history?.enabled ?? true;
  }

  /** Who calls now. */
  get recorder(): RecorderOptions {
    return this.#process.recorder;
  }

  get locale() {
    return chooseLocale(this.config.locale, undefined, this.#reader);
  }

  /** Whose page shows the memory; counts where neither configuration nor environment names a language. */
  readBy(reader: Locale | undefined): void {
    this.#reader ??= reader;
  }

  /** How an engine works for this project, whichever of the two memories it writes to. */
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

  /** Asks what is known, with nothing stored. A run id says where a run is that is not stored. */
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

  /** Stores what a failure of a run teaches; behind the run, where that is not stored yet. */
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
    // Where a team cannot be reached, this machine has no run that only the team knows.
    if (this.#store.isShared) return { value: await (await this.#store.durable()).call(name, params), warnings: [] };
    const { value, warnings } = await this.#store.read((engine) => engine.call(name, params));
    if (!('notStored' in value) || value.notStored === undefined) return { value, warnings };
    const problem = new EngineError(value.notStored, 'The answer is what was known before.');
    return outbox.keepAnswered(name, fitting(), value, problem);
  }

  /** Stores a solution or what came of one: with the team; where that cannot be reached, here, and there later. */
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
    // The team may have stored it although its answer was lost: what waits then is the same call.
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
      // Only the team has what it is about.
      const isUnknown = thrown instanceof EngineError && thrown.code.endsWith('_NOT_FOUND');
      throw isUnknown ? (problem ?? thrown) : thrown;
    }
    // One that is known here is not added, and whoever asks is told of it.
    if ('similarity' in value) return { value, warnings: problem === undefined ? [] : [problem.message] };
    const call = { callId, now, method, params: fitting, made: idsIn(value) };
    return { value, ...(await outbox.keepMade(call, problem)) };
  }

  /** The team's server as this project reaches it. */
  get remote(): Remote | undefined {
    return this.#store instanceof TeamStore ? this.#store.remote : undefined;
  }

  /** What this machine has of its own, whoever the project's memory belongs to; made where there is none. */
  async localMemory(): Promise<Calling> {
    this.requireHistory();
    return (this.#store instanceof TeamStore ? this.#store.local : this.#store).durable();
  }

  /** The same for whoever only looks, which makes nothing. */
  async readLocal<T>(call: (engine: Calling) => Promise<T>): Promise<WithWarnings<T>> {
    if (!(this.#store instanceof TeamStore)) return this.withEngine(call);
    this.requireHistory();
    return this.#store.local.read(call);
  }

  /** What knows the project's rules and nothing that was recorded. */
  rulesAlone(): ReturnType<Store['inMemory']> {
    return this.#store.inMemory();
  }

  /** Where the project's solutions are. */
  get database(): Store {
    this.requireHistory();
    return this.#store;
  }

  /** Records a run: in the database, or where that is not possible now for later, saying so. One of a fork is foreign. */
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
    // A team's server may have recorded it although its answer was lost: what waits then is the same call.
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

  /** Takes in a run out of a history that was recorded elsewhere, once. */
  async importRun(params: ImportRunParams): Promise<HistoricRun> {
    this.requireHistory();
    return (await this.#store.durable()).call('importRun', params, uuidV7());
  }

  /** Opens what a recording needs, while something else takes its time; what cannot be opened is told by whoever needs it. */
  prepare(): void {
    if (this.#store.isShared) this.fitToLeave('');
    else {
      const opening = this.#store.read((engine) => engine.overview());
      opening.then(rehearseRecording).catch(() => {});
    }
  }

  /** What waits to be stored. */
  async waiting(): Promise<SpoolCounts> {
    return (await this.#waiting()).counts();
  }

  /** What the team calls what was recorded here under other ids. */
  async teamIds(): Promise<TeamIds> {
    return (await this.#waiting()).ids();
  }

  /** Stores what waits where the memory is now, as far as that is possible at once. */
  async takeIn(): Promise<void> {
    await (await this.#waiting()).takeIn();
  }

  /** Lets calls that the team has refused wait again. */
  async releaseRefused(): Promise<void> {
    (await this.#waiting()).releaseRefused();
  }

  /** What could not be stored waits beside the database, wherever that is by now, or beside where it was before. */
  async #waiting(): Promise<Outbox> {
    await this.#place.find().catch(() => undefined);
    const { path: own, otherPath: other } = this.#place;
    if (this.#outbox?.own !== own || this.#outbox.other !== other) {
      const spool = new Spool(spoolOf(own), this.#seal, other === undefined ? undefined : spoolOf(other));
      this.#outbox = { own, other, outbox: new Outbox(this.#store, spool) };
    }
    return this.#outbox.outbox;
  }

  /** A text of somebody else as it may be kept and shown, by the project's own patterns too. */
  fitToLeave(text: string): string {
    const { classify, redact } = this.config;
    this.#rules ??= createFixLoop({ rules: classify?.rules ?? [], secrets: redact?.patterns ?? [] });
    return this.#rules.redact(visible(text));
  }

  /** What init tells about the memory, without creating anything. */
  async overview() {
    const { value, warnings } = await this.withEngine((engine) => engine.overview());
    return { value, warnings: [...warnings, ...this.#whoseOnce()] };
  }

  /** Said once: a memory that is not used as it lies in the project. */
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

  /** Throws where the configuration says that nothing may be stored. */
  requireHistory(): void {
    if (this.historyEnabled) return;
    const where = this.loaded.path ?? 'argus.yaml';
    const advice = `Set history.enabled to true in ${where} and call argus_init again.`;
    throw new ArgusError('HISTORY_DISABLED', `History is disabled for ${this.root}. ${advice}`);
  }
}

/** What lies in the user's data folder needs no id. */
function secondaryAt(secondaryPath: string | undefined): SecondaryMemory {
  return secondaryPath === undefined ? {} : { secondaryPath };
}

function spoolOf(database: string): string {
  return `${database}.spool`;
}

function inDays(age: number | string | undefined): number | null {
  return age === undefined ? null : ageInDays(age);
}
