/**
 * The commands that delete data: `clean` removes leftovers of fix loops (see fix/snapshots/leftovers.ts), and `forget`
 * removes everything that Argus has recorded about a project.
 */

import { readdirSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { runInEnvelope } from '../answer.ts';
import { ArgusError } from '../errors.ts';
import { type CleanResult, removeLeftovers as cleaned } from '../fix/snapshots/leftovers.ts';
import { type ForgetResult, formatCleanResult, formatForgetResult } from '../format/project.ts';
import { DATABASE_FILE_SUFFIXES } from '../owner/memory-location.ts';
import type { Session } from '../sessions/session.ts';
import { tryLstat } from '../system/files/path-safety.ts';
import { io, toAbsolutePath } from '../system/io.ts';
import { sanitize } from '../text/sanitize.ts';
import { EXIT_CODES } from './terminal/exit.ts';
import { type GlobalOptions, printEnvelope, runProjectCommand } from './terminal/output.ts';

export interface CleanOptions {
  project: string;
  all?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

export async function clean(options: CleanOptions): Promise<void> {
  const { all = false, dryRun = false, json = false } = options;
  const root = resolveProjectFolder(toAbsolutePath(options.project));
  const envelope = await runInEnvelope(async () => ({
    dryRun,
    ...(await cleaned({ root, now: io().now(), all, dryRun })),
  }));
  printEnvelope(envelope, json, (found) => formatCleanResult(found, dryRun, sanitize(root)));
  io().exitCode = envelope.success ? exitCode(envelope.data) : EXIT_CODES.error;
}

function exitCode({ problems }: Pick<CleanResult, 'problems'>): number {
  return problems.length === 0 ? EXIT_CODES.done : EXIT_CODES.failures;
}

function resolveProjectFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (thrown) {
    throw new ArgusError('PROJECT_NOT_FOUND', `The folder ${folder} does not exist. Pass --project DIR.`, {
      cause: thrown,
    });
  }
}

export interface ForgetOptions extends GlobalOptions {
  yes?: boolean;
}

/**
 * The command `forget`: deletes what Argus has recorded about a project. Without --yes it only shows the files, because
 * deleted files cannot be restored.
 */
export async function forgetEverything(options: ForgetOptions): Promise<void> {
  await runProjectCommand(
    options,
    ({ session }) => listOrDeleteEverything(session, options.yes === true),
    formatForgetResult,
  );
}

async function listOrDeleteEverything(session: Session, deletes: boolean): Promise<ForgetResult> {
  const { path: database, folder } = await session.findMemoryLocation();
  await session.close();
  const files = DATABASE_FILE_SUFFIXES.map((suffix) => `${database}${suffix}`);
  // The user's own folder for this project contains copies of foreign and shared memories.
  const entries = [...new Set([...files, folder])]
    .filter((file) => tryLstat(file) !== undefined)
    .map((file) => ({ path: file, bytes: measureBytes(file) }));
  if (deletes) for (const entry of entries) rmSync(entry.path, { recursive: true, force: true });
  return { entries, deleted: deletes };
}

export function measureBytes(file: string): number {
  const stats = tryLstat(file);
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(file).reduce((sum, name) => sum + measureBytes(path.join(file, name)), 0);
}
