/** Opens a file of the reader and keeps it if the reader asked for that. `data/file/file.ts` reads it. */

import { keepFile } from '../../data/file/kept-file.ts';
import { session } from '../../data/session.svelte.ts';

let keep = $state(false);

export const opening = {
  /** True to keep the file in the browser's storage once it is open. */
  get keep(): boolean {
    return keep;
  },
  set keep(on: boolean) {
    keep = on;
  },

  async open(file: File | undefined): Promise<void> {
    if (!file) return;
    await session.openFile(file, file.name);
    // The storage may be full or missing in a private window. The file is open in any case.
    if (keep && session.problem === undefined) await keepFile(file, file.name).catch(() => undefined);
  },
};
