/**
 * Checks that a loop belongs to this user, because a state that came with a repository would otherwise run its command.
 * The user's data folder has a mark for the folder of each loop that this user started.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ArgusError } from '../../errors.ts';
import { runGit } from '../../git/git.ts';
import { trackedFiles } from '../../git/tracked.ts';
import { trustedDataFolder } from '../../owner/data-folder.ts';
import type { Project } from '../../owner/project.ts';
import { readText } from '../../system/files/read.ts';
import { isStrangers, lstat, obstacleOn } from '../../system/files/way.ts';
import { workTreeTop } from '../../system/files/work-tree-top.ts';
import { isOld } from '../snapshots/refs.ts';
import { FIXES, type StateFolder } from './state-folder.ts';

/** Folder of the marks in the data folder. */
const LOOPS = 'loops';
/** A mark holds a path. */
const MAX_MARK_BYTES = 64 * 1024;

/** Loops that this process started. They need no mark, so loops work without a data folder. */
const begun = new Set<string>();

/**
 * Throws if a loop would be written through a link, into another user's folder, or into files that git tracks. `folder`
 * is the folder of the loop, if it is known.
 */
export async function requireOwnPlace(root: string, folder: StateFolder | undefined): Promise<void> {
  const obstacle = obstacleOn(root, folder?.path ?? path.join(root, FIXES));
  if (obstacle !== undefined) throw notWritten(`${obstacle.text}, so no fix loop is kept there. Move it away.`);
  if (workTreeTop(root) === undefined) return;
  const tracked = await trackedFiles(root, [FIXES]);
  if (tracked === undefined) {
    const { problem } = await runGit(root, ['ls-files', '--', FIXES]);
    const advice = `Make git answer there (${problem ?? 'it was too slow'}), then call again.`;
    throw notWritten(
      `git does not say whether it tracks files in ${FIXES}, and Argus writes none that it does. ${advice}`,
    );
  }
  if (tracked.size === 0) return;
  throw notWritten(`git tracks files in ${FIXES}, and Argus writes none that git tracks. git rm -r --cached ${FIXES}`);
}

/**
 * Throws for the folder of a loop that another user started. A folder without a state is refused too, because its
 * content may be links.
 */
export async function requireBegun({ top, home }: Project, folder: StateFolder): Promise<void> {
  if (begun.has(folder.path)) return;
  const data = await trustedDataFolder(top, home).catch(() => undefined);
  const stats = data === undefined ? undefined : lstat(markOf(data, folder));
  if (stats?.isFile() && !isStrangers(stats)) return;
  const reason =
    'was not begun by this user in this place, and to go on would run its command, or write where its links lead';
  throw new ArgusError(
    'STATE_UNREADABLE',
    `The loop in ${folder.path} ${reason}. Move that folder away to begin anew.`,
  );
}

export async function markBegun({ top, home }: Project, folder: StateFolder): Promise<void> {
  begun.add(folder.path);
  try {
    const mark = markOf(await trustedDataFolder(top, home), folder);
    mkdirSync(path.dirname(mark), { recursive: true, mode: 0o700 });
    writeFileSync(mark, `${JSON.stringify({ version: 1, folder: folder.path })}\n`, { mode: 0o600 });
  } catch {
    // Without a mark only this process can continue the loop.
  }
}

/** Returns marks whose folder no longer exists, and which are too old for a loop to be continued. */
export function goneMarks(data: string, now: number): string[] {
  const folder = path.join(data, LOOPS);
  const marks = lstat(folder)?.isDirectory() ? readdirSync(folder).map((name) => path.join(folder, name)) : [];
  return marks.filter((mark) => {
    const marked = folderOf(mark);
    return marked !== undefined && lstat(marked) === undefined && isOld(lstat(mark)?.mtimeMs ?? now, now);
  });
}

/** Returns the folder of a mark, or undefined if it cannot be read. */
function folderOf(mark: string): string | undefined {
  try {
    const { folder }: { folder?: unknown } = JSON.parse(readText(mark, { maxBytes: MAX_MARK_BYTES, links: 'refused' }));
    return typeof folder === 'string' && path.isAbsolute(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

function markOf(data: string, folder: StateFolder): string {
  return path.join(data, LOOPS, createHash('sha256').update(folder.path).digest('hex').slice(0, 32));
}

function notWritten(message: string): ArgusError {
  return new ArgusError('STATE_NOT_WRITTEN', message);
}
