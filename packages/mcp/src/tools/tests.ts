/**
 * argus_tests: shows which tests are broken, flaky, or dependent on other tests or on their environment, according to
 * all recorded runs. Also shows the runs of one test, or the changes in tests since a commit.
 */

import { TEST_STATES } from 'argus-engine';
import { ArgusError } from '../errors.ts';
import { Git } from '../git/git.ts';
import { resolveCommit } from '../git/history.ts';
import { replaceRerunCommand } from '../run/planning/test-command-location.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import type { Zod } from '../system/zod.ts';
import { fitPage } from './shared/answer-size.ts';
import { limit, offset, projectPath, warnings } from './shared/schemas.ts';
import { type AnswerOf, type Arguments, defineTool, type Output } from './shared/tool.ts';

const MAX_TESTS = 1_000;
const DEFAULT_TESTS = 100;

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    name: z.string().optional().describe('Part of the name'),
    state: z.enum(TEST_STATES).optional(),
    caseName: z.string().min(1).optional().describe('List up to 50 runs of this test'),
    since: z.string().min(1).optional().describe('List changes after this commit'),
    limit: limit(z, MAX_TESTS, DEFAULT_TESTS),
    offset: offset(z),
  });

const output = {
  calls: ['tests', 'testHistory', 'testChanges'],
  omits: [],
  adds: warnings,
} as const satisfies Output;

export type TestsToolResult = AnswerOf<typeof output>;

export async function handleTests(
  params: Arguments<typeof input>,
  sessionManager: Pick<SessionManager, 'getOrThrow'>,
): Promise<TestsToolResult> {
  const session = await sessionManager.getOrThrow(params.projectPath);
  const { name = null, state = null, caseName, since, limit = null, offset = null } = params;
  if ([caseName, since, name ?? state ?? undefined].filter((given) => given !== undefined).length > 1) {
    const message = 'caseName, since, and name with state are different queries. Pass only one of them.';
    throw new ArgusError('INVALID_INPUT', message);
  }
  // Either the commit that git finds, or the prefix of a recorded commit. This clone may not have that commit.
  const commit = since === undefined ? null : await resolveCommit(new Git(session.root), since);
  const { value, warnings } = await session.withEngine<TestsToolResult>((engine) => {
    if (caseName !== undefined) return engine.testHistory({ caseName, limit, offset });
    if (since !== undefined) return engine.testChanges({ since: commit ?? since, limit, offset });
    return engine.tests({ name, state, limit, offset });
  });
  const answer = { ...value, ...(warnings.length > 0 ? { warnings } : {}) };
  if (!('latestFailure' in answer) || answer.latestFailure === undefined) return answer;
  const verdict = replaceRerunCommand(answer.latestFailure.verdict, answer.caseName, session);
  return { ...answer, latestFailure: { ...answer.latestFailure, verdict } };
}

/** Keeps the entries that fit into the answer. */
function fit(answer: TestsToolResult): TestsToolResult {
  if ('runs' in answer) return fitPage(answer, answer.runs, (runs, hasMore) => ({ ...answer, runs, hasMore }));
  if ('changes' in answer) {
    return fitPage(answer, answer.changes, (changes, hasMore) => ({ ...answer, changes, hasMore }));
  }
  return fitPage(answer, answer.tests, (tests, hasMore) => ({ ...answer, tests, hasMore }));
}

export const testsTool = defineTool({
  name: 'argus_tests',
  title: 'Check test health',
  description:
    'Use when you are about to repair a test that others may have broken: lists tests that have ever failed, with their state: broken, flaky (with its rate), broken by another test, or dependent on an environment. Or lists the runs of one test, or changes since a commit.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handle: handleTests,
  fit,
});
