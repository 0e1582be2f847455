/**
 * add_incident: remembers a new problem, the fix that was tried, and whether it worked. A known problem is not added,
 * and the answer names it.
 */

import { addIncident } from '../memory/calls.ts';
import type { Zod } from '../system/zod.ts';
import {
  env,
  envBucket,
  filled,
  lookupId,
  notes,
  projectPath,
  remembered,
  steps,
  worked,
} from './shared/memory-schemas.ts';
import { defineTool } from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    title: filled(z, 'name the problem in one line').describe('The problem in one line'),
    error_signature: z.string().optional().describe('The error as printed'),
    summary: z.string().optional().describe('Circumstances and cause'),
    tags: z.array(z.string()).optional(),
    lookup_id: lookupId(z),
    steps: steps(z),
    env: env(z),
    env_bucket: envBucket(z),
    worked: worked(z),
    notes: notes(z),
    force: z.boolean().optional().describe('Add it although a similar one exists'),
    projectPath: projectPath(z),
  });

export const addIncidentTool = defineTool({
  name: 'add_incident',
  title: 'Add an incident',
  description:
    'Remember a new problem with the fix you tried and whether it worked. Call it when ranked_solutions found no match; if the problem is known after all, the answer names it.',
  input,
  output: { calls: ['addIncident'], omits: [], adds: remembered },
  bare: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handle: addIncident,
});
