/**
 * Schemas that several tools use. They are short because an agent pays for every word. Each schema is a function,
 * because a server starts without zod and uses `generated/tools.json`.
 */

import { ENGINE_ERROR_CODES } from 'argus-engine';
import type { Zod } from '../../system/zod.ts';

export const projectPath = (z: Zod) =>
  z.string().min(1).describe('Absolute path of the project, opened with argus_init');
export const runId = (z: Zod) => z.string().min(1).describe('Run id, from argus_run, argus_import or argus_history');
export const caseName = (z: Zod) =>
  z.string().min(1).describe('Failed case: file > suite > name; a short name if unique in the run');
export const limit = (z: Zod, maximum: number, fallback: number) =>
  z.int().min(1).max(maximum).optional().describe(`Default ${fallback}`);
export const offset = (z: Zod) => z.int().min(0).optional().describe('Number of entries to skip');

/** Fields of an answer about data that is not stored. `queued` is true if the data waits, and `code` is the reason. */
export const notStored = (z: Zod) => ({
  stored: z.literal(false).exactOptional(),
  queued: z.boolean().exactOptional(),
  code: z.enum(ENGINE_ERROR_CODES).exactOptional(),
});

/** Warnings about the project or its memory. */
export const warnings = (z: Zod) => ({ warnings: z.array(z.string()).exactOptional() });

/*
 * Schemas and first checks that the tools of the debug memory use. `docs/contract/debug-memory.md` defines the names.
 * The engine checks sizes, ids and values of the environment.
 */

export const env = (z: Zod) =>
  z
    .record(z.string(), z.unknown(), {
      error: 'must be an object such as {"language": "python"}; {} detects all fields',
    })
    .describe(
      'Flat: os_family, language, language_major, framework, framework_major, runtime, cuda_major. Missing fields are detected, so {} is fine',
    );

export const envBucket = (z: Zod) => z.string().optional().describe('From an earlier answer, instead of env');

export const lookupId = (z: Zod) => z.string().min(1).optional().describe('From ranked_solutions');

export const steps = (z: Zod) =>
  nonBlankText(z, 'describe the fix, so that others can repeat it').describe('Steps of the fix');

export const worked = (z: Zod) => z.boolean().describe('It solved the problem');

export const notes = (z: Zod) => z.string().optional().describe('Notes for others');

export const memoryPath = (z: Zod) =>
  z.string().min(1).optional().describe("Absolute path; default: the user's memory. Both are searched");

/** Fields of an answer about data that is stored on this machine and still waits for the team's server. */
export const queuedFields = (z: Zod) => ({ queued: z.literal(true).exactOptional(), ...warnings(z) });

/** A text that is not blank. */
export function nonBlankText(z: Zod, advice: string) {
  return z.string().refine((text) => text.trim() !== '', { error: `is empty; ${advice}`, abort: true });
}
