/**
 * The store of a project whose memory is on a team's server. If the server is unreachable, the memory on this machine
 * answers, and calls that must be stored wait in the spool.
 */

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type CallName,
  type Calls,
  type DiagnosticResult,
  type Engine,
  EngineError,
  type FailureBrief,
  type IncidentMatch,
  type KnownPattern,
  LIMITS,
  NamedCalls,
  type RankedSolution,
  type RankedSolutionsResult,
  type RecordRunParams,
  type RunResult,
} from 'argus-engine';
import { getErrorMessage } from '../../errors.ts';
import { removeHunks } from '../../git/changes.ts';
import { log } from '../../log.ts';
import type { Database, EngineCalls, ResultWithWarnings, Store } from '../../storage/database.ts';
import { getUserHomeFolder } from '../../system/io.ts';
import { mapStringsDeep } from '../../text/untrusted-text.ts';
import { isTeamUnavailable, type TeamServerClient } from './remote.ts';

export class TeamStore implements Store {
  readonly isShared = true;
  readonly remote: TeamServerClient;
  /** The memory on this machine. */
  readonly local: Database;
  readonly #prepareOutgoing: <T extends object>(params: T) => T;

  constructor(remote: TeamServerClient, local: Database, prepareOutgoing: <T extends object>(params: T) => T) {
    this.remote = remote;
    this.local = local;
    this.#prepareOutgoing = prepareOutgoing;
  }

  read<T>(call: (engine: EngineCalls) => Promise<T>): Promise<ResultWithWarnings<T>> {
    return this.#callOrAskLocal((local) => local.read(call), call);
  }

  readOrCreate<T>(call: (engine: EngineCalls) => Promise<T>): Promise<ResultWithWarnings<T>> {
    return this.#callOrAskLocal((local) => local.readOrCreate(call), call);
  }

  async openDurable(): Promise<EngineCalls> {
    const { value: local } = await this.local.read(async (engine) => engine);
    return new TeamMemory(this.remote, local, this.#prepareOutgoing);
  }

  openInMemory() {
    return this.local.openInMemory();
  }

  close(): Promise<void> {
    return this.local.close();
  }

  switchTo(file: string): void {
    this.local.switchTo(file);
  }

  async #callOrAskLocal<T>(
    askLocal: (local: Database) => Promise<ResultWithWarnings<T>>,
    call: (engine: EngineCalls) => Promise<T>,
  ): Promise<ResultWithWarnings<T>> {
    try {
      return { value: await call(await this.openDurable()), warnings: [] };
    } catch (thrown) {
      if (!isTeamUnavailable(thrown)) throw thrown;
      const { value, warnings } = await askLocal(this.local);
      return { value, warnings: [`${thrown.message} The answer uses the memory of this machine.`, ...warnings] };
    }
  }
}

/**
 * Removes paths of this machine from a text for a team. Such paths reveal the user's name and folders and differ
 * between machines. Paths in the repository become relative to its root, and `~` replaces the user's home folder.
 */
export function stripLocalPaths(text: string, root: string): string {
  const inRepository = text
    .replaceAll(`${pathToFileURL(root).href}/`, '')
    .replaceAll(`${root}${path.sep}`, '')
    .replaceAll(`${root.replaceAll('\\', '/')}/`, '');
  const home = getUserHomeFolder();
  return home === path.parse(home).root ? inRepository : inRepository.replaceAll(home, '~');
}

/**
 * The maximum length of a text of a search or an incident. The engine keeps at most 64 KiB of its beginning and end.
 */
const MAX_TEXT_CHARACTERS = 128 * 1024;

/** Calls whose texts are already limited or must be complete. */
const UNSHORTENED_CALLS: readonly CallName[] = ['recordRun', 'importRun', 'memoryImport', 'patternsImport'];

/** Calls with an id. It may be an id of the memory on this machine. */
const CALLS_WITH_ID: readonly CallName[] = [
  'incident',
  'pattern',
  'recordOutcome',
  'addSolution',
  'runDetail',
  'viewPattern',
];

/**
 * The memory of a team for the tools. It uses the team's server and the memory on this machine. Writes go to the
 * server. A call about an id that only this machine knows goes to the memory on this machine.
 */
class TeamMemory extends NamedCalls implements EngineCalls {
  readonly #remote: TeamServerClient;
  readonly #local: Engine;
  readonly #prepareOutgoing: <T extends object>(params: T) => T;

