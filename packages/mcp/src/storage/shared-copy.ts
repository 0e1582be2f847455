/**
 * What a repository shares, as a database in the user's own data folder: made when the files change, from all of them, so
 * that what is gone from the folder is gone from there. The files themselves: owner/shared-files.ts.
 */

import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { openEngine } from 'argus-engine';
import { messageOf } from '../errors.ts';
import { log } from '../log.ts';
import { DRAFT_PREFIX, removeLeftCopies } from '../owner/left-copies.ts';
import { readShared, stampOfShared } from '../owner/shared-files.ts';
import { namesOrEmpty } from '../system/files/or-empty.ts';
import { VERSION } from '../version.ts';
import type { Opening } from './database.ts';

/** Of a work tree: the copy for what its folder holds now, made if it is not there yet; undefined where it holds none. */
export async function sharedCopy(top: string, folder: string, opening: Opening): Promise<string | undefined> {
  const stamp = stampOfShared(top);
  const mine = `shared-${digest(top)}-`;
  if (stamp === undefined) {
    removeOthers(folder, mine, undefined);
    return undefined;
  }
  // Other rules of the project know failures otherwise.
  const name = `${mine}${digest(JSON.stringify([stamp, VERSION, opening.rules, opening.secrets]))}.db`;
  const copy = path.join(folder, name);
  try {
    if (!existsSync(copy)) await make(top, folder, copy, opening);
    removeOthers(folder, mine, name);
    return copy;
  } catch (thrown) {
    log(`what .argus-shared holds is not shown: ${messageOf(thrown)}`);
    return undefined;
  }
}

async function make(top: string, folder: string, copy: string, opening: Opening): Promise<void> {
  const { files, faults } = readShared(top);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeLeftCopies(folder);
  const draft = path.join(folder, `${DRAFT_PREFIX}${randomUUID()}`);
  mkdirSync(draft, { mode: 0o700 });
  try {
    const database = path.join(draft, 'shared.db');
    const { secondaryPath: _, secondaryMemoryId: __, ...alone } = opening;
    const engine = await openEngine({ ...alone, databasePath: database, memoryId: randomUUID(), create: true });
    try {
      const { refused } = await engine.shareTake({ files });
      for (const { path: file, message } of [...faults, ...refused])
        log(`.argus-shared/${file} is not taken in: ${message}`);
    } finally {
      await engine.close();
    }
    renameSync(database, copy);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Copies of earlier states, but on Windows those that another process has open. */
function removeOthers(folder: string, mine: string, kept: string | undefined): void {
  const others = namesOrEmpty(folder).filter((name) => name.startsWith(mine) && !(kept && name.startsWith(kept)));
  for (const name of others) {
    try {
      rmSync(path.join(folder, name), { recursive: true, force: true });
    } catch {
      // The next change tries again.
    }
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
