/**
 * argus_diagnose: identifies a failure, returns earlier fixes, and counts the occurrence.
 * `crates/engine/src/failures/diagnose.rs` classifies, compares and counts failures.
 */

import type { SuspectCommit } from 'argus-engine';
import { Git } from '../git/git.ts';
import { describeCommits } from '../git/history.ts';
import { replaceRerunCommand } from '../run/planning/test-command-location.ts';
import { SourcePathCompleter } from '../run/source-locations.ts';
import { completePatternId } from '../sessions/complete-id.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import { checkPreviousFix } from '../sessions/weakenings.ts';
import type { Zod } from '../system/zod.ts';
import { fitList, fitRemarks } from './shared/answer-size.ts';
import { caseName, notStored, projectPath, runId } from './shared/schemas.ts';
import { type AnswerOf, type Arguments, defineTool, type Output } from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    runId: runId(z),
    caseName: caseName(z),
    notSameAs: z.string().min(1).describe('match.patternId, if the match is wrong').optional(),
  });

const output = {
  calls: ['diagnose'],
  omits: ['notStored'],
  adds: notStored,
  shows: {
    pattern: [
      'id',
      'category',
      'signature',
      'signaturePattern',
      'description',
      'suggestedFix',
      'confidence',
      'occurrences',
      'resolutions',
      'source',
      'firstSeenAt',
      'lastSeenAt',
    ],
    fixHistory: ['id', 'patternId', 'runId', 'caseName', 'fixDescription', 'success', 'createdAt'],
  },
} as const satisfies Output;

type DiagnoseResult = AnswerOf<typeof output>;

export function handleDiagnose(
  params: Arguments<typeof input>,
  sessionManager: Pick<SessionManager, 'getOrThrow'>,
): Promise<DiagnoseResult> {
  return diagnoseFailure(params, sessionManager);
}

/** If `once` is true, an occurrence is counted only for the first diagnosis of this failure in this run. */
export async function diagnoseFailure(
  params: Arguments<typeof input> & { once?: boolean },
  sessionManager: Pick<SessionManager, 'getOrThrow'>,
): Promise<DiagnoseResult> {
  const { projectPath, runId, caseName, notSameAs, once } = params;
  const session = await sessionManager.getOrThrow(projectPath);
  const { value, notStored, warnings } = await session.learn('diagnose', {
    runId,
    caseName,
    ...(notSameAs === undefined ? {} : { notSameAs: await completePatternId(session, notSameAs) }),
    ...(once === undefined ? {} : { once }),
  });
  // The caller may have passed only the last part of the name.
  const name = value.cause.cases.find((one) => one.endsWith(caseName)) ?? caseName;
  const { notStored: _, ...result } = await checkPreviousFix(session, value, name);
  const folders = new SourcePathCompleter(session.root);
  const cause = folders.completePlaces(result.cause);
  const placed = {
    ...notStored,
    ...folders.completePlaces(result),
    cause,
    warnings: [...warnings, ...result.warnings],
  };
  const suspects = await describeSuspects(session.root, result.suspects);
  if (result.verdict === undefined) return placed;
  return { ...placed, verdict: replaceRerunCommand(result.verdict, name, session), ...(suspects && { suspects }) };
}

async function describeSuspects(root: string, suspects: readonly SuspectCommit[] | undefined) {
  if (suspects === undefined) return undefined;
  const hashes = suspects.map(({ commit }) => commit);
  const known = await describeCommits(new Git(root), hashes);
  return suspects.map((one) => ({ ...one, ...known.get(one.commit) }));
}

/** Keeps the newest fixes that fit into the answer. */
function fit(answer: DiagnoseResult): DiagnoseResult {
  const { fixHistory: all, warnings } = answer;
  const fixHistory = fitList(all, (some) => ({ ...answer, fixHistory: some }));
  const omitted = all.length - fixHistory.length;
  const note = `${omitted} older fixes are omitted; argus://pattern/${answer.pattern?.id} lists all fixes.`;
  return { ...answer, fixHistory, warnings: fitRemarks(omitted > 0 ? [...warnings, note] : warnings) };
}

export const diagnoseTool = defineTool({
  name: 'argus_diagnose',
  title: 'Diagnose a failure',
  description:
    'Use when argus_run returns `known` or `mendedBefore`, or a verdict other than new: explains a failed case, its verdict and all tried fixes; `fixStatus` counts how often a fix was proved, or only claimed. `cause` lists the cases that the answer covers. Each call, even a repeated call, counts an occurrence and lowers `confidence`, which no suggestion uses. `match` explains how it was recognized; if the match is wrong, notSameAs separates the failures permanently.',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  handle: handleDiagnose,
  fit,
});
