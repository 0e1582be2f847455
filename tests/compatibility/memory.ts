/**
 * Reads the content and the suggestions of a memory through public calls of the engine, because its tables may change.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DiagnosticResult, Engine, NamedCalls } from 'argus-engine';
import { z } from 'zod';

/** Project folder for the engine that reads the reports. Absolute paths in the reports start with it. */
export const PROJECT_ROOT = '/shop';

/** A run in which known failures recur, either as a report or as the output of a command. */
export interface Recurrence {
  /** The format is detected from the text. */
  report?: { name: string; text: string };
  command?: string;
  printed?: string;
  exitCode?: number;
  /** Records the run as a run of a fork, because a run of the project itself would refute a claimed fix. */
  foreign: boolean;
  /** Full names of the failures to diagnose. */
  cases: string[];
}

/** The fix that a build suggests for a failure. */
export interface SuggestedFix {
  /** Id of the pattern that the fix belongs to. */
  pattern: string;
  /** `fix-…` of the newest report of the fix, or `sol-…` if a person chose the fix. */
  fixId: string;
  fix: string;
}

/** Everything that public calls list and that a later version must still list. */
export interface Content {
  patterns: Record<
    string,
    {
      occurrences: number;
      resolutions: number;
      /** Ids of the failures that were merged into the pattern. */
      aliases: string[];
      solutions: string[];
      /** State of each reported fix by id. */
      fixes: Record<string, string>;
    }
  >;
  incidents: Record<string, { solutions: Record<string, string[]> }>;
  /** Paths of the files that `argus share` would write: proved fixes, incidents, outcomes and decisions. */
  shared: string[];
  /** Number of stored cases by run id. */
  runs: Record<string, number>;
  /** Number of failures by test name, for tests that failed at least once. */
  evidence: Record<string, number>;
  /** Ids of commits and edits that fixed a failure. */
  changes: string[];
}

const PATTERNS_PER_PAGE = 200;
const RUNS_PER_PAGE = 100;
/** Several calls run at once, so that the test does not wait for a database server after each call. */
const CONCURRENT_CALLS = 8;

/** Maps the items with `CONCURRENT_CALLS` calls at a time and keeps their order. */
async function mapConcurrently<T, R>(items: readonly T[], ask: (item: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  for (let at = 0; at < items.length; at += CONCURRENT_CALLS)
    answers.push(...(await Promise.all(items.slice(at, at + CONCURRENT_CALLS).map(ask))));
  return answers;
}

/** Collects the items of all pages of a call that takes an offset. */
async function readAllPages<R>(ask: (offset: number) => Promise<{ items: R[]; hasMore: boolean }>): Promise<R[]> {
  const all: R[] = [];
  for (;;) {
    const { items, hasMore } = await ask(all.length);
    all.push(...items);
    if (!hasMore) return all;
  }
}

export async function readContent(memory: NamedCalls): Promise<Content> {
  return {
    patterns: await readPatterns(memory),
    incidents: await readIncidents(memory),
    shared: await readSharedPaths(memory),
    runs: await readRuns(memory),
    evidence: await readEvidence(memory),
    changes: (await memory.fixes()).fixes.map(({ fixId }) => fixId).sort(),
  };
}

async function readPatterns(memory: NamedCalls): Promise<Content['patterns']> {
  const all = await readAllPages(async (offset) => {
    const { patterns: items, hasMore } = await memory.patterns({ limit: PATTERNS_PER_PAGE, offset });
    return { items, hasMore };
  });
  const exported = await readExportedPatterns(memory);
  const sorted = all.sort((a, b) => a.id.localeCompare(b.id));
  const entries = await mapConcurrently(sorted, async ({ id, occurrences, resolutions }) => {
    const { fixHistory } = await memory.pattern({ id });
    const fixes = Object.fromEntries(fixHistory.map((fix) => [fix.id, fix.state ?? 'failed']));
    const { aliases = [], solutions = [] } = exported.get(id) ?? {};
    return [id, { occurrences, resolutions, aliases, solutions, fixes }] as const;
  });
  return Object.fromEntries(entries);
}

const exportedPattern = z.object({
  id: z.string(),
  parts: z.array(z.object({ id: z.string() })).default([]),
  solutions: z.array(z.object({ id: z.string() })),
});

/** Returns the aliases and solutions of each learned pattern by pattern id. */
async function readExportedPatterns(
  memory: NamedCalls,
): Promise<Map<string, { aliases: string[]; solutions: string[] }>> {
  const all = await readExportedLines((after) => memory.patternsExport({ limit: PATTERNS_PER_PAGE, ...after }));
  const sortedIds = (list: { id: string }[]) => list.map(({ id }) => id).sort();
  const read = all.map((line) => exportedPattern.parse(line));
  return new Map(
    read.map(({ id, parts, solutions }) => [id, { aliases: sortedIds(parts), solutions: sortedIds(solutions) }]),
  );
}

/** Collects the parsed lines of all pages of an export. */
async function readExportedLines(
  ask: (after: { after?: string }) => Promise<{ lines: string; next: string | null }>,
): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let after = {}; ; ) {
    const page = await ask(after);
    all.push(
      ...page.lines
        .split('\n')
        .filter(Boolean)
        .map((line): unknown => JSON.parse(line)),
    );
    if (page.next === null) return all;
    after = { after: page.next };
  }
}

