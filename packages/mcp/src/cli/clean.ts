/**
 * clean: removes what fix loops left and nobody needs any more, and says what that was.
 * Does not: decide what that is.
 */

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { ArgusError } from '../errors.ts';
import { type Cleaned, clean as cleaned } from '../fix/leftovers.ts';
import { formatCleaned } from '../format/clean.ts';
import { EXIT } from './exit.ts';

export interface CleanOptions {
  project: string;
  all?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

export async function clean(options: CleanOptions): Promise<void> {
  const dryRun = options.dryRun ?? false;
  const root = projectFolder(path.resolve(options.project));
  const found: Cleaned = await cleaned({ root, now: Date.now(), all: options.all ?? false, dryRun });
  const envelope = { success: true, data: { dryRun, ...found }, timestamp: Date.now() };
  process.stdout.write(`${options.json ? JSON.stringify(envelope) : formatCleaned(found, dryRun, root)}\n`);
  process.exitCode = found.problems.length === 0 ? EXIT.done : EXIT.failures;
}

function projectFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (thrown) {
    throw new ArgusError('PROJECT_NOT_FOUND', `There is no folder ${folder}. Pass --project DIR.`, { cause: thrown });
  }
}
