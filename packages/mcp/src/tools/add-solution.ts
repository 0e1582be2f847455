/**
 * add_solution: adds a fix to a known incident or failure pattern, or the same fix for another environment.
 * record_outcome stores whether it works.
 */

import { addSolution } from '../sessions/memories.ts';
import type { Zod } from '../system/zod.ts';
import { env, envBucket, lookupId, memoryPath, queuedFields, steps } from './shared/schemas.ts';
import { defineTool } from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    incident_id: z.string().min(1).describe('From ranked_solutions or add_incident'),
    steps: steps(z),
    env: env(z),
    env_bucket: envBucket(z),
    lookup_id: lookupId(z),
    projectPath: memoryPath(z),
  });

export const addSolutionTool = defineTool({
  name: 'add_solution',
  title: 'Add a solution',
  description:
    'Use when a known incident has a new fix, or the same fix for another environment: adds the fix. Call record_outcome after you try it.',
  input,
  output: { calls: ['addSolution'], omits: [], adds: queuedFields },
  bare: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handle: addSolution,
});
