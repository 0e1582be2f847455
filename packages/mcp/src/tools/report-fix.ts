/** argus_report_fix: records what fixed a failure or failed to fix it. A later run shows whether the fix lasts. */

import { environmentOf } from '../environment/project-environment.ts';
import { requireSameTest } from '../sessions/changed-tests.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import type { Zod } from '../system/zod.ts';
import { visible } from '../text/untrusted.ts';
import type { AnswerOf, Output } from './shared/output.ts';
import { caseName, notStored, projectPath, runId, warnings } from './shared/schemas.ts';
import { type Arguments, defineTool } from './shared/tool.ts';

/** Enough for some paragraphs. A diff belongs in git. */
const MAX_DESCRIPTION_CHARACTERS = 10_000;

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    runId: runId(z).describe('Run in which the case failed'),
    caseName: caseName(z),
    fixDescription: z
      .string()
      .trim()
      .min(1)
      .max(MAX_DESCRIPTION_CHARACTERS)
      .describe('What was changed, so that others can repeat it'),
    success: z.boolean().default(true).describe('false: the fix did not help'),
    supersedes: z.string().min(1).optional().describe('Earlier fixRecordId whose text this corrects'),
  });

const output = {
  calls: ['reportFix'],
  omits: [],
  adds: (z: Zod) => ({ ...notStored(z), ...warnings(z) }),
} as const satisfies Output;

export type ReportFixResult = AnswerOf<typeof output>;

export async function handleReportFix(
  params: Arguments<typeof input>,
  sessionManager: Pick<SessionManager, 'getOrThrow'>,
): Promise<ReportFixResult> {
  const { projectPath, runId, caseName, fixDescription, success, supersedes } = params;
  const session = await sessionManager.getOrThrow(projectPath);
  if (success) await requireSameTest(session, runId, caseName);
  const env = environmentOf(session.root);
  const fix = {
    runId,
    caseName,
    fixDescription: visible(fixDescription),
    success,
    supersedes: supersedes ?? null,
    env,
  };
  const { value, notStored, warnings: notes } = await session.learn('reportFix', fix);
  const { warnings: against, ...result } = value;
  const warnings = [...notes, ...against];
  return { ...notStored, ...result, ...(warnings.length > 0 ? { warnings } : {}) };
}

export const reportFixTool = defineTool({
  name: 'argus_report_fix',
  title: 'Report a fix',
  description:
    'Record what fixed a diagnosed failure (or failed to), so that it is suggested next time. Call it after a run proved it: a success that no later run shows is only claimed, and the next run of the case proves or refutes it.',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  handle: handleReportFix,
});
