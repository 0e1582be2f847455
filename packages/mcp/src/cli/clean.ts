/**
 * clean: removes leftovers of fix loops and lists them. See fix/snapshots/leftovers.ts for what counts as a leftover.
 */

import { realpathSync } from 'node:fs';
import { enveloped } from '../answer.ts';
import { ArgusError } from '../errors.ts';
import { type Cleaned, clean as cleaned } from '../fix/snapshots/leftovers.ts';
import { formatCleaned } from '../format/project/clean-text.ts';
import { absolutePath, io } from '../system/io.ts';
import { fitToLeave } from '../text/outgoing.ts';
import { EXIT } from './terminal/exit.ts';
import { print } from './terminal/output.ts';

export interface CleanOptions {
  project: string;
  all?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

export async function clean(options: CleanOptions): Promise<void> {
  const { all = false, dryRun = false, json = false } = options;
  const root = projectFolder(absolutePath(options.project));
  const envelope = await enveloped(async () => ({
    dryRun,
    ...(await cleaned({ root, now: io().now(), all, dryRun })),
  }));
  print(envelope, json, (found) => formatCleaned(found, dryRun, fitToLeave(root)));
  io().exitCode = envelope.success ? exitCode(envelope.data) : EXIT.error;
}

function exitCode({ problems }: Pick<Cleaned, 'problems'>): number {
  return problems.length === 0 ? EXIT.done : EXIT.failures;
}

function projectFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (thrown) {
    throw new ArgusError('PROJECT_NOT_FOUND', `There is no folder ${folder}. Pass --project DIR.`, { cause: thrown });
  }
}
