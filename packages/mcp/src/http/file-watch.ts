/**
 * Notices when any process changes a file. It uses the system's file events and also checks the file's metadata each
 * second, because network folders send no events and the file or folder may be created later. The file is never opened,
 * because closing it could release the engine's locks on it.
 */

import { type FSWatcher, type Stats, statSync, watch } from 'node:fs';
import path from 'node:path';

/** A person hardly notices this delay, and it keeps a run with many writes from flooding the page. */
const GATHER_MS = 100;
const LOOK_MS = 1_000;

export class FileWatch {
  readonly #file: string;
  readonly #changed: () => void;
  readonly #timer: NodeJS.Timeout;
  #facts: string;
  #watcher: { readonly folder: number; readonly system: FSWatcher } | undefined;
  #gathering: NodeJS.Timeout | undefined;

  constructor(file: string, changed: () => void) {
    this.#file = file;
    this.#changed = changed;
    this.#facts = factsOf(file);
    this.#watchFolder();
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#gathering);
    this.#watcher?.system.close();
    this.#watcher = undefined;
  }

  #look(): void {
    this.#watchFolder();
    if (factsOf(this.#file) !== this.#facts) this.#tell();
  }

  #tell(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#facts = factsOf(this.#file);
      this.#changed();
    }, GATHER_MS);
  }

  /** Watches the folder, because the file may be replaced. Watches again when the folder was replaced. */
  #watchFolder(): void {
    const folder = path.dirname(this.#file);
    const inode = statOf(folder)?.ino;
    if (inode === this.#watcher?.folder) return;
    this.#watcher?.system.close();
    this.#watcher = undefined;
    if (inode === undefined) return;
    try {
      const system = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || name === path.basename(this.#file)) this.#tell();
      });
      // The check in each second continues.
      system.on('error', () => system.close());
      this.#watcher = { folder: inode, system };
    } catch {
      // For example, the system has no free watches.
    }
  }
}

/**
 * Every write changes at least one of these values. The time alone may be too coarse, and the size may stay the same.
 */
function factsOf(file: string): string {
  const stat = statOf(file);
  return stat === undefined ? '' : [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ');
}

function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
