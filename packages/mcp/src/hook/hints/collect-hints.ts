/**
 * Searches a memory for facts that the hook may report: proved fixes, solutions that worked in a similar environment,
 * and fixes that failed. The search uses the engine after something was recorded, and its result is stored, so that the
 * hook can answer a failure without a database.
 */

import {
  type Engine,
  type FixEvidence,
  openEngine,
  type ProofStatus,
  type ReportedFix,
  type RunError,
} from 'argus-engine';
import { getEnvironment } from '../../environment/project-environment.ts';
import { readCommittedChange } from '../../git/changes.ts';
import { findTrustedUserMemory } from '../../owner/data-folder.ts';
import type { Session } from '../../sessions/session.ts';
import type { EngineCalls } from '../../storage/database.ts';
import { tryLstat } from '../../system/files/path-safety.ts';
import { type Signer, signErrors, withSigner } from '../command-run.ts';
import type { Hint } from '../state.ts';
import { formatCommits, formatReportedFix, formatSolution } from './format-message.ts';

/** Maximum number of facts per source, the newest first. The memory still has the others. */
const MAX_HINTS_PER_SOURCE = 60;
/** Maximum number of commits for a fix, because a choice between more commits does not help. */
const MAX_COMMITS = 3;
/** Length of the start of a fix id, `fix-` and the cause. The commit follows. */
const CAUSE_CHARACTERS = 20;
const MAX_SOLUTIONS = 5;
/** Minimum similarity of the environments. */
const MIN_ENVIRONMENT_SIMILARITY = 0.5;

interface SearchContext {
  session: Session;
  engine: EngineCalls;
  signer: Signer;
  /** Facts of the last search, by source. */
  before: ReadonlyMap<string, Hint>;
}

export async function collectHints(session: Session, earlier: readonly Hint[]): Promise<Hint[]> {
  const before = new Map(earlier.map((one) => [one.of, one]));
  const { value } = await session.withEngine((engine) =>
    withSigner(session.config, session.project.top, async (signer) => {
      const context = { session, engine, signer, before };
      return [...(await collectFixHints(context)), ...(await collectIncidentHints(context))];
    }),
  );
  return value;
}

/** Reported fixes come before fixes that are only known by a commit. */
async function collectFixHints(context: SearchContext): Promise<Hint[]> {
  const { fixes, reported } = await context.engine.fixes();
  const hints: Hint[] = [];
  for (const fix of reported.filter(({ trust }) => isDecided(trust.state)).slice(0, MAX_HINTS_PER_SOURCE)) {
    const of = `${fix.fixId}:${fix.trust.state}`;
    hints.push(...(await reuseOrCreateHint(context, of, () => createReportHint(context, of, fix))));
  }
  const byCause = new Map<string, FixEvidence[]>();
  for (const fix of fixes.filter(({ status }) => isDecided(status))) {
    const key = `${fix.fixId.slice(0, CAUSE_CHARACTERS)}:${fix.failedIn}`;
    byCause.set(key, [...(byCause.get(key) ?? []), fix]);
  }
  for (const commits of [...byCause.values()].slice(0, MAX_HINTS_PER_SOURCE)) {
    const [first] = commits;
    if (first === undefined || commits.length > MAX_COMMITS) continue;
    const hashes = commits.flatMap(({ commit }) => commit ?? []);
    // The id of an edit stays the same when it is committed.
    const of = `${first.fixId}:${first.status}:${hashes.length}`;
    hints.push(...(await reuseOrCreateHint(context, of, () => createCommitHint(context, of, hashes, first))));
  }
  return hints;
}

/** True for fixes that are certain enough to report. Claimed and candidate fixes are not. */
function isDecided(status: ProofStatus): boolean {
  return status === 'proved' || status === 'refuted';
}

async function createReportHint(context: SearchContext, of: string, fix: ReportedFix): Promise<Hint | undefined> {
  const { sample } = await context.engine.pattern({ id: fix.patternId });
  const { state, provedBy, refutedBy } = fix.trust;
  return createHint(context, {
    of,
    kind: state === 'proved' ? 'proved' : 'refuted',
    errors: await signErrors(context.signer, [{ caseName: fix.caseName, error: sample }]),
    lines: [formatReportedFix(fix)],
    since: provedBy ?? refutedBy,
  });
}

async function createCommitHint(
  context: SearchContext,
  of: string,
  commits: readonly string[],
  fix: FixEvidence,
): Promise<Hint | undefined> {
  if (fix.failedIn === undefined) return undefined;
  const detail = await context.engine.runDetail({ runId: fix.failedIn, limit: 200 });
  const failed = detail.cases.filter(({ caseName, error }) => error !== null && fix.caseNames.includes(caseName));
  const errors = await signErrors(context.signer, failed);
  const [newest] = commits;
  const change =
    newest === undefined
      ? await context.engine.edit({ fixId: fix.fixId })
      : await readCommittedChange(context.session.root, newest);
  const kind = fix.status === 'proved' ? 'proved' : 'refuted';
  const lines = formatCommits(commits, change);
  const hint = await createHint(context, { of, kind, errors, lines, since: fix.passedIn });
  return hint && newest !== undefined && commits.length === 1 ? { ...hint, commit: newest } : hint;
}

