/** Reads a run of a history that was recorded elsewhere from a line of JSON, and converts it for the engine. */

import type { ImportRunParams, ReportCase } from 'argus-engine';
import { ArgusError, messageOf } from '../../errors.ts';
import type { Zod } from '../../system/zod.ts';

/** Schema of a run in a history. Unknown facts are left out. */
export function runSchema(z: Zod) {
  const text = z.string().max(200_000);
  const commit = z.object({ commit: text, parents: z.array(text).default([]), files: z.array(text).default([]) });
  const one = z.object({
    name: text.min(1),
    status: z.enum(['passed', 'failed', 'skipped']),
    durationMs: z.number().nonnegative().optional(),
    attempts: z.int().positive().default(1),
    error: text.optional(),
  });
  return z.object({
    id: text.min(1),
    startedAt: z.int().nonnegative(),
    commit: text.optional(),
    parents: z.array(text).optional(),
    path: z.array(commit).optional(),
    branch: text.optional(),
    dirty: z.boolean().optional(),
    tree: text.optional(),
    environment: z.record(text, text).default({}),
    foreign: z.boolean().default(false),
    cases: z.array(one),
  });
}

export type RunSchema = ReturnType<typeof runSchema>;
export type RunLine = ReturnType<RunSchema['parse']>;

export function readLine(schema: RunSchema, line: string, number: number): RunLine {
  try {
    return schema.parse(JSON.parse(line));
  } catch (thrown) {
    throw new ArgusError(
      'INVALID_INPUT',
      `Line ${number} is no run (${whatIsWrong(thrown)}). The lines before it are recorded.`,
    );
  }
}

/** Returns the first problem with the name of the wrong field. */
export function whatIsWrong(thrown: unknown): string {
  const issues =
    thrown instanceof Error && 'issues' in thrown ? (thrown.issues as { path: PropertyKey[]; message: string }[]) : [];
  const [issue] = issues;
  return issue === undefined ? messageOf(thrown) : `${issue.path.join('.')}: ${issue.message}`;
}

export function paramsOf(run: RunLine, isForeign: boolean): ImportRunParams {
  const { runner = null, ...environment } = run.environment;
  // Commits since the previous run. If they are missing, only the run's own commit is used.
  const own = run.commit === undefined ? [] : [{ commit: run.commit, parents: run.parents ?? [] }];
  return {
    id: run.id,
    run: {
      command: null,
      runner,
      startedAt: run.startedAt,
      durationMs: null,
      exitCode: null,
      signal: null,
      timedOut: false,
      git: {
        commit: run.commit ?? null,
        branch: run.branch ?? null,
        dirty: run.dirty ?? null,
        tree: run.tree ?? null,
        commits: run.path === undefined || run.path.length === 0 ? own : run.path.toReversed(),
      },
      environment,
      foreign: run.foreign || isForeign,
      reports: [],
      cases: run.cases.map(caseOf),
      outputTail: null,
      containers: [],
      notes: [],
    },
  };
}

/** The name is already qualified by the file, so `file` and `suite` are empty. */
function caseOf({ name, status, durationMs, attempts, error }: RunLine['cases'][number]): ReportCase {
  return {
    file: null,
    suite: [],
    name,
    status,
    runnerStatus: null,
    flaky: status === 'passed' && attempts > 1,
    durationMs: durationMs ?? null,
    attempts,
    errorType: null,
    error: error ?? null,
    stdoutTail: null,
    stderrTail: null,
    runner: null,
  };
}
