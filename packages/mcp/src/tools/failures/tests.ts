/**
 * argus_tests: which tests are broken, flaky, or depend on others or on their environment, from all recorded runs.
 */

import { TEST_STATES } from 'argus-engine';
import type { SessionManager } from '../../sessions/session-manager.ts';
import type { Zod } from '../../system/zod.ts';
import { fitPage } from '../budget.ts';
import type { AnswerOf, Output } from '../output.ts';
import { limit, offset, projectPath, warnings } from '../schemas.ts';
import { type Arguments, defineTool } from '../tool.ts';

const MAX_TESTS = 1_000;
const DEFAULT_TESTS = 100;

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    name: z.string().optional().describe('Part of the name'),
    state: z.enum(TEST_STATES).optional(),
    limit: limit(z, DEFAULT_TESTS, MAX_TESTS),
    offset: offset(z),
  });

const output = { calls: ['tests'], omits: [], adds: warnings } as const satisfies Output;

export type TestsToolResult = AnswerOf<typeof output>;

export async function handleTests(
  params: Arguments<typeof input>,
  sessionManager: Pick<SessionManager, 'getOrThrow'>,
): Promise<TestsToolResult> {
  const session = await sessionManager.getOrThrow(params.projectPath);
  const { name = null, state = null, limit = null, offset = null } = params;
  const { value, warnings } = await session.withEngine((engine) => engine.tests({ name, state, limit, offset }));
  return { ...value, ...(warnings.length > 0 ? { warnings } : {}) };
}

export const testsTool = defineTool({
  name: 'argus_tests',
  title: 'Which tests to trust',
  description:
    'Tests that failed once, with what each is by all recorded runs: broken, flaky (with its rate), broken by another test, or bound to an environment. Ask before you repair a test that others did not break.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handle: handleTests,
  fit: (answer) => fitPage(answer, answer.tests, (tests, hasMore) => ({ ...answer, tests, hasMore })),
});
