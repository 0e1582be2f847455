/**
 * Records beside a database which kind of lock it is used with. The kinds do not see each other, so all processes must
 * use the same kind. A recorded kind is never changed.
 */

import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import type { Log } from '../host.ts';

export const LOCK_MODES = ['byte-range', 'whole-file', 'directory'] as const;
export type LockMode = (typeof LOCK_MODES)[number];

/** This process cannot use the kind of lock that other processes use on this database. */
export class LockRefused extends Error {}

/** Returns the recorded kind. If none is recorded, records and returns `own`. */
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

/**
 * Writes a complete record, or returns the record of another process. Linking a finished file makes the record appear
 * in one step.
 */
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
    // Another process was first, or the folder is read-only or does not support links.
    const theirs = read(record);
    if (theirs !== undefined) return theirs;
    try {
      // The flag `wx` does not follow an existing link.
      writeFileSync(record, `${JSON.stringify({ version: 1, mode: own })}\n`, { flag: 'wx', mode: 0o600 });
    } catch {
      // If nothing can be recorded here, no process can write to the database either.
    }
  }
  return own;
}
