/** tests and fixes: results from all runs together. The options are in commands.ts. */

import type { TestState } from 'argus-engine';
import { formatFixes, formatFixInFull, formatTests } from '../../format/failures/evidence-text.ts';
import { io } from '../../system/io.ts';
import { handleTests } from '../../tools/tests.ts';
import { answer, type GlobalOptions } from '../terminal/output.ts';
import { fixInFull } from './fix-in-full.ts';

export async function tests(
  caseName: string | undefined,
  options: GlobalOptions & { since?: string; name?: string; state?: TestState; limit?: number; offset?: number },
): Promise<void> {
  const { since, name, state, limit, offset } = options;
  await answer(
    options,
    ({ projectPath, sessionManager }) =>
      handleTests({ projectPath, caseName, since, name, state, limit, offset }, sessionManager),
    (result) => formatTests(result, name !== undefined || state !== undefined),
  );
}

export async function fixes(fixId: string | undefined, options: GlobalOptions): Promise<void> {
  if (fixId !== undefined) {
    await answer(options, ({ session }) => fixInFull(session, fixId), formatFixInFull);
    return;
  }
  await answer(
    options,
    async ({ session }) => {
      const { value, warnings } = await session.withEngine((engine) => engine.fixes());
      return { ...value, ...(warnings.length > 0 ? { warnings } : {}) };
    },
    (result) => formatFixes(result, io().stdout.columns || undefined),
  );
}