async function readIncidents(memory: NamedCalls): Promise<Content['incidents']> {
  const all = await readExportedLines((after) => memory.memoryExport({ limit: PATTERNS_PER_PAGE, ...after }));
  const ids = all.map((line) => z.object({ id: z.string() }).parse(line).id).sort();
  const entries = await mapConcurrently(ids, async (id) => {
    const { solutions } = await memory.incident({ id });
    const outcomes = solutions.map((one) => [one.solution_id, one.outcomes.map(({ outcome_id }) => outcome_id).sort()]);
    return [id, { solutions: Object.fromEntries(outcomes) }] as const;
  });
  return Object.fromEntries(entries);
}

async function readSharedPaths(memory: NamedCalls): Promise<string[]> {
  const { files } = await memory.call('shareWrite', { machine: { roots: [], hosts: [] }, present: [], found: [] });
  return files.map((file) => file.path).sort();
}

async function readRuns(memory: NamedCalls): Promise<Content['runs']> {
  const all = await readAllPages(async (offset) => {
    const { runs: items, hasMore } = await memory.history({ limit: RUNS_PER_PAGE, offset });
    return { items, hasMore };
  });
  const ids = all.map(({ id }) => id).sort();
  const entries = await mapConcurrently(
    ids,
    async (runId) => [runId, (await memory.runDetail({ runId, limit: 1 })).total] as const,
  );
  return Object.fromEntries(entries);
}

async function readEvidence(memory: NamedCalls): Promise<Content['evidence']> {
  const all = await readAllPages(async (offset) => {
    const { tests: items, hasMore } = await memory.tests({ limit: 1000, offset });
    return { items, hasMore };
  });
  return Object.fromEntries(all.map(({ caseName, failures }) => [caseName, failures] as const).sort());
}

/** Returns the number of entries of each kind. */
export function countEntries({
  patterns,
  incidents,
  shared,
  runs,
  evidence,
  changes,
}: Content): Record<string, number> {
  const all = Object.values(patterns);
  const solutions = Object.values(incidents).flatMap((incident) => Object.values(incident.solutions));
  const states = all.flatMap(({ fixes }) => Object.values(fixes));
  return {
    patterns: all.length,
    'learned patterns': Object.keys(patterns).filter((id) => id.startsWith('pat-')).length,
    aliases: all.flatMap(({ aliases }) => aliases).length,
    'solutions of patterns': all.flatMap((pattern) => pattern.solutions).length,
    ...Object.fromEntries(
      ['claimed', 'proved', 'refuted', 'superseded', 'failed'].map((state) => [
        `fixes: ${state}`,
        states.filter((one) => one === state).length,
      ]),
    ),
    incidents: Object.keys(incidents).length,
    'solutions of incidents': solutions.length,
    'outcomes of incidents': solutions.flat().length,
    decisions: shared.filter((file) => file.startsWith('decisions/')).length,
    'files to share': shared.length,
    runs: Object.keys(runs).length,
    cases: Object.values(runs).reduce((sum, cases) => sum + cases, 0),
    'tests with evidence': Object.keys(evidence).length,
    'changes that mended': changes.length,
  };
}

/**
 * Records the runs and diagnoses each of their failures, in order. `reader` is an engine with the project folder
 * `PROJECT_ROOT` that parses the reports, because a memory on a server cannot read files; `folder` receives the
 * reports. A result is undefined if no tried fix is suggested.
 */
export async function readSuggestions(
  memory: NamedCalls,
  reader: Engine,
  recurrences: readonly Recurrence[],
  { folder, startedAt }: { folder: string; startedAt: number },
): Promise<(SuggestedFix | undefined)[]> {
  const answers: (SuggestedFix | undefined)[] = [];
  for (const [index, recurrence] of recurrences.entries()) {
    const runId = await recordRecurrence(memory, reader, recurrence, { folder, startedAt: startedAt + index * 60_000 });
    for (const caseName of recurrence.cases) answers.push(await readSuggestion(memory, runId, caseName));
  }
  return answers;
}

async function recordRecurrence(
  memory: NamedCalls,
  reader: Engine,
  { report, command, printed, exitCode, foreign }: Recurrence,
  { folder, startedAt }: { folder: string; startedAt: number },
): Promise<string> {
  const reports = report === undefined ? [] : [{ path: path.join(folder, report.name) }];
  if (report !== undefined) writeFileSync(path.join(folder, report.name), report.text);
  const run = await reader.prepareRun({
    reports,
    ...(command === undefined ? {} : { command }),
    ...(printed === undefined ? {} : { outputTail: printed }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(foreign ? { foreign } : {}),
    startedAt,
    timedOut: false,
    containers: [],
    notes: [],
  });
  return (await memory.recordRun(run)).runId;
}

async function readSuggestion(memory: NamedCalls, runId: string, caseName: string): Promise<SuggestedFix | undefined> {
  const answer = await memory.diagnose({ runId, caseName });
  const { suggestedFix: fix, tried } = answer;
  const id = answer.suggestedFrom?.patternId ?? answer.pattern?.id;
  if (fix === null || tried === undefined || id === undefined) return undefined;
  const reported = ({ fixHistory }: Pick<DiagnosticResult, 'fixHistory'>) =>
    fixHistory.find((one) => one.success && one.patternId === id && one.fixDescription === fix)?.id;
  const fixId =
    reported(answer) ?? reported(await memory.pattern({ id })) ?? (await findChosenSolution(memory, id, fix));
  return { pattern: id, fixId, fix };
}

/** Returns the id of the solution that a person chose for a pattern. */
async function findChosenSolution(memory: NamedCalls, id: string, fix: string): Promise<string> {
  const { solutions } = await memory.viewPattern({ id });
  return solutions.find(({ steps, set }) => set && steps === fix)?.solutionId ?? 'unknown';
}
