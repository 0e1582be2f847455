/**
 * Notices that a file was changed by whatever process. The system tells where it can; the file's facts are looked at
 * each second all the same, for network folders, and for files and folders that are made later. The file is never
 * opened. Closing it again could free the engine's locks on it.
 */

import { type FSWatcher, type Stats, statSync, watch } from 'node:fs';
import path from 'node:path';

/** A person hardly notices; a run that writes all the time does not drown the page. */
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

  /** Of the folder, because the file may be replaced; and again when the folder was. */
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
      // Looking each second goes on.
      system.on('error', () => system.close());
      this.#watcher = { folder: inode, system };
    } catch {
      // As on systems that have run out of watches.
    }
  }
}

/** Of all writes at least one of these tells: the time may be too coarse, the size may stay. */
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
