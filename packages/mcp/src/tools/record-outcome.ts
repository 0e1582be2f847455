/** record_outcome: records whether a solution worked, which changes its rank. */

import { recordOutcome } from '../memory/calls.ts';
import type { Zod } from '../system/zod.ts';
import { env, envBucket, lookupId, notes, projectPath, remembered, worked } from './shared/memory-schemas.ts';
import { defineTool } from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    lookup_id: lookupId(z),
    solution_id: z.string().min(1),
    worked: worked(z),
    env: env(z),
    env_bucket: envBucket(z),
    notes: notes(z),
    projectPath: projectPath(z),
  });

export const recordOutcomeTool = defineTool({
  name: 'record_outcome',
  title: 'Record an outcome',
  description: 'Record whether a solution worked. Call it every time you tried one, also when it failed.',
  input,
  output: { calls: ['recordOutcome'], omits: [], adds: remembered },
  bare: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  handle: recordOutcome,
});
