/** A run out of a history that was recorded elsewhere, as a line of JSON, and what the engine takes it in as. */

import type { ImportRunParams, ReportCase } from 'argus-engine';
import { ArgusError, messageOf } from '../../errors.ts';
import type { Zod } from '../../system/zod.ts';

/** One run of a history; what it does not know it leaves out. */
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

/** With the field that is none of a run's. */
export function whatIsWrong(thrown: unknown): string {
  const issues =
    thrown instanceof Error && 'issues' in thrown ? (thrown.issues as { path: PropertyKey[]; message: string }[]) : [];
  const [issue] = issues;
  return issue === undefined ? messageOf(thrown) : `${issue.path.join('.')}: ${issue.message}`;
}

export function paramsOf(run: RunLine, isForeign: boolean): ImportRunParams {
  const { runner = null, ...environment } = run.environment;
  // Commits since the run before, the oldest first; without them the run's own.
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

/** Its name is qualified as it is, with the file in front. */
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
