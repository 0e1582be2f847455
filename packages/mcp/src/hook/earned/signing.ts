/** Opens an engine without a memory to sign errors. It stores nothing and creates no file. */

import { type Engine, openEngine, type ReportCase, type RunError } from 'argus-engine';
import type { Config } from '../../config/schema.ts';

/** `config` has the rules of the project, which distinguish its errors. */
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

/** A remembered error and its case. */
export interface RememberedError {
  caseName: string;
  error?: string | null | undefined;
}

/** Signs remembered errors as in a run. Errors without information are left out. */
export async function signed(signer: Signer, remembered: readonly RememberedError[]): Promise<RunError[]> {
  const cases = remembered.map(({ caseName: name, error = null }): ReportCase => {
    return { suite: [], name, status: 'failed', flaky: false, attempts: 1, error };
  });
  return (await signer.runErrors({ cases, timedOut: false, reports: [], containers: [], notes: [] })).errors;
}
