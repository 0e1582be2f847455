/** argus_patterns: lists the failure patterns of the memory. */

import { FAILURE_CATEGORIES, LIMITS, PATTERN_SORTS, PATTERN_SOURCES } from 'argus-engine';
import type { SessionManager } from '../sessions/session-manager.ts';
import type { Zod } from '../system/zod.ts';
import { fitPage } from './shared/answer-size.ts';
import { limit, offset, projectPath, warnings } from './shared/schemas.ts';
import { type AnswerOf, type Arguments, defineTool, type Output } from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    category: z.enum(FAILURE_CATEGORIES).optional(),
    source: z.enum(PATTERN_SOURCES).optional(),
    sortBy: z.enum(PATTERN_SORTS).default('occurrences'),
    limit: limit(z, LIMITS.MAX_PATTERNS, LIMITS.MAX_PATTERNS),
    offset: offset(z),
  });

const output = {
  calls: ['patterns'],
  omits: [],
  adds: warnings,
  shows: {
    patterns: [
      'id',
      'category',
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
  },
} as const satisfies Output;

/** The page that shows the answer in a chat. */
export const PATTERNS_APP_URI = 'ui://argus/patterns';

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
    'Use when you want to see how a project fails: lists known failure patterns with their fixes and how well these worked.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  app: PATTERNS_APP_URI,
  handle: handlePatterns,
  fit: (answer) => fitPage(answer, answer.patterns, (patterns, hasMore) => ({ ...answer, patterns, hasMore })),
});
