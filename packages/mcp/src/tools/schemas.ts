/**
 * Schemas that several tools share. Kept small: every word of a tool costs its reader tokens. Each is made when it is
 * asked for, since a server starts without any (`generated/tools.json`). Answers are not validated: the engine's types
 * vouch for them.
 */

import { z } from 'zod';
import { CATEGORIES } from '../choices.ts';

export const projectPath = () => z.string().min(1).describe('Absolute path of the project, opened with argus_init');
export const runId = () => z.string().min(1).describe('Run id, from argus_run, argus_import or argus_history');
export const caseName = () =>
  z.string().min(1).describe('Failed case: file > suite > name; a short name if unique in the run');
export const category = () => z.enum(CATEGORIES);
export const limit = (maximum: number, fallback: number) =>
  z.int().min(1).max(maximum).optional().describe(`Default ${fallback}`);
export const offset = () => z.int().min(0).optional().describe('How many to pass over');

/** `{success, data, timestamp}`. */
export function envelopeOf<Data extends z.ZodType>(data: Data) {
  return z.object({ success: z.literal(true), data, timestamp: z.number() });
}

/** Of an answer: the ten names stand in the arguments that take them. */
export const categoryName = () => z.string();

const nullableText = () => z.string().nullable();

/** Of an answer that is not stored: whether it waits to be, and why. */
export const notStored = () => ({
  stored: z.literal(false).optional(),
  queued: z.boolean().optional(),
  code: z.string().optional(),
});

export const warnings = () => z.array(z.string()).optional();

/** Of a fix: whether only claims speak for it, what came of it, each failure once, and the same in words. */
export const fixTried = () => ({
  claimed: z.boolean().optional().describe('true: no run has proved it'),
  tried: z.record(z.string(), z.number()).optional().describe('How often: proved, claimed, failed'),
});
export const fixStanding = () => ({ ...fixTried(), standing: z.string().optional() });

export const differences = () => z.array(z.record(z.string(), z.string())).optional().describe('{before, now}');

export const failurePattern = () =>
  z.object({
    id: z.string(),
    category: categoryName(),
    signature: z.string(),
    signaturePattern: z.string(),
    description: z.string(),
    suggestedFix: nullableText(),
    ...fixStanding(),
    confidence: z.number(),
    occurrences: z.number(),
    resolutions: z.number(),
    source: z.enum(['built-in', 'learned']),
    firstSeenAt: z.string(),
    lastSeenAt: z.string(),
    updatedAt: z.string(),
  });

/** Of a reported success: a claim until the next run of its case proves or refutes it. */
export const proof = () => ({
  state: nullableText().describe('claimed, proved or refuted'),
  provedBy: nullableText(),
});

export const fixRecord = () =>
  z.object({
    id: z.string(),
    patternId: z.string(),
    runId: z.string(),
    caseName: z.string(),
    fixDescription: z.string(),
    success: z.boolean(),
    ...proof(),
    refutedBy: z.string().optional(),
    createdAt: z.string(),
    recordedBy: nullableText(),
    recordedFrom: nullableText(),
  });

const status = () => z.enum(['passed', 'failed']);

export const runRecord = () =>
  z.object({
    id: z.string(),
    timestamp: z.string(),
    gitCommit: nullableText(),
    gitBranch: nullableText(),
    dirty: z.boolean().nullable(),
    command: nullableText(),
    durationMs: z.number(),
    passed: z.number(),
    failed: z.number(),
    skipped: z.number(),
    flaky: z.number(),
    status: status(),
  });

export const caseRecord = () =>
  z.object({
    caseName: z.string(),
    status: z.enum(['passed', 'failed', 'skipped']),
    flaky: z.boolean(),
    runnerStatus: nullableText(),
    durationMs: z.number().nullable(),
    attempts: z.number(),
    category: nullableText(),
    headline: nullableText(),
    error: nullableText(),
    signature: nullableText(),
  });

/** What a failure is to a person, beside its message. */
export const failureSight = () => ({
  failureKind: z.string().describe('Finer than category, from a closed list'),
  place: z.string().optional().describe("file:line in the project's own code"),
  testPlace: z.string().optional(),
  exitCode: z.number().optional(),
  signal: z.string().optional(),
});

/** Failures of one error at one place. */
export const cause = () =>
  z.object({
    causeId: z.string(),
    headline: z.string(),
    place: z.string().optional(),
    count: z.number(),
    cases: z.array(z.string()),
  });

/** Whose fix is suggested, where it was learned for the same error in another case, or of other values. */
export const suggestedFrom = () =>
  z
    .object({ patternId: z.string(), caseName: z.string(), confidence: z.number(), differences: differences() })
    .optional();

/** Another case whose cause this failure has. */
export const sameCauseAs = () => z.record(z.string(), z.string()).optional().describe('{patternId, caseName}');

/** What a run answers, without what only an import adds. */
export const runResult = () =>
  z.object({
    ...notStored(),
    runId: z.string(),
    status: status(),
    durationMs: z.number(),
    totals: z.object({ passed: z.number(), failed: z.number(), skipped: z.number(), flaky: z.number() }),
    failures: z.array(
      z.object({
        caseName: z.string(),
        category: categoryName(),
        ...failureSight(),
        headline: z.string(),
        message: z.string().optional().describe('Where it says more than the headline'),
        causeId: z.string(),
        known: z
          .object({
            patternId: z.string(),
            confidence: z.number(),
            suggestedFix: nullableText(),
            suggestedFrom: suggestedFrom(),
            ...fixStanding(),
            sameCauseAs: sameCauseAs(),
          })
          .nullable(),
      }),
    ),
    more: z.number(),
    causes: z.array(cause()),
    moreCauses: z.number().optional(),
    notes: z.array(z.string()),
  });
