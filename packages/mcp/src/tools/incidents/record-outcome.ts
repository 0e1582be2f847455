/**
 * record_outcome: records whether a solution worked, in the statistics it is ranked by.
 */

import { z } from 'zod';
import { recordOutcome } from '../../memory/calls.ts';
import { defineTool } from '../tool.ts';
import { detectedEnv, env, envBucket, lookupId, nextAction, notes, projectPath, worked } from './memory-schemas.ts';

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

const bucket = () =>
  z.object({
    env_bucket: z.string(),
    worked: z.number(),
    failed: z.number(),
    last_confirmed_at: z.string().nullable(),
  });

const output = () =>
  z.object({
    ok: z.literal(true),
    outcome_id: z.string(),
    env_bucket: z.string(),
    detected_env: detectedEnv(),
    solution_stats: z.object({
      solution_id: z.string(),
      worked: z.number(),
      failed: z.number(),
      success_rate: z.number(),
      reliability_score: z.number(),
      last_confirmed_at: z.string().nullable(),
      buckets: z.array(bucket()),
    }),
    next_action: nextAction(),
  });

export const recordOutcomeTool = defineTool({
  name: 'record_outcome',
  title: 'Record an outcome',
  description: 'Record whether a solution worked. Call it every time you tried one, also when it failed.',
  input,
  output,
  bare: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  handle: recordOutcome,
});
