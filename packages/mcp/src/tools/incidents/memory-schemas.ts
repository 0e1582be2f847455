/**
 * Schemas and first checks that the tools of the debug memory share; the names are the contract's. Sizes, ids and
 * values of the environment: the engine checks those.
 */

import { z } from 'zod';

export const env = () =>
  z
    .record(z.string(), z.unknown(), { error: 'must be an object such as {"language": "python"}; {} has it detected' })
    .describe(
      'Flat: os_family, language, language_major, framework, framework_major, runtime, cuda_major. What is missing is detected, so {} is fine',
    );

export const envBucket = () => z.string().optional().describe('Instead of env, as an earlier answer gave it');

export const lookupId = () => z.string().min(1).optional().describe('From ranked_solutions');

export const steps = () => filled('say what to do, so that others can repeat it').describe('What to do');

export const worked = () => z.boolean().describe('It solved the problem');

export const notes = () => z.string().optional().describe('What others should know');

export const projectPath = () =>
  z.string().min(1).optional().describe("Absolute path; without it the user's own memory. Both are searched");

/** A text with something in it. */
export function filled(advice: string) {
  return z.string().refine((text) => text.trim() !== '', { error: `is empty; ${advice}`, abort: true });
}
