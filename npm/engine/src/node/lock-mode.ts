/**
 * Which kind of lock a database is used with, recorded beside it: the kinds do not see each other, so everybody must
 * use the same. A recorded kind is never changed.
 */

import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import type { Log } from '../host.ts';

export const LOCK_MODES = ['byte-range', 'whole-file', 'directory'] as const;
export type LockMode = (typeof LOCK_MODES)[number];

/** This process cannot use the kind of lock that others use on this database. */
export class LockRefused extends Error {}

/** The recorded kind, or `own` recorded now. */
export function agreeOnMode(path: string, own: LockMode, readOnly: boolean, log: Log, problem: string): LockMode {
  const record = `${path}.lockmode`;
  const mode = read(record) ?? (readOnly ? own : write(record, own));
  if (mode === 'directory') {
    const reason = own === 'directory' ? `no operating system locks (${problem})` : `recorded in ${record}`;
    log(`locks: ${path} is locked by a folder: ${reason}. Other programs must not write it meanwhile.`);
    return mode;
  }
  if (mode === own) return mode;
  throw new LockRefused(
    `${path} is used with locks of the kind '${mode}', which this process cannot take ${problem === '' ? '' : `(${problem}) `}` +
      `- install fs-native-extensions beside argus-engine, or, when no other process uses the database, delete ${record}`,
  );
}

function read(record: string): LockMode | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(record, 'utf8'));
    if (typeof content !== 'object' || content === null || !('mode' in content)) return undefined;
    return LOCK_MODES.find((mode) => mode === content.mode);
  } catch {
    return undefined;
  }
}

/** Writes a whole record or finds another's: a link to a finished file is made in one step. */
function write(record: string, own: LockMode): LockMode {
  const draft = `${record}-${process.pid}-${process.hrtime.bigint()}`;
  try {
    writeFileSync(draft, `${JSON.stringify({ version: 1, mode: own })}\n`, { flag: 'wx', mode: 0o600 });
    try {
      linkSync(draft, record);
    } finally {
      unlinkSync(draft);
    }
  } catch {
    // Somebody was first, or the folder is not writable or has no links.
    const theirs = read(record);
    if (theirs !== undefined) return theirs;
    try {
      // Not through a link that lies there.
      writeFileSync(record, `${JSON.stringify({ version: 1, mode: own })}\n`, { flag: 'wx', mode: 0o600 });
    } catch {
      // Nothing can be recorded here; then nobody can write the database either.
    }
  }
  return own;
}