  /** `prepareOutgoing` removes data that must not leave this machine. */
  constructor(remote: TeamServerClient, local: Engine, prepareOutgoing: <T extends object>(params: T) => T) {
    super();
    this.#remote = remote;
    this.#local = local;
    this.#prepareOutgoing = prepareOutgoing;
  }

  async call<N extends CallName>(
    name: N,
    params: Calls[N]['params'],
    callId?: string,
    now?: number,
  ): Promise<Calls[N]['result']> {
    try {
      return await this.#callServer(name, params, callId, now);
    } catch (thrown) {
      const isUnknown = thrown instanceof EngineError && thrown.code.endsWith('_NOT_FOUND');
      if (!isUnknown || !CALLS_WITH_ID.includes(name)) throw thrown;
      // If this machine does not know the id either, the caller gets the error of the server.
      return this.#local.call(name, params, callId, now).catch(() => Promise.reject(thrown));
    }
  }

  /** Searches both memories at the same time. */
  override async rankedSolutions(params: Calls['rankedSolutions']['params']): Promise<RankedSolutionsResult> {
    const local = this.#local.rankedSolutions(params).catch(() => undefined);
    return mergeSolutions(await this.call('rankedSolutions', params), await local, params);
  }

  attempt<N extends CallName>(
    name: N,
    params: Calls[N]['params'],
    callId?: string,
    now?: number,
  ): Promise<Calls[N]['result']> {
    return this.#callServer(name, params, callId, now);
  }

  async #callServer<N extends CallName>(
    name: N,
    params: Calls[N]['params'],
    callId: string | undefined,
    now: number | undefined,
  ): Promise<Calls[N]['result']> {
    // Report files can only be read on this machine.
    const prepared = name === 'recordRun' ? await this.#prepareRun(params as Calls['recordRun']['params']) : params;
    const redacted = this.#prepareOutgoing(prepared as Calls[N]['params']);
    // The text is redacted before it is shortened, because a pattern does not recognize half of a secret.
    const sent = UNSHORTENED_CALLS.includes(name) ? redacted : mapStringsDeep(redacted, shorten);
    return this.#remote.call(name, sent, callId, now);
  }

  /**
   * Reads the report files and removes the lines of uncommitted changes, because that code must not leave this machine.
   */
  async #prepareRun(run: Calls['recordRun']['params']): Promise<Calls['recordRun']['params']> {
    const prepared = await this.#local.call('prepareRun', run);
    return prepared.git ? { ...prepared, git: removeHunks(prepared.git) } : prepared;
  }
}

/** Keeps the beginning and the end. */
function shorten(text: string): string {
  if (text.length <= MAX_TEXT_CHARACTERS) return text;
  const half = MAX_TEXT_CHARACTERS / 2;
  return `${text.slice(0, half).toWellFormed()}\n${text.slice(-half).toWellFormed()}`;
}

/* Adds fixes that are known only on this machine, from the time before the repository had a membership. */

type Fix = Pick<DiagnosticResult, 'suggestedFix' | 'suggestedFrom' | 'tried' | 'claimed' | 'fixStatus'>;

/** Returns an empty object if the server knows a fix or if this machine knows none. */
export async function findLocalFix(
  { signature, fixHistory, suggestedFrom }: DiagnosticResult,
  local: Store,
): Promise<Partial<Fix>> {
  if (fixHistory.length > 0 || suggestedFrom !== undefined) return {};
  const { value: known } = await local.read((engine) => engine.findBySignature({ signature }));
  if (known === null || known.source === 'built-in' || known.suggestedFix === null) return {};
  const { id: patternId, suggestedFix, confidence, tried, claimed, fixStatus, signaturePattern } = known;
  const [, caseName = ''] = signaturePattern.split('::');
  return {
    suggestedFix,
    suggestedFrom: { patternId, caseName, confidence },
    ...(tried === undefined ? {} : { tried }),
    ...(claimed === undefined ? {} : { claimed }),
    ...(fixStatus === undefined ? {} : { fixStatus }),
  };
}

/**
 * Like `findLocalFix`, for the failures of a run. The server has already recorded the run, or the run still waits in
 * the spool.
 */
