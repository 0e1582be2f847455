/** argus_history: lists runs, or the cases of a run. */

import { LIMITS, RUN_STATUSES } from 'argus-engine';
import { ArgusError } from '../errors.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import type { Zod } from '../system/zod.ts';
import { clip } from '../text/untrusted-text.ts';
import { fitPage } from './shared/answer-size.ts';
import { limit, offset, projectPath, warnings } from './shared/schemas.ts';
import { type AnswerOf, type Arguments, defineTool, type Output } from './shared/tool.ts';

/** The maximum length of errors in lists. The resource of the run has the whole text. */
const MAX_ERROR_CHARACTERS = 400;

/** The number of cases if the caller passes no limit. */
const DEFAULT_CASES = 20;

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    limit: limit(z, LIMITS.MAX_RUNS, LIMITS.DEFAULT_RUNS),
    status: z.enum(RUN_STATUSES).optional(),
    days: z.int().min(1).optional().describe('Only the last days'),
    offset: offset(z),
    runId: z.string().min(1).optional().describe("List this run's cases, failed cases first"),
  });

const output = { calls: ['history', 'runDetail'], omits: [], adds: warnings } as const satisfies Output;

export type HistoryToolResult = AnswerOf<typeof output>;

export async function handleHistory(
  params: Arguments<typeof input>,
  sessionManager: Pick<SessionManager, 'getOrThrow'>,
): Promise<HistoryToolResult> {
  const session = await sessionManager.getOrThrow(params.projectPath);
  const { runId, status = null, days = null, limit = null, offset = null } = params;
  if (runId === undefined) {
    const { value, warnings } = await session.withEngine((engine) => engine.history({ limit, status, days, offset }));
    return { ...value, ...(warnings.length > 0 ? { warnings } : {}) };
  }
  if (status !== null || days !== null) {
    throw new ArgusError('INVALID_INPUT', 'status and days only select runs. Do not pass them together with runId.');
  }
  const page = { runId, limit: limit ?? DEFAULT_CASES, offset };
  const { value, warnings } = await session.withEngine((engine) => engine.runDetail(page), runId);
  return { ...value, ...(warnings.length > 0 ? { warnings } : {}) };
}

/** Shortens errors, adds where the whole text is, and keeps the entries that fit into the answer. */
function fit(answer: HistoryToolResult): HistoryToolResult {
  if ('runs' in answer) return fitPage(answer, answer.runs, (runs, hasMore) => ({ ...answer, runs, hasMore }));
  const where = ` in argus://run/${answer.run.id}`;
  const cases = answer.cases.map((one) => ({
    ...one,
    error: one.error === null ? null : clip(one.error, MAX_ERROR_CHARACTERS, where),
  }));
  return fitPage({ ...answer, cases }, cases, (some, hasMore) => ({ ...answer, cases: some, hasMore }));
}

export const historyTool = defineTool({
  name: 'argus_history',
  title: 'List runs',
  description:
    'Use when you need a run id or a case name: lists recorded runs, newest first; with runId, the cases of that run.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handle: handleHistory,
  fit,
});
