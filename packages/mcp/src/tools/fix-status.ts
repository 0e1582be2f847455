/** fix_status: shows the state of a fix loop during the loop and after its end. */

import type { SessionManager } from '../sessions/session-manager.ts';
import type { Zod } from '../system/zod.ts';
import {
  type FixAnswer,
  formatFixAnswer as formatAnswer,
  loop,
  openLoopContext,
  output,
  projectPath,
} from './shared/fix-schemas.ts';
import { type Arguments, defineTool } from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    loop: loop(z).optional().describe('Default: the most recent loop'),
  });

async function handleFixStatus(params: Arguments<typeof input>, sessionManager: SessionManager): Promise<FixAnswer> {
  const { Loop } = await import('../fix/loop.ts');
  const { formatReport } = await import('../fix/report/report.ts');
  const loopContext = await openLoopContext(params.projectPath, sessionManager);
  const record = await Loop.readRecord(loopContext, params.loop);
  return formatAnswer(loopContext, record, record.nextStep.decision.is_over ? { report: formatReport(record) } : {});
}

export const fixStatusTool = defineTool({
  name: 'fix_status',
  title: 'Status of a fix loop',
  description:
    'Use when you return to a fix loop: shows its attempts, error, circuit and next step, and its final report.',
  input,
  output,
  bare: true,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handle: handleFixStatus,
});
