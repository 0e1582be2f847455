/**
 * A copy of a foreign database in the user's own data folder. Only bytes are read of the original: no lock is taken
 * beside it, no journal rolled back, and what is made of the copy (an index, a newer version) stays there.
 */

import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from 'argus-engine';
import { readPart } from '../system/files/read.ts';
import { hasJournal } from './identity.ts';
import { DRAFT_PREFIX, removeLeftCopies } from './left-copies.ts';

/** A memory of a million patterns has about this. */
const MAX_BYTES = 1024 * 1024 * 1024;

const HEADER = 'SQLite format 3\0';

/** The copy of the file as it is now, made if it is not there yet. Throws where there is nothing to copy. */
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

/** Another for each state of the file. A pipe, a device or a file of another kind is none. */
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

/** Copies of earlier states, but on Windows those that another process has open. */
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
