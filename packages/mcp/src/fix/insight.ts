/**
 * Collects what can be found about an error: the context, the research query with the output of a research program, and
 * known solutions. Failed parts become notes, not errors.
 */

import type { FixError, FixState } from 'argus-engine';
import { ArgusError, messageOf } from '../errors.ts';
import { rankedSolutions } from '../memory/calls.ts';
import { missingOf } from '../run/advice/missing.ts';
import { markEntry } from '../run/processes.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import { findingsIn } from './context/findings.ts';
import { type FixContext, gatherContext } from './context/gather-context.ts';
import { type ResearchQuery, researchQuery, runResearch } from './context/research.ts';
import { configFor, type LoopContext, type Watcher } from './loop-context.ts';
import type { Insight, KnownSolution } from './report/record.ts';

/** Limit for the solutions in a brief. */
const MAX_KNOWN_SOLUTIONS = 3;

/** A search uses only the beginning and the end of the error, because more text does not find more. */
const MAX_QUERY_CHARACTERS = 16_000;

export interface InsightRequest {
  attempt: number;
  error: FixError;
  state: FixState;
  /** A program that reads the research query. */
  research?: string | undefined;
  /** A mark in the environment of the research program. */
  mark: string;
  year: number;
}

export async function insightOf(loopContext: LoopContext, request: InsightRequest, watcher: Watcher): Promise<Insight> {
  const { attempt, error } = request;
  const notes: string[] = [];
  const [context, memory] = await Promise.all([
    contextOf(loopContext, request, watcher),
    knownSolutions(loopContext, error).catch((thrown) => {
      notes.push(`The memories were not searched: ${messageOf(thrown)}`);
      return { known: [], lookup_id: null, warnings: [] };
    }),
  ]);
  const query = researchQuery(context, request.year);
  const research = await researched(loopContext, request, query, watcher);
  if (research.problem !== null) notes.push(research.problem);
  return {
    attempt,
    error,
    context: context.answers,
    location: context.location,
    function: context.function,
    frames: context.frames,
    missing: missingOf(error.text, loopContext.session.root) ?? null,
    uncommitted: context.uncommitted,
    hypothesis: context.hypothesis,
    query: query.query,
    query_markdown: query.markdown,
    known: memory.known,
    lookup_id: memory.lookup_id,
    research: research.text,
    findings: research.text ? findingsIn(research.text) : null,
    sources: research.sources,
    notes: [...notes, ...memory.warnings],
  };
}

function contextOf(
  loopContext: LoopContext,
  { error, state }: InsightRequest,
  { signal }: Watcher,
): Promise<FixContext> {
  return gatherContext({
    root: loopContext.session.root,
    errorText: error.text,
    error,
    command: state.command ?? undefined,
    test: state.test ?? undefined,
    namespace: state.namespace ?? undefined,
    signal,
    config: configFor(loopContext, state.namespace),
    redact: (text) => loopContext.rules.redact(text),
  });
}

async function researched(
  loopContext: LoopContext,
  { research, mark }: InsightRequest,
  query: ResearchQuery,
  watcher: Watcher,
) {
  if (research === undefined) return { text: null, sources: [], problem: null };
  watcher.onNote?.('researching');
  const redact = (text: string) => loopContext.rules.redact(text);
  const { signal } = watcher;
  return runResearch(research, query, { cwd: loopContext.session.root, signal, redact, env: markEntry(mark) });
}

interface Known {
  known: KnownSolution[];
  lookup_id: string | null;
  warnings: string[];
}

/**
 * Searches with the whole error text, then with its headline if that found nothing, because the text may hold several
 * errors.
 */
async function knownSolutions({ session, sessionManager }: LoopContext, error: FixError): Promise<Known> {
  if (!session.historyEnabled) throw new ArgusError('HISTORY_DISABLED', 'history is disabled in the configuration.');
  let found: Known = { known: [], lookup_id: null, warnings: [] };
  for (const text of new Set([error.text.trim(), error.headline.trim()])) {
    if (text !== '' && found.known.length === 0) found = await solutionsFor(text, session.root, sessionManager);
  }
  return found;
}

async function solutionsFor(text: string, projectPath: string, sessionManager: SessionManager): Promise<Known> {
  const query_text =
    text.length > MAX_QUERY_CHARACTERS
      ? `${text.slice(0, MAX_QUERY_CHARACTERS / 2)}\n${text.slice(-MAX_QUERY_CHARACTERS / 2)}`
      : text;
  const params = { query_text: query_text.toWellFormed(), env: {}, limit: 2 * MAX_KNOWN_SOLUTIONS, projectPath };
  const found = await rankedSolutions(params, sessionManager);
  const titles = new Map(found.incidents.map(({ incident_id, title }) => [incident_id, title]));
  const known = found.ranked_solutions.map(({ solution_id, incident_id, steps, why }) => {
    return { solution_id, title: titles.get(incident_id) ?? incident_id, steps, why };
  });
  // A fix from an earlier loop is both an incident and a pattern, so remove duplicates.
  const told = known.filter(({ steps }, at) => known.findIndex((other) => isSame(other.steps, steps)) === at);
  return { known: told.slice(0, MAX_KNOWN_SOLUTIONS), lookup_id: found.lookup_id, warnings: found.warnings ?? [] };
}

function isSame(one: string, other: string): boolean {
  return one.trim() === other.trim();
}
