/**
 * Collects facts about an error: the context, the research query with the output of a research program, and known
 * solutions. If a part fails, a note reports it, and the other parts are still returned.
 */

import type { FixError, FixState } from 'argus-engine';
import { ArgusError, getErrorMessage } from '../errors.ts';
import { detectMissingDependency } from '../run/advice/missing-dependencies.ts';
import { createRunMarkVariable } from '../run/processes.ts';
import { rankedSolutions } from '../sessions/memories.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import { type FixContext, gatherContext } from './context/gather-context.ts';
import { createResearchQuery, parseFindings, type ResearchQuery, runResearch } from './context/research.ts';
import { type LoopContext, type LoopWatcher, withNamespace } from './loop-context.ts';
import type { Insight, KnownSolution } from './report/loop-record.ts';

/** Maximum number of solutions in a brief. */
const MAX_KNOWN_SOLUTIONS = 3;

/** A search uses the beginning and the end of the error text, because more text does not find more solutions. */
const MAX_QUERY_CHARACTERS = 16_000;

interface InsightRequest {
  attempt: number;
  error: FixError;
  state: FixState;
  /** A program that reads the research query. */
  research?: string | undefined;
  /** A mark in the environment of the research program, to find its processes later. */
  mark: string;
  year: number;
}

export async function collectInsight(
  loopContext: LoopContext,
  request: InsightRequest,
  watcher: LoopWatcher,
): Promise<Insight> {
  const { attempt, error } = request;
  const notes: string[] = [];
  const [context, memory] = await Promise.all([
    gatherErrorContext(loopContext, request, watcher),
    findKnownSolutions(loopContext, error).catch((thrown) => {
      notes.push(`The memory could not be searched: ${getErrorMessage(thrown)}`);
      return { known: [], lookup_id: null, warnings: [] };
    }),
  ]);
  const query = createResearchQuery(context, request.year);
  const research = await runResearchIfRequested(loopContext, request, query, watcher);
  if (research.problem !== null) notes.push(research.problem);
  return {
    attempt,
    error,
    context: context.answers,
    location: context.location,
    function: context.function,
    frames: context.frames,
    missing: detectMissingDependency(error.text, loopContext.session.root) ?? null,
    uncommitted: context.uncommitted,
    hypothesis: context.hypothesis,
    query: query.query,
    query_markdown: query.markdown,
    known: memory.known,
    lookup_id: memory.lookup_id,
    research: research.text,
    findings: research.text ? parseFindings(research.text) : null,
    sources: research.sources,
    notes: [...notes, ...memory.warnings],
  };
}

function gatherErrorContext(
  loopContext: LoopContext,
  { error, state }: InsightRequest,
  { signal }: LoopWatcher,
): Promise<FixContext> {
  return gatherContext({
    root: loopContext.session.root,
    errorText: error.text,
    error,
    command: state.command ?? undefined,
    test: state.test ?? undefined,
    namespace: state.namespace ?? undefined,
    signal,
    config: withNamespace(loopContext, state.namespace),
    redact: (text) => loopContext.rules.redact(text),
  });
}

async function runResearchIfRequested(
  loopContext: LoopContext,
  { research, mark }: InsightRequest,
  query: ResearchQuery,
  watcher: LoopWatcher,
) {
  if (research === undefined) return { text: null, sources: [], problem: null };
  watcher.onNote?.('researching');
  const redact = (text: string) => loopContext.rules.redact(text);
  const { signal } = watcher;
  return runResearch(research, query, {
    cwd: loopContext.session.root,
    signal,
    redact,
    env: createRunMarkVariable(mark),
  });
}

interface KnownSolutions {
  known: KnownSolution[];
  lookup_id: string | null;
  warnings: string[];
}

/**
 * Searches with the complete error text. If that finds nothing, searches with the headline, because the text may
 * contain several errors.
 */
async function findKnownSolutions({ session, sessionManager }: LoopContext, error: FixError): Promise<KnownSolutions> {
  if (!session.historyEnabled) throw new ArgusError('HISTORY_DISABLED', 'history is disabled in the configuration.');
  let found: KnownSolutions = { known: [], lookup_id: null, warnings: [] };
  for (const text of new Set([error.text.trim(), error.headline.trim()])) {
    if (text !== '' && found.known.length === 0) found = await searchSolutions(text, session.root, sessionManager);
  }
  return found;
}

async function searchSolutions(
  text: string,
  projectPath: string,
  sessionManager: SessionManager,
): Promise<KnownSolutions> {
  const query_text =
    text.length > MAX_QUERY_CHARACTERS
      ? `${text.slice(0, MAX_QUERY_CHARACTERS / 2)}\n${text.slice(-MAX_QUERY_CHARACTERS / 2)}`
      : text;
  const params = { query_text: query_text.toWellFormed(), env: {}, limit: 2 * MAX_KNOWN_SOLUTIONS, projectPath };
  const found = await rankedSolutions(params, sessionManager);
  const titles = new Map(found.incidents.map(({ incident_id, title }) => [incident_id, title]));
  // A solution that only failed is not a suggestion.
  const useful = found.ranked_solutions.filter(({ worked, failed }) => worked > 0 || failed === 0);
  const known = useful.map(({ solution_id, incident_id, steps, why }) => {
    return { solution_id, title: titles.get(incident_id) ?? incident_id, steps, why };
  });
  // A fix from an earlier loop is both an incident and a pattern, so remove duplicates.
  const distinct = known.filter(
    ({ steps }, at) => known.findIndex((other) => haveSameSteps(other.steps, steps)) === at,
  );
  return { known: distinct.slice(0, MAX_KNOWN_SOLUTIONS), lookup_id: found.lookup_id, warnings: found.warnings ?? [] };
}

function haveSameSteps(one: string, other: string): boolean {
  return one.trim() === other.trim();
}
