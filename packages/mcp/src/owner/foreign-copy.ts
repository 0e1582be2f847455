/**
 * Copies a foreign database into the user's data folder. The original is only read as bytes: no lock file is created
 * beside it and no journal is rolled back. Changes such as an index or a migration happen in the copy.
 */

import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from 'argus-engine';
import { readPart } from '../system/files/read.ts';
import { hasJournal } from './identity.ts';
import { DRAFT_PREFIX, removeLeftCopies } from './left-copies.ts';

/** About the size of a memory with a million patterns. */
const MAX_BYTES = 1024 * 1024 * 1024;

const HEADER = 'SQLite format 3\0';

/** Returns the copy of the file in its present state and creates it if needed. Throws if there is nothing to copy. */
export function copyOf(original: string, folder: string): string {
  const stamp = stampOf(original);
  const copy = path.join(folder, `foreign-${stamp}.db`);
  if (existsSync(copy)) return copy;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeLeftCopies(folder);
  const draft = path.join(folder, `${DRAFT_PREFIX}${crypto.randomUUID()}`);
  try {
    if (hasJournal(original)) {
      copyFileSync(`${original}-journal`, `${draft}-journal`);
      renameSync(`${draft}-journal`, `${copy}-journal`);
    }
    copyFileSync(original, draft);
    chmodSync(draft, 0o600);
    renameSync(draft, copy);
  } finally {
    for (const one of [draft, `${draft}-journal`]) rmSync(one, { force: true });
  }
  removeOthers(folder, path.basename(copy));
  return copy;
}

/** A hash that changes with each state of the file. Throws for anything but a SQLite database file. */
function stampOf(original: string): string {
  const stats = lstatSync(original, { bigint: true });
  if (!stats.isFile()) throw unusable(original, 'it is no file');
  if (stats.size > MAX_BYTES) throw unusable(original, 'it is larger than 1 GiB');
  const head = readPart(original, { maxBytes: HEADER.length, links: 'refused' }, 'beginning');
  if (head.toString('latin1') !== HEADER) throw unusable(original, 'it is no database');
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  return createHash('sha256').update([dev, ino, size, mtimeNs, ctimeNs].join()).digest('hex').slice(0, 16);
}

function unusable(original: string, reason: string): EngineError {
  return new EngineError('DATABASE_UNAVAILABLE', `${original}: ${reason}`);
}

/** Removes copies of earlier states. On Windows, copies that another process has open stay. */
function removeOthers(folder: string, kept: string): void {
  const others = readdirSync(folder).filter((name) => name.startsWith('foreign-') && !name.startsWith(kept));
  for (const name of others) {
    try {
      rmSync(path.join(folder, name), { recursive: true, force: true });
    } catch {
      // The next copy tries again.
    }
  }
}
