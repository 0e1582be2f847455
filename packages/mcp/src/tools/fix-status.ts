/** fix_status: shows the state of a fix loop while it runs and after its end. */

import type { SessionManager } from '../sessions/session-manager.ts';
import type { Zod } from '../system/zod.ts';
import { answerFrom, type FixAnswer, loop, output, placeAt, projectPath } from './shared/fix-schemas.ts';
import { type Arguments, defineTool } from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    loop: loop(z).optional().describe('Default: the one worked on last'),
  });

async function handleFixStatus(params: Arguments<typeof input>, sessionManager: SessionManager): Promise<FixAnswer> {
  const { Loop } = await import('../fix/loop.ts');
  const { reportMarkdown } = await import('../fix/report/report.ts');
  const loopContext = await placeAt(params.projectPath, sessionManager);
  const record = await Loop.look(loopContext, params.loop);
  return answerFrom(loopContext, record, record.outlook.decision.is_over ? { report: reportMarkdown(record) } : {});
}

export const fixStatusTool = defineTool({
  name: 'fix_status',
  title: 'Status of a fix loop',
  description: 'How a fix loop stands: attempts, error, circuit, what to do next, and the report once it is over.',
  input,
  output,
  bare: true,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handle: handleFixStatus,
});
