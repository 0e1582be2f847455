/** history and patterns: list the content of the memory. The options are in commands.ts. */

import type { FailureCategory, PatternSort, PatternSource, RunStatus } from 'argus-engine';
import { formatHistory, formatPatterns } from '../../format/failures/lists-text.ts';
import { handleHistory } from '../../tools/history.ts';
import { handlePatterns } from '../../tools/patterns.ts';
import { answer, type GlobalOptions } from '../terminal/output.ts';

export async function history(
  runId: string | undefined,
  options: GlobalOptions & { limit?: number; offset?: number; days?: number; status?: RunStatus },
): Promise<void> {
  const { limit, offset, days, status } = options;
  await answer(
    options,
    ({ projectPath, sessionManager }) =>
      handleHistory({ projectPath, runId, limit, offset, days, status }, sessionManager),
    formatHistory,
  );
}

export async function patterns(
  options: GlobalOptions & {
    category?: FailureCategory;
    source?: PatternSource;
    sort?: PatternSort;
    limit?: number;
    offset?: number;
  },
): Promise<void> {
  const { category, source, sort: sortBy = 'occurrences', limit, offset } = options;
  await answer(
    options,
    ({ projectPath, sessionManager }) =>
      handlePatterns({ projectPath, category, source, sortBy, limit, offset }, sessionManager),
    formatPatterns,
  );
}
