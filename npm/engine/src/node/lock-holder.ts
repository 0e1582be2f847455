/**
 * Names the process that holds the lock on a database, for error messages. The system can name only some kinds of
 * holders.
 */

import { readFileSync, statSync } from 'node:fs';
import type { NativeLocks } from './lock-native.ts';
import { QueueFile } from './queue-file.ts';

/** Path of the queue of a database's writers. */
export function queuePath(databasePath: string): string {
  return `${databasePath}.queue`;
}

/** Returns a sentence, or an empty string if the holder is unknown. `from` is the first byte of SQLite's locks. */
export function holderOf(databasePath: string, native: NativeLocks, from: number): string {
  return writerOf(databasePath, native) ?? programWith(databasePath, from) ?? '';
}

/** Another Argus process that is writing. */
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

/** Another program. Linux lists the locks that belong to a process, as SQLite's own locks do. */
function programWith(databasePath: string, from: number): string | undefined {
  try {
    const inode = String(statSync(databasePath).ino);
    for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
      const [, kind, , , pid, file, start] = line.trim().split(/\s+/);
      const isOn = kind === 'POSIX' && file?.split(':')[2] === inode && Number(start) >= from;
      if (isOn && Number(pid) > 0) return `Process ${pid} holds its lock. Try again once it is done, or end it.`;
    }
  } catch {
    // Another system, or no permission to read the list.
  }
  return undefined;
}