export async function addLocalFixes(result: RunResult, params: RecordRunParams, local: Store): Promise<RunResult> {
  if (result.failures.every(({ known }) => hasFix(known))) return result;
  try {
    const { value: localFailures } = await local.read((engine) => engine.knownFailures(params));
    const localByCase = new Map(localFailures.map((failure) => [failure.caseName, failure]));
    const failures = result.failures.map((failure) => addLocalFacts(failure, localByCase.get(failure.caseName)));
    return { ...result, failures };
  } catch (thrown) {
    // The run is already recorded, so this error must not fail the call.
    log(`The local facts about the run could not be read: ${getErrorMessage(thrown)}`);
    return result;
  }
}

/** `changedBefore` always comes from this machine, because only this machine analyzes commits. */
function addLocalFacts(failure: FailureBrief, local: FailureBrief | undefined): FailureBrief {
  if (local === undefined || hasFix(failure.known)) return failure;
  const { changedBefore } = local;
  return addLocalFix(changedBefore === undefined ? failure : { ...failure, changedBefore }, local.known);
}

function addLocalFix(failure: FailureBrief, localPattern: KnownPattern | null): FailureBrief {
  const { known, caseName } = failure;
  if (localPattern === null) return failure;
  if (known === null) return { ...failure, known: localPattern };
  if (!hasFix(localPattern)) return failure;
  const { patternId, confidence, suggestedFrom = { patternId, caseName, confidence } } = localPattern;
  return { ...failure, known: { ...localPattern, patternId: known.patternId, suggestedFrom } };
}

/** True if a fix is known. A built-in suggestion that was never tried is not a fix. */
function hasFix(known: KnownPattern | null): boolean {
  return known?.tried !== undefined && known.suggestedFix !== null;
}

/* Merges the results of two memories for one search. */

/** The maximum number of incidents in a result. */
const MAX_INCIDENTS = 10;

/**
 * Merges two results, best solution first, so that no solution is lost compared with a search in a joint memory. A
 * solution in both results is taken from `first`. `lookup_id` is the id of the search in `first`, because
 * later calls go to that memory.
 */
export function mergeSolutions(
  first: RankedSolutionsResult,
  second: RankedSolutionsResult | undefined,
  { limit }: Calls['rankedSolutions']['params'],
): RankedSolutionsResult {
  if (second === undefined || second.incidents.length === 0) return first;
  const [ownSolutions, foreignSolutions] = separateForeignSolutions(mergeRankedSolutions(first, second));
  const shown = [...ownSolutions, ...foreignSolutions].slice(0, limit ?? LIMITS.DEFAULT_SOLUTIONS);
  const incidents = mergeIncidents(first, second);
  const totalSolutions = incidents.reduce((sum, { solution_count }) => sum + solution_count, 0);
  const warnings = [...new Set([...(first.warnings ?? []), ...(second.warnings ?? [])])];
  const resultWithSolutions = [first, second].find(({ ranked_solutions }) => ranked_solutions.length > 0) ?? first;
  const { lookup_id, env_bucket, detected_env } = first;
  return {
    lookup_id,
    env_bucket,
    ...(detected_env === undefined ? {} : { detected_env }),
    incidents,
    ranked_solutions: shown,
    recommended_solution: ownSolutions[0] ?? null,
    more: Math.max(0, totalSolutions - shown.length),
    next_action: first.incidents.length > 0 && shown.length === 0 ? first.next_action : resultWithSolutions.next_action,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

function mergeRankedSolutions(first: RankedSolutionsResult, second: RankedSolutionsResult): RankedSolution[] {
  const known = new Set(first.ranked_solutions.map(({ solution_id }) => solution_id));
  const added = second.ranked_solutions.filter(({ solution_id }) => !known.has(solution_id));
  // The sort is stable. If scores are equal, solutions of `first` come before those of `second`.
  return [...first.ranked_solutions, ...added].sort((a, b) => b.final_solution_score - a.final_solution_score);
}

/** Separates foreign solutions, which come after all other solutions and are never recommended. */
function separateForeignSolutions(solutions: readonly RankedSolution[]): [RankedSolution[], RankedSolution[]] {
  const isForeign = ({ memory }: RankedSolution) => memory === 'foreign';
  return [solutions.filter((one) => !isForeign(one)), solutions.filter(isForeign)];
}

function mergeIncidents(first: RankedSolutionsResult, second: RankedSolutionsResult): IncidentMatch[] {
  const known = new Set(first.incidents.map(({ incident_id }) => incident_id));
  const added = second.incidents.filter(({ incident_id }) => !known.has(incident_id));
  return [...first.incidents, ...added].sort((a, b) => b.score - a.score).slice(0, MAX_INCIDENTS);
}
