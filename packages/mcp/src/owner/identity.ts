/**
 * Reads the id of a database file that may belong to anyone, without changing the file. `memory-registry.ts` decides
 * whose id it is.
 */

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EngineError, type Identity, identify, openEngine } from 'argus-engine';
import { readPart } from '../system/files/read.ts';
import { COPY_PREFIX, removeLeftCopies } from './left-copies.ts';

/**
 * The first bytes of a journal that may have to be rolled back
 * (https://www.sqlite.org/fileformat2.html).
 */
const JOURNAL_MAGIC = Buffer.from('d9d505f920a163d7', 'hex');

/** A file looks damaged for some milliseconds while another process creates or migrates it. */
const MAX_TRIES = 8;
const PAUSE_MS = 60;

/**
 * Reads the id. If a killed process left a journal and the id is not known, the journal is rolled back in a copy in
 * `scratch`, a folder of this user.
 */
export async function identityOf(database: string, scratch: string, knows: (id: string) => boolean): Promise<Identity> {
  for (let tries = 1; ; tries++) {
    const wasBusy = hasJournal(database);
    try {
      const said = identify(database);
      if ((said.id !== null && knows(said.id)) || !hasJournal(database)) return said;
      return await identityOfCopy(database, scratch);
    } catch (thrown) {
      if (tries >= MAX_TRIES || !isDamage(thrown)) throw thrown;
      if (tries > 1 && !wasBusy && !hasJournal(database)) throw thrown;
      await delay(PAUSE_MS);
    }
  }
}

function isDamage(thrown: unknown): boolean {
  return thrown instanceof EngineError && thrown.code === 'DATABASE_CORRUPT';
}

/** Rolls the journal back in a copy and reads the id there. */
async function identityOfCopy(database: string, scratch: string): Promise<Identity> {
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  removeLeftCopies(scratch);
  const folder = mkdtempSync(path.join(scratch, COPY_PREFIX));
  const copy = path.join(folder, 'argus.db');
  try {
    copyFileSync(database, copy);
    if (existsSync(`${database}-journal`)) copyFileSync(`${database}-journal`, `${copy}-journal`);
    const engine = await openEngine({ databasePath: copy, projectRoot: folder });
    await engine.close();
    return identify(copy);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function hasJournal(database: string): boolean {
  const reading = { maxBytes: JOURNAL_MAGIC.length, links: 'refused' } as const;
  try {
    return readPart(`${database}-journal`, reading, 'beginning').equals(JOURNAL_MAGIC);
  } catch {
    return false;
  }
}
