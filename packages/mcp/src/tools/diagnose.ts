/**
 * argus_diagnose: identifies a failure, returns earlier fixes, and counts the occurrence.
 * `crates/engine/src/failures/diagnose.rs` classifies, matches and counts.
 */

import type { SuspectCommit } from 'argus-engine';
import { describedCommits } from '../git/described-commits.ts';
import { Git } from '../git/git.ts';
import { settledHere } from '../run/planning/settling.ts';
import { SourceFolders } from '../run/source-folders.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import { withHonestMend } from '../sessions/weakenings.ts';
import type { Zod } from '../system/zod.ts';
import { fitList, fitRemarks } from './shared/budget.ts';
import type { AnswerOf, Output } from './shared/output.ts';
import { caseName, notStored, projectPath, runId } from './shared/schemas.ts';
import { type Arguments, defineTool } from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    runId: runId(z),
    caseName: caseName(z),
    notSameAs: z.string().min(1).describe('match.patternId that this failure is not').optional(),
  });

const output = { calls: ['diagnose'], omits: ['notStored'], adds: notStored } as const satisfies Output;

type DiagnoseResult = AnswerOf<typeof output>;

export async function handleDiagnose(
  params: Arguments<typeof input>,
  sessionManager: Pick<SessionManager, 'getOrThrow'>,
): Promise<DiagnoseResult> {
  const { projectPath, runId, caseName, notSameAs } = params;
  const session = await sessionManager.getOrThrow(projectPath);
  const { value, notStored, warnings } = await session.learn('diagnose', {
    runId,
    caseName,
    ...(notSameAs === undefined ? {} : { notSameAs }),
  });
  // The last part of its name may have been given.
  const name = value.cause.cases.find((one) => one.endsWith(caseName)) ?? caseName;
  const { notStored: _, ...result } = await withHonestMend(session, value, name);
  const folders = new SourceFolders(session.root);
  const cause = folders.placed(result.cause);
  const placed = { ...notStored, ...folders.placed(result), cause, warnings: [...warnings, ...result.warnings] };
  const suspects = await describedSuspects(session.root, result.suspects);
  if (result.verdict === undefined) return placed;
  return { ...placed, verdict: settledHere(result.verdict, name, session), ...(suspects && { suspects }) };
}

async function describedSuspects(root: string, suspects: readonly SuspectCommit[] | undefined) {
  if (suspects === undefined) return undefined;
  const hashes = suspects.map(({ commit }) => commit);
  const known = await describedCommits(new Git(root), hashes);
  return suspects.map((one) => ({ ...one, ...known.get(one.commit) }));
}

/** Keeps the newest fixes that fit. */
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
    'Say what a failed case is and what fixed it before; `standing` says how often it was proved, or only claimed. Call it where argus_run says `known` or `mendedBefore`, or a verdict other than new: it adds why the verdict holds, all fixes tried, and how the failure was recognized. `cause` names the cases it answers for. Each call, a repeated one too, counts one occurrence and lowers `confidence`, on which no suggestion rests. `match` says how it was recognized; where it is another failure, notSameAs splits them for good.',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  handle: handleDiagnose,
  fit,
});
