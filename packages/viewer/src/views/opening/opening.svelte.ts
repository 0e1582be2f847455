/** Opening a file that the reader gave, and keeping it where that was asked for. Reading it: data/file/file.ts. */

import { keepFile } from '../../data/file/kept-file.ts';
import { session } from '../../data/session.svelte.ts';

let keep = $state(false);

export const opening = {
  /** Keep the file in the browser's storage once it has opened. */
  get keep(): boolean {
    return keep;
  },
  set keep(on: boolean) {
    keep = on;
  },

  async open(file: File | undefined): Promise<void> {
    if (!file) return;
    await session.openFile(file, file.name);
    // A full disk or a private window: the file is open all the same.
    if (keep && session.problem === undefined) await keepFile(file, file.name).catch(() => undefined);
  },
};
