/**
 * argus_patterns: browses the failure patterns of the knowledge base.
 */

import type { PatternsResult as EnginePatternsResult, FailureCategory, PatternSort, PatternSource } from 'argus-engine';
import { z } from 'zod';
import type { SessionManager } from '../../sessions/session-manager.ts';
import { PATTERNS_APP } from '../apps.ts';
import { fitPage } from '../budget.ts';
import { category, envelopeOf, failurePattern, limit, offset, projectPath, warnings } from '../schemas.ts';
import { defineTool } from '../tool.ts';

const input = () =>
  z.strictObject({
    projectPath: projectPath(),
    category: category().optional(),
    source: z.enum(['built-in', 'learned']).optional(),
    sortBy: z.enum(['confidence', 'occurrences', 'lastSeen']).optional().default('occurrences'),
    limit: limit(200, 200),
    offset: offset(),
  });

const output = () =>
  envelopeOf(
    z.object({
      patterns: z.array(failurePattern()),
      total: z.number(),
      builtInCount: z.number(),
      learnedCount: z.number(),
      hasMore: z.boolean(),
      warnings: warnings(),
    }),
  );

export interface PatternsParams {
  projectPath: string;
  category?: FailureCategory | undefined;
  source?: PatternSource | undefined;
  sortBy?: PatternSort | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

export type PatternsResult = EnginePatternsResult & { warnings?: string[] };

export async function handlePatterns(
  params: PatternsParams,
  sessionManager: Pick<SessionManager, 'getOrThrow'>,
): Promise<PatternsResult> {
  const session = await sessionManager.getOrThrow(params.projectPath);
  const { category = null, source = null, sortBy = null, limit = null, offset = null } = params;
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
