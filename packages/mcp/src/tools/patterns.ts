/** argus_patterns: browses the failure patterns of the knowledge base. */

import { FAILURE_CATEGORIES, LIMITS, PATTERN_SORTS, PATTERN_SOURCES } from 'argus-engine';
import type { SessionManager } from '../sessions/session-manager.ts';
import type { Zod } from '../system/zod.ts';
import { PATTERNS_APP } from './shared/apps.ts';
import { fitPage } from './shared/budget.ts';
import type { AnswerOf, Output } from './shared/output.ts';
import { limit, offset, projectPath, warnings } from './shared/schemas.ts';
import { type Arguments, defineTool } from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    category: z.enum(FAILURE_CATEGORIES).optional(),
    source: z.enum(PATTERN_SOURCES).optional(),
    sortBy: z.enum(PATTERN_SORTS).default('occurrences'),
    limit: limit(z, LIMITS.MAX_PATTERNS, LIMITS.MAX_PATTERNS),
    offset: offset(z),
  });

const output = { calls: ['patterns'], omits: [], adds: warnings } as const satisfies Output;

export type PatternsResult = AnswerOf<typeof output>;

export async function handlePatterns(
  params: Arguments<typeof input>,
  sessionManager: Pick<SessionManager, 'getOrThrow'>,
): Promise<PatternsResult> {
  const session = await sessionManager.getOrThrow(params.projectPath);
  const { category = null, source = null, sortBy, limit = null, offset = null } = params;
  const { value, warnings } = await session.withEngine((engine) =>
    engine.patterns({ category, source, sortBy, limit, offset }),
  );
  return { ...value, ...(warnings.length > 0 ? { warnings } : {}) };
}

export const patternsTool = defineTool({
  name: 'argus_patterns',
  title: 'Browse failure patterns',
  description:
    'Browse known failure patterns with their fixes and what came of those. Use it to see what a project fails of.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  app: PATTERNS_APP,
  handle: handlePatterns,
  fit: (answer) => fitPage(answer, answer.patterns, (patterns, hasMore) => ({ ...answer, patterns, hasMore })),
});
