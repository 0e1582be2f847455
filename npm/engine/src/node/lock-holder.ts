/**
 * Who has the lock on a database, for people. The system names only some kinds of holders.
 */

import { readFileSync, statSync } from 'node:fs';
import type { NativeLocks } from './lock-native.ts';
import { QueueFile } from './queue-file.ts';

/** Where the queue of a database's writers is. */
export function queuePath(databasePath: string): string {
  return `${databasePath}.queue`;
}

/** A sentence, or empty where nobody can be named. SQLite's locks begin at `from`. */
export function holderOf(databasePath: string, native: NativeLocks, from: number): string {
  return writerOf(databasePath, native) ?? programWith(databasePath, from) ?? '';
}

/** Another process of Argus whose turn it is. */
function writerOf(databasePath: string, native: NativeLocks): string | undefined {
  const file = QueueFile.open(queuePath(databasePath), native, false);
  try {
    const first = file?.first();
    if (first?.pid === undefined || !first.writing || first.pid === process.pid) return undefined;
    const seconds = Math.max(0, Math.round((Date.now() - first.since) / 1000));
    return `Process ${first.pid} has been writing to the database for ${seconds} s. Try again once it is done, or end it.`;
  } catch {
    return undefined;
  } finally {
    file?.close();
  }
}

/** Another program: Linux lists whose the locks are that belong to a process, as SQLite's own do. */
function programWith(databasePath: string, from: number): string | undefined {
  try {
    const inode = String(statSync(databasePath).ino);
    for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
      const [, kind, , , pid, file, start] = line.trim().split(/\s+/);
      const isOn = kind === 'POSIX' && file?.split(':')[2] === inode && Number(start) >= from;
      if (isOn && Number(pid) > 0) return `Process ${pid} holds its lock. Try again once it is done, or end it.`;
    }
  } catch {
    // Another system, or one that does not tell.
  }
  return undefined;
}
