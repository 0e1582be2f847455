/**
 * record_outcome: records whether a solution worked, in the statistics it is ranked by.
 */

import { z } from 'zod';
import { recordOutcome } from '../../memory/calls.ts';
import { defineTool } from '../tool.ts';
import { env, envBucket, lookupId, notes, projectPath, worked } from './memory-schemas.ts';

const input = () =>
  z.strictObject({
    lookup_id: lookupId(),
    solution_id: z.string().min(1),
    worked: worked(),
    env: env(),
    env_bucket: envBucket(),
    notes: notes(),
    projectPath: projectPath(),
  });

export const recordOutcomeTool = defineTool({
  name: 'record_outcome',
  title: 'Record an outcome',
  description: 'Record whether a solution worked. Call it every time you tried one, also when it failed.',
  input,
  output: { calls: ['recordOutcome'], omits: [], adds: () => ({}) },
  bare: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  handle: recordOutcome,
});
