/**
 * argus_report_fix: stores which change fixed a failure, or failed to fix it. A later run shows whether the fix lasts.
 */

import type { RunRecord, Weakening } from 'argus-engine';
import { getEnvironment } from '../environment/project-environment.ts';
import { ArgusError } from '../errors.ts';
import { completeFixId } from '../sessions/complete-id.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import { findWeakenings } from '../sessions/weakenings.ts';
import type { Zod } from '../system/zod.ts';
import { removeInvisibleCharacters } from '../text/untrusted-text.ts';
import { caseName, notStored, projectPath, runId, warnings } from './shared/schemas.ts';
import { type AnswerOf, type Arguments, defineTool, type Output } from './shared/tool.ts';

/** Enough for a few paragraphs. A diff belongs in git. */
const MAX_DESCRIPTION_CHARACTERS = 10_000;

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    runId: runId(z).describe('Run in which the case failed'),
    caseName: caseName(z),
    fixDescription: z
      .string()
      .trim()
      .min(1)
      .max(MAX_DESCRIPTION_CHARACTERS)
      .describe('Description of the change, so that others can repeat it'),
    success: z.boolean().default(true).describe('false: the fix did not help'),
    supersedes: z.string().min(1).optional().describe('fixRecordId of an earlier report that this text corrects'),
  });

const output = {
  calls: ['reportFix'],
  omits: [],
  adds: (z: Zod) => ({ ...notStored(z), ...warnings(z) }),
} as const satisfies Output;

export type ReportFixResult = AnswerOf<typeof output>;

export async function handleReportFix(
  params: Arguments<typeof input>,
  sessionManager: Pick<SessionManager, 'getOrThrow'>,
): Promise<ReportFixResult> {
  const { projectPath, runId, caseName, fixDescription, success, supersedes } = params;
  const session = await sessionManager.getOrThrow(projectPath);
  if (success) await requireSameTest(session, runId, caseName);
  const env = getEnvironment(session.root);
  const fix = {
    runId,
    caseName,
    fixDescription: removeInvisibleCharacters(fixDescription),
    success,
    supersedes: supersedes === undefined ? null : await completeFixId(session, supersedes),
    env,
  };
  const { value, notStored, warnings: notes } = await session.learn('reportFix', fix);
  const { warnings: engineWarnings, ...result } = value;
  const warnings = [...notes, ...engineWarnings];
  return { ...notStored, ...result, ...(warnings.length > 0 ? { warnings } : {}) };
}

/**
 * Throws if the test, or the way in which tests are run, has changed since the failure. Compares the commit on which
 * the test failed with the work tree, with the same rule as the fix loop (`crates/core/src/fix_loop/weakenings.rs`).
 * The diff does not leave this machine.
 */
async function requireSameTest(session: Session, runId: string, caseName: string): Promise<void> {
  const [first] = await findTestChanges(session, runId, caseName);
  if (first === undefined) return;
  const { file, line, kind, text } = first;
  const location = `${file}:${line} (${kind.replaceAll('_', ' ')}: ${text})`;
  const advice = 'Restore the test and run it again, or report with success: false.';
  throw new ArgusError(
    'INVALID_INPUT',
    `The test has changed since it failed, at ${location}. A fix must not change the test, so nothing was recorded. ${advice}`,
  );
}

async function findTestChanges(session: Session, runId: string, caseName: string): Promise<Weakening[]> {
  const { gitCommit, dirty } = await readRunCommit(session, runId);
  // If the work tree had uncommitted changes, the state of the test at the failure is unknown.
  if (gitCommit === null || dirty !== false) return [];
  return findWeakenings(session, ['diff-index', gitCommit], caseName);
}

/** Returns nulls if the run cannot be read, for example because it still waits for the database. */
async function readRunCommit(session: Session, runId: string): Promise<Pick<RunRecord, 'gitCommit' | 'dirty'>> {
  try {
    return (await session.withEngine((engine) => engine.runDetail({ runId, limit: 1 }))).value.run;
  } catch {
    return { gitCommit: null, dirty: null };
  }
}

export const reportFixTool = defineTool({
  name: 'argus_report_fix',
  title: 'Report a fix',
  description:
    'Use when a run proved your fix of a diagnosed failure, or showed that it failed: records the fix, so that Argus suggests it next time. A success without a later run is only claimed; the next run of the case proves or refutes it.',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  handle: handleReportFix,
});
