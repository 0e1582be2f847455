/** Locks a database file from this process with a separate handle, which blocks others like another program's lock. */

import { LockLevel, OpenMode } from '../../npm/engine/src/host.ts';
import { NodeFiles } from '../../npm/engine/src/node/files.ts';

/** Takes SQLite's exclusive lock on a database. Returns a function that releases the lock. */
export function lockDatabase(file: string): () => void {
  const files = new NodeFiles(() => {});
  const handle = files.open(file, OpenMode.readWrite, true);
  for (const level of [LockLevel.shared, LockLevel.reserved, LockLevel.exclusive]) {
    if (files.lock(handle, level) !== 0) throw new Error(`${file} cannot be locked: ${files.lastError()}`);
  }
  return () => files.close(handle);
}
