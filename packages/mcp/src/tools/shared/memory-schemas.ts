/**
 * Schemas and first checks that the tools of the debug memory share. The contract defines the names. The engine checks
 * sizes, ids and values of the environment.
 */

import type { Zod } from '../../system/zod.ts';
import { warnings } from './schemas.ts';

export const env = (z: Zod) =>
  z
    .record(z.string(), z.unknown(), { error: 'must be an object such as {"language": "python"}; {} has it detected' })
    .describe(
      'Flat: os_family, language, language_major, framework, framework_major, runtime, cuda_major. What is missing is detected, so {} is fine',
    );

export const envBucket = (z: Zod) => z.string().optional().describe('Instead of env, as an earlier answer gave it');

export const lookupId = (z: Zod) => z.string().min(1).optional().describe('From ranked_solutions');

export const steps = (z: Zod) => filled(z, 'say what to do, so that others can repeat it').describe('What to do');

export const worked = (z: Zod) => z.boolean().describe('It solved the problem');

export const notes = (z: Zod) => z.string().optional().describe('What others should know');

export const projectPath = (z: Zod) =>
  z.string().min(1).optional().describe("Absolute path; without it the user's own memory. Both are searched");

/** Fields of an answer that is stored on this machine and waits for the team's server. */
export const remembered = (z: Zod) => ({ queued: z.literal(true).exactOptional(), ...warnings(z) });

/** A text that is not blank. */
export function filled(z: Zod, advice: string) {
  return z.string().refine((text) => text.trim() !== '', { error: `is empty; ${advice}`, abort: true });
}
