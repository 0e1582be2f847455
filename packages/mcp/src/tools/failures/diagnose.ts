/**
 * argus_diagnose: says what a failure is and what fixed it before, and counts the occurrence. Classifying, matching and
 * counting: crates/engine/src/failures/diagnose.rs.
 */

import type { DiagnosticResult } from 'argus-engine';
import { z } from 'zod';
import { SourceFolders } from '../../run/source-folders.ts';
import type { SessionManager } from '../../sessions/session-manager.ts';
import type { NotStored } from '../../storage/outbox.ts';
import { fitList, fitRemarks } from '../budget.ts';
import {
  caseName,
  categoryName,
  cause,
  differences,
  envelopeOf,
  failurePattern,
  failureSight,
  fixRecord,
  fixStanding,
  fixTried,
  notStored,
  projectPath,
  runId,
  sameCauseAs,
  suggestedFrom,
} from '../schemas.ts';
import { defineTool } from '../tool.ts';

const input = () =>
  z.strictObject({
    projectPath: projectPath(),
    runId: runId(),
    caseName: caseName(),
    notSameAs: z.string().min(1).describe('match.patternId that this failure is not').optional(),
  });

const match = () =>
  z.object({
    how: z.enum(['signature', 'alike', 'none']),
    patternId: z.string().nullable(),
    similarity: z.number().nullable(),
    builtinId: z.string().nullable(),
    differences: differences(),
  });

const related = () =>
  z.object({
    kind: z.string(),
    id: z.string(),
    description: z.string(),
    similarity: z.number(),
    differences: differences(),
    suggestedFix: z.string().nullable(),
    ...fixTried(),
    confidence: z.number().nullable(),
    memory: z.enum(['project', 'user', 'foreign']).optional(),
  });

const output = () =>
  envelopeOf(
    z.object({
      ...notStored(),
      category: categoryName(),
      ...failureSight(),
      message: z.string(),
      cause: cause(),
      signature: z.string(),
      signaturePattern: z.string(),
      pattern: failurePattern().nullable(),
      match: match(),
      suggestedFix: z.string().nullable(),
      suggestedFrom: suggestedFrom(),
      ...fixStanding(),
      sameCauseAs: sameCauseAs(),
      confidence: z.number().nullable(),
      fixHistory: z.array(fixRecord()),
      isNewPattern: z.boolean(),
      rule: z.string(),
      evidence: z.string().nullable(),
      related: z.array(related()),
      warnings: z.array(z.string()),
    }),
  );

export interface DiagnoseParams {
  projectPath: string;
  runId: string;
  caseName: string;
  notSameAs?: string | undefined;
}

export type DiagnoseResult = Partial<NotStored> & Omit<DiagnosticResult, 'notStored'>;

export async function handleDiagnose(
  params: DiagnoseParams,
  sessionManager: Pick<SessionManager, 'getOrThrow'>,
): Promise<DiagnoseResult> {
  const { projectPath, runId, caseName, notSameAs } = params;
  const session = await sessionManager.getOrThrow(projectPath);
  const { value, notStored, warnings } = await session.learn('diagnose', {
    runId,
    caseName,
    ...(notSameAs === undefined ? {} : { notSameAs }),
  });
  const { notStored: _, ...result } = value;
  const folders = new SourceFolders(session.root);
  const cause = folders.placed(result.cause);
  return { ...notStored, ...folders.placed(result), cause, warnings: [...warnings, ...result.warnings] };
}

/** The newest fixes, as many as there is room for. */
function fit(answer: DiagnoseResult): DiagnoseResult {
  const { fixHistory: all, warnings } = answer;
  const fixHistory = fitList(all, (some) => ({ ...answer, fixHistory: some }));
  const left = all.length - fixHistory.length;
  const note = `${left} older fixes are left out; argus://pattern/${answer.pattern?.id} has all.`;
  return { ...answer, fixHistory, warnings: fitRemarks(left > 0 ? [...warnings, note] : warnings) };
}

export const diagnoseTool = defineTool({
  name: 'argus_diagnose',
  title: 'Diagnose a failure',
  description:
    'Say what a failed case is and what fixed it before; `standing` says how often it was proved, or only claimed. Call it before working on a failure, once for each cause of argus_run: `cause` names the cases it answers for. Each call, a repeated one too, counts one occurrence and lowers `confidence`, on which no suggestion rests. `match` says how it was recognised; where it is another failure, notSameAs splits them for good.',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  handle: handleDiagnose,
  fit,
});
