/** An engine without a memory, which signs what failed: nothing is stored, and no file is made. */

import { type Engine, openEngine, type ReportCase, type RunError } from 'argus-engine';
import type { Config } from '../../config/schema.ts';

/** `config` has the project's own rules, by which errors are told apart. */
export async function signing<T>(
  { classify, redact }: Pick<Config, 'classify' | 'redact'>,
  top: string,
  use: (engine: Signer) => Promise<T>,
): Promise<T> {
  const engine = await openEngine({
    databasePath: ':memory:',
    readOnly: true,
    projectRoot: top,
    rules: classify?.rules ?? [],
    secrets: redact?.patterns ?? [],
  });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

export type Signer = Pick<Engine, 'runErrors' | 'prepareRun'>;

/** An error that is remembered, and the case that it is of. */
export interface RememberedError {
  caseName: string;
  error?: string | null | undefined;
}

/** Those of them that say something, as they would be told apart in a run. */
export async function signed(signer: Signer, remembered: readonly RememberedError[]): Promise<RunError[]> {
  const cases = remembered.map(({ caseName: name, error = null }): ReportCase => {
    return { suite: [], name, status: 'failed', flaky: false, attempts: 1, error };
  });
  return (await signer.runErrors({ cases, timedOut: false, reports: [], containers: [], notes: [] })).errors;
}
