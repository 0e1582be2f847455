/** The lock of a database file, held in this process by a handle of its own, which looks like another program. */

import { LockLevel, OpenMode } from '../../npm/engine/src/host.ts';
import { NodeFiles } from '../../npm/engine/src/node/files.ts';

/** Takes SQLite's exclusive lock on a database; the function that it answers gives the lock back. */
export function holdDatabase(file: string): () => void {
  const files = new NodeFiles(() => {});
  const handle = files.open(file, OpenMode.readWrite, true);
  for (const level of [LockLevel.shared, LockLevel.reserved, LockLevel.exclusive]) {
    if (files.lock(handle, level) !== 0) throw new Error(`${file} cannot be locked: ${files.lastError()}`);
  }
  return () => files.close(handle);
}
