/**
 * add_solution: adds a fix to a known incident or failure pattern, or the same fix for another environment.
 * record_outcome records whether it works.
 */

import { addSolution } from '../memory/calls.ts';
import type { Zod } from '../system/zod.ts';
import { env, envBucket, lookupId, projectPath, remembered, steps } from './shared/memory-schemas.ts';
import { defineTool } from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    incident_id: z.string().min(1).describe('From ranked_solutions or add_incident'),
    steps: steps(z),
    env: env(z),
    env_bucket: envBucket(z),
    lookup_id: lookupId(z),
    projectPath: projectPath(z),
  });

export const addSolutionTool = defineTool({
  name: 'add_solution',
  title: 'Add a solution',
  description:
    'Add a new fix to a known incident, or the same fix for another environment. Call record_outcome once it was tried.',
  input,
  output: { calls: ['addSolution'], omits: [], adds: remembered },
  bare: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handle: addSolution,
});
