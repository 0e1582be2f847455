/** record_outcome: stores whether a solution worked. This changes its rank. */

import { recordOutcome } from '../sessions/memories.ts';
import type { Zod } from '../system/zod.ts';
import { env, envBucket, lookupId, memoryPath, notes, queuedFields, worked } from './shared/schemas.ts';
import { defineTool } from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    lookup_id: lookupId(z),
    solution_id: z.string().min(1),
    worked: worked(z),
    env: env(z),
    env_bucket: envBucket(z),
    notes: notes(z),
    projectPath: memoryPath(z),
  });

export const recordOutcomeTool = defineTool({
  name: 'record_outcome',
  title: 'Record an outcome',
  description: 'Use when you have tried a solution, even if it failed: records whether it worked.',
  input,
  output: { calls: ['recordOutcome'], omits: [], adds: queuedFields },
  bare: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  handle: recordOutcome,
});