/**
 * Returns hints from incidents of both memories that have a recorded error and a solution that worked in a similar
 * environment.
 */
async function collectIncidentHints(context: SearchContext): Promise<Hint[]> {
  const { session, engine, before } = context;
  const userMemory = await openUserMemory(session);
  const lines = [
    await engine.memoryExport({ limit: MAX_HINTS_PER_SOURCE }),
    await userMemory?.memoryExport({ limit: MAX_HINTS_PER_SOURCE }),
  ];
  await userMemory?.close();
  const incidents = lines.flatMap((page) => page?.lines.split('\n') ?? []).flatMap((line) => parseIncident(line));
  const isKnown = ({ of }: { of: string }) => before.has(of);
  const searchEngine = incidents.every(isKnown) ? undefined : await openReadOnly(session);
  try {
    const hints: Hint[] = [];
    for (const incident of incidents) {
      hints.push(
        ...(await reuseOrCreateHint(
          context,
          incident.of,
          async () => searchEngine && createSolutionHint(context, searchEngine, incident),
        )),
      );
    }
    return hints;
  } finally {
    await searchEngine?.close();
  }
}

async function createSolutionHint(
  context: SearchContext,
  searchEngine: Engine,
  { id, error, of, since }: Incident,
): Promise<Hint | undefined> {
  const ranked = await searchEngine.rankedSolutions({
    query_text: error,
    env: {},
    detected_env: getEnvironment(context.session.root),
    limit: MAX_SOLUTIONS,
  });
  const best = ranked.ranked_solutions.find(({ incident_id }) => incident_id === id);
  if (best === undefined || best.memory === 'foreign') return undefined;
  if (best.worked <= best.failed || best.env_match_score < MIN_ENVIRONMENT_SIMILARITY) return undefined;
  const errors = await signErrors(context.signer, [{ caseName: '', error }]);
  return createHint(context, { of, kind: 'worked', errors, lines: [formatSolution(best)], since });
}

/** Opens the memory read-only, because this search must not be recorded as a search of a user. */
async function openReadOnly(session: Session): Promise<Engine | undefined> {
  const { path: databasePath, memoryId } = await session.findMemoryLocation();
  if (memoryId === undefined) return undefined;
  const { top, home } = session.project;
  const secondaryPath = await findTrustedUserMemory(top, home);
  const secondary = secondaryPath === undefined ? {} : { secondaryPath };
  return openEngine({ ...session.createOpenOptions('project', secondary), databasePath, memoryId, readOnly: true });
}

async function openUserMemory(session: Session): Promise<Engine | undefined> {
  const file = await findTrustedUserMemory(session.project.top, session.project.home);
  if (file === undefined || tryLstat(file)?.isFile() !== true) return undefined;
  return openEngine({ ...session.createOpenOptions('user', {}), databasePath: file, readOnly: true });
}

interface Incident {
  id: string;
  since: string | undefined;
  error: string;
  of: string;
}

/**
 * Parses an incident of an export. Returns an empty list unless the incident has an error and a solution that worked.
 */
function parseIncident(line: string): Incident[] {
  if (line.trim() === '') return [];
  const incident: {
    id?: string;
    error_signature?: string;
    solutions?: { wrong?: boolean; outcomes?: { worked: boolean; created_at?: string }[] }[];
  } = JSON.parse(line);
  const { id, error_signature: error, solutions = [] } = incident;
  const outcomes = solutions.filter(({ wrong }) => wrong !== true).flatMap((one) => one.outcomes ?? []);
  const successes = outcomes.filter(({ worked }) => worked);
  if (id === undefined || !error?.trim() || successes.length === 0) return [];
  const [since] = successes.flatMap((one) => one.created_at ?? []).sort();
  return [{ id, error, since, of: `${id}:${solutions.length}.${outcomes.length}` }];
}

/** Returns the fact of the last search, or searches if the last search did not find it. */
async function reuseOrCreateHint(
  { before }: SearchContext,
  of: string,
  find: () => Promise<Hint | undefined>,
): Promise<Hint[]> {
  const one = before.get(of) ?? (await find());
  return one === undefined ? [] : [one];
}

interface HintParts extends Pick<Hint, 'of' | 'kind' | 'lines'> {
  since: string | undefined;
  errors: readonly RunError[];
}

/**
 * Creates a hint. Its words are those that all errors share, so that an output with any of the errors contains them.
 * The words only select outputs to examine. Then the signatures decide.
 */
function createHint({ session }: SearchContext, { of, kind, errors, lines, since }: HintParts): Hint | undefined {
  const families = [
    ...new Set(errors.flatMap(({ family, sentence }) => (sentence === undefined ? [family] : [family, sentence]))),
  ];
  if (families.length === 0 || lines.length === 0) return undefined;
  const areAllOfTests = errors.every((one) => one.isOfTest);
  const [first] = errors;
  const shared = errors.reduce((words, one) => words.filter((word) => one.words.includes(word)), first?.words ?? []);
  return {
    of,
    kind,
    families,
    words: shared,
    lines: lines.map((line) => session.sanitize(line)),
    ...(since === undefined ? {} : { since }),
    ...(areAllOfTests ? { cases: [...new Set(errors.map(({ caseName }) => caseName))].slice(0, 5) } : {}),
  };
}
