/**
 * add_incident: stores a new problem, the fix that was tried, and whether it worked. A known problem is not stored
 * again. The answer then names the known incident.
 */

import { addIncident } from '../sessions/memories.ts';
import type { Zod } from '../system/zod.ts';
import {
  env,
  envBucket,
  lookupId,
  memoryPath,
  nonBlankText,
  notes,
  queuedFields,
  steps,
  worked,
} from './shared/schemas.ts';
import { defineTool } from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    title: nonBlankText(z, 'describe the problem in one line').describe('The problem in one line'),
    error_signature: z.string().optional().describe('The error as printed'),
    summary: z.string().optional().describe('Circumstances and cause'),
    tags: z.array(z.string()).optional(),
    lookup_id: lookupId(z),
    steps: steps(z),
    env: env(z),
    env_bucket: envBucket(z),
    worked: worked(z),
    notes: notes(z),
    force: z.boolean().optional().describe('Add it even if a similar incident exists'),
    projectPath: memoryPath(z),
  });

export const addIncidentTool = defineTool({
  name: 'add_incident',
  title: 'Add an incident',
  description:
    'Use when ranked_solutions found no match and you tried a fix: remembers the problem, the fix and whether it worked. If the problem is already known, returns that incident.',
  input,
  output: { calls: ['addIncident'], omits: [], adds: queuedFields },
  bare: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handle: addIncident,
});
