/**
 * Searches a memory for facts that the hook may report: proved fixes, solutions that worked in a similar environment,
 * and attempts that failed. It uses the engine after something was recorded and stores the result, so that a failure
 * can be answered without a database.
 */

import {
  type Engine,
  type FixEvidence,
  openEngine,
  type ProofStatus,
  type ReportedFix,
  type RunError,
} from 'argus-engine';
import { environmentOf } from '../../environment/project-environment.ts';
import { committedChange } from '../../git/committed-change.ts';
import { trustedUserMemoryPath } from '../../owner/data-folder.ts';
import type { Session } from '../../sessions/session.ts';
import type { Calling } from '../../storage/database.ts';
import { lstat } from '../../system/files/way.ts';
import type { Earned } from '../state.ts';
import { claimLine, commitLines, solutionLine } from './lines.ts';
import { type Signer, signed, signing } from './signing.ts';

/** Maximum number of facts per source, newest first. The memory still has the others. */
const MAX_EACH = 60;
/** Maximum number of commits for a fix, because a choice between more commits does not help. */
const MAX_COMMITS = 3;
/** Length of `fix-` and the cause. The commit follows. */
const CAUSE_CHARACTERS = 20;
const MAX_SOLUTIONS = 5;
/** Minimum similarity of the environment for a solution. */
const MIN_LIKENESS = 0.5;

interface Looking {
  session: Session;
  engine: Calling;
  signer: Signer;
  /** Facts of the last search, by their source. */
  before: ReadonlyMap<string, Earned>;
}

export async function lookForEarned(session: Session, earlier: readonly Earned[]): Promise<Earned[]> {
  const before = new Map(earlier.map((one) => [one.of, one]));
  const { value } = await session.withEngine((engine) =>
    signing(session.config, session.project.top, async (signer) => {
      const looking = { session, engine, signer, before };
      return [...(await ofFixes(looking)), ...(await ofIncidents(looking))];
    }),
  );
  return value;
}

/** Reported fixes come before fixes that are only known by a commit. */
async function ofFixes(looking: Looking): Promise<Earned[]> {
  const { fixes, reported } = await looking.engine.fixes();
  const found: Earned[] = [];
  for (const fix of reported.filter(({ trust }) => holds(trust.state)).slice(0, MAX_EACH)) {
    const of = `${fix.fixId}:${fix.trust.state}`;
    found.push(...(await known(looking, of, () => ofReport(looking, of, fix))));
  }
  const byCause = new Map<string, FixEvidence[]>();
  for (const fix of fixes.filter(({ status }) => holds(status))) {
    const key = `${fix.fixId.slice(0, CAUSE_CHARACTERS)}:${fix.failedIn}`;
    byCause.set(key, [...(byCause.get(key) ?? []), fix]);
  }
  for (const commits of [...byCause.values()].slice(0, MAX_EACH)) {
    const [first] = commits;
    if (first === undefined || commits.length > MAX_COMMITS) continue;
    const hashes = commits.flatMap(({ commit }) => commit ?? []);
    // The id of an edit stays the same when it is committed.
    const of = `${first.fixId}:${first.status}:${hashes.length}`;
    found.push(...(await known(looking, of, () => ofCommits(looking, of, hashes, first))));
  }
  return found;
}

/** Claimed and candidate fixes are not certain enough to report. */
function holds(status: ProofStatus): boolean {
  return status === 'proved' || status === 'refuted';
}

async function ofReport(looking: Looking, of: string, fix: ReportedFix): Promise<Earned | undefined> {
  const { sample } = await looking.engine.pattern({ id: fix.patternId });
  const { state, provedBy, refutedBy } = fix.trust;
  return entry(looking, {
    of,
    kind: state === 'proved' ? 'proved' : 'refuted',
    errors: await signed(looking.signer, [{ caseName: fix.caseName, error: sample }]),
    lines: [claimLine(fix)],
    since: provedBy ?? refutedBy,
  });
}

async function ofCommits(
  looking: Looking,
  of: string,
  commits: readonly string[],
  fix: FixEvidence,
): Promise<Earned | undefined> {
  if (fix.failedIn === undefined) return undefined;
  const detail = await looking.engine.runDetail({ runId: fix.failedIn, limit: 200 });
  const failed = detail.cases.filter(({ caseName, error }) => error !== null && fix.caseNames.includes(caseName));
  const errors = await signed(looking.signer, failed);
  const [newest] = commits;
  const change =
    newest === undefined
      ? await looking.engine.edit({ fixId: fix.fixId })
      : await committedChange(looking.session.root, newest);
  const kind = fix.status === 'proved' ? 'proved' : 'refuted';
  return entry(looking, { of, kind, errors, lines: commitLines(commits, change), since: fix.passedIn });
}

