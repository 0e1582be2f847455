/**
 * add_solution: adds a fix to a known incident or failure pattern, or the same fix for another environment. Whether it
 * works: record_outcome.
 */

import { z } from 'zod';
import { addSolution } from '../../memory/calls.ts';
import { defineTool } from '../tool.ts';
import { env, envBucket, lookupId, projectPath, steps } from './memory-schemas.ts';

const input = () =>
  z.strictObject({
    incident_id: z.string().min(1).describe('From ranked_solutions or add_incident'),
    steps: steps(),
    env: env(),
    env_bucket: envBucket(),
    lookup_id: lookupId(),
    projectPath: projectPath(),
  });

export const addSolutionTool = defineTool({
  name: 'add_solution',
  title: 'Add a solution',
  description:
    'Add a new fix to a known incident, or the same fix for another environment. Call record_outcome once it was tried.',
  input,
  output: { calls: ['addSolution'], omits: [], adds: () => ({}) },
  bare: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handle: addSolution,
});
