/**
 * Schemas that several tools share. They are short because every word costs an agent tokens. Each schema is a function,
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
export const offset = (z: Zod) => z.int().min(0).optional().describe('How many to pass over');

/** Fields of an answer that is not stored: whether it waits, and why. */
export const notStored = (z: Zod) => ({
  stored: z.literal(false).exactOptional(),
  queued: z.boolean().exactOptional(),
  code: z.enum(ENGINE_ERROR_CODES).exactOptional(),
});

/** Warnings about the project or its memory. */
export const warnings = (z: Zod) => ({ warnings: z.array(z.string()).exactOptional() });