/** Incidents of both memories with a recorded error and a solution that worked in a similar environment. */
async function ofIncidents(looking: Looking): Promise<Earned[]> {
  const { session, engine, before } = looking;
  const userMemory = await userMemoryOf(session);
  const lines = [await engine.memoryExport({ limit: MAX_EACH }), await userMemory?.memoryExport({ limit: MAX_EACH })];
  await userMemory?.close();
  const incidents = lines.flatMap((page) => page?.lines.split('\n') ?? []).flatMap((line) => incidentOf(line));
  const isKnown = ({ of }: { of: string }) => before.has(of);
  const searching = incidents.every(isKnown) ? undefined : await readOnly(session);
  try {
    const found: Earned[] = [];
    for (const incident of incidents) {
      found.push(...(await known(looking, incident.of, async () => searching && worked(looking, searching, incident))));
    }
    return found;
  } finally {
    await searching?.close();
  }
}

async function worked(
  looking: Looking,
  searching: Engine,
  { id, error, of, since }: Incident,
): Promise<Earned | undefined> {
  const ranked = await searching.rankedSolutions({
    query_text: error,
    env: {},
    detected_env: environmentOf(looking.session.root),
    limit: MAX_SOLUTIONS,
  });
  const best = ranked.ranked_solutions.find(({ incident_id }) => incident_id === id);
  if (best === undefined || best.memory === 'foreign') return undefined;
  if (best.worked <= best.failed || best.env_match_score < MIN_LIKENESS) return undefined;
  const errors = await signed(looking.signer, [{ caseName: '', error }]);
  return entry(looking, { of, kind: 'worked', errors, lines: [solutionLine(best)], since });
}

/** A read-only engine, so that the search is not recorded as a search of a user. */
async function readOnly(session: Session): Promise<Engine | undefined> {
  const { path: databasePath, memoryId } = await session.placement();
  if (memoryId === undefined) return undefined;
  const { top, home } = session.project;
  const secondaryPath = await trustedUserMemoryPath(top, home);
  const beside = secondaryPath === undefined ? {} : { secondaryPath };
  return openEngine({ ...session.opening('project', beside), databasePath, memoryId, readOnly: true });
}

async function userMemoryOf(session: Session): Promise<Engine | undefined> {
  const file = await trustedUserMemoryPath(session.project.top, session.project.home);
  if (file === undefined || lstat(file)?.isFile() !== true) return undefined;
  return openEngine({ ...session.opening('user', {}), databasePath: file, readOnly: true });
}

interface Incident {
  id: string;
  since: string | undefined;
  error: string;
  of: string;
}

/** An incident of an export, if it has an error and a solution that worked. */
function incidentOf(line: string): Incident[] {
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

/** Returns the fact of the last search, or searches if that search has no such fact. */
async function known({ before }: Looking, of: string, find: () => Promise<Earned | undefined>): Promise<Earned[]> {
  const one = before.get(of) ?? (await find());
  return one === undefined ? [] : [one];
}

interface Found extends Pick<Earned, 'of' | 'kind' | 'lines'> {
  since: string | undefined;
  errors: readonly RunError[];
}

/**
 * Builds an entry. Its words are those that all errors share, so that each of the errors alone can match. The signatures
 * decide afterwards.
 */
function entry({ session }: Looking, { of, kind, errors, lines, since }: Found): Earned | undefined {
  const families = [
    ...new Set(errors.flatMap(({ family, sentence }) => (sentence === undefined ? [family] : [family, sentence]))),
  ];
  if (families.length === 0 || lines.length === 0) return undefined;
  const isOfTest = errors.every((one) => one.isOfTest);
  const [first] = errors;
  const shared = errors.reduce((words, one) => words.filter((word) => one.words.includes(word)), first?.words ?? []);
  return {
    of,
    kind,
    families,
    words: shared,
    lines: lines.map((line) => session.fitToLeave(line)),
    ...(since === undefined ? {} : { since }),
    ...(isOfTest ? { cases: [...new Set(errors.map(({ caseName }) => caseName))].slice(0, 5) } : {}),
  };
}
