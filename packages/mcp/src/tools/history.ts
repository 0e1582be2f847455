/** argus_history: lists runs, or the cases of a run. */

import { LIMITS, RUN_STATUSES } from 'argus-engine';
import { ArgusError } from '../errors.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import type { Zod } from '../system/zod.ts';
import { clipped } from '../text/untrusted.ts';
import { fitPage } from './shared/budget.ts';
import type { AnswerOf, Output } from './shared/output.ts';
import { limit, offset, projectPath, warnings } from './shared/schemas.ts';
import { type Arguments, defineTool } from './shared/tool.ts';

/** Lists shorten errors to this length, because the resource of the run has the whole text. */
const ERROR_CHARACTERS = 400;

/** Used when the caller gives no limit. */
const DEFAULT_CASES = 20;

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    limit: limit(z, LIMITS.MAX_RUNS, LIMITS.DEFAULT_RUNS),
    status: z.enum(RUN_STATUSES).optional(),
    days: z.int().min(1).optional().describe('Only the last days'),
    offset: offset(z),
    runId: z.string().min(1).optional().describe("List this run's cases instead, failed ones first"),
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
    throw new ArgusError('INVALID_INPUT', 'status and days choose among runs; leave them out together with runId.');
  }
  const page = { runId, limit: limit ?? DEFAULT_CASES, offset };
  const { value, warnings } = await session.withEngine((engine) => engine.runDetail(page), runId);
  return { ...value, ...(warnings.length > 0 ? { warnings } : {}) };
}

/** Shortens errors, with the address of the whole text, and keeps the entries that fit. */
function fit(answer: HistoryToolResult): HistoryToolResult {
  if ('runs' in answer) return fitPage(answer, answer.runs, (runs, hasMore) => ({ ...answer, runs, hasMore }));
  const where = ` in argus://run/${answer.run.id}`;
  const cases = answer.cases.map((one) => ({
    ...one,
    error: one.error === null ? null : clipped(one.error, ERROR_CHARACTERS, where),
  }));
  return fitPage({ ...answer, cases }, cases, (some, hasMore) => ({ ...answer, cases: some, hasMore }));
}

export const historyTool = defineTool({
  name: 'argus_history',
  title: 'List runs',
  description:
    'List recorded runs, newest first; with runId, the cases of that run. Use it to find run ids and case names.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handle: handleHistory,
  fit,
});
