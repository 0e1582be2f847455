/** The memories of a server in files: its own file, and a folder beside it with one file for each project. */

import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { type Engine, type Locale, openEngine, type Retention } from 'argus-engine';
import { systemCodeOf } from '../../../errors.ts';
import { FileWatch } from '../../../http/file-watch.ts';
import { log } from '../../../log.ts';
import { unwritable } from '../../../system/files/unwritable.ts';
import type { Projects, Watching } from './projects.ts';

const SUFFIX = '.db';

export class FileProjects implements Projects {
  readonly #file: string;
  readonly #folder: string;
  readonly #retention: Retention;
  #own: Promise<Engine> | undefined;
  /** By name and language. */
  readonly #open = new Map<string, Promise<Engine>>();

  /** `file` is the server's own database. It is created on first use. */
  constructor(file: string, retention: Retention) {
    this.#file = file;
    this.#retention = retention;
    this.#folder = `${file}.projects`;
  }

  own(): Promise<Engine> {
    this.#own ??= open(this.#file, 'en', {}).catch((thrown: unknown) => {
      this.#own = undefined;
      throw thrown;
    });
    return this.#own;
  }

  memoryOf(project: string, locale: Locale): Promise<Engine> {
    const key = `${project} ${locale}`;
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const opened = open(this.#fileOf(project), locale, this.#retention);
    this.#open.set(key, opened);
    opened.catch(() => this.#open.delete(key));
    return opened;
  }

  #fileOf(project: string): string {
    return path.join(this.#folder, `${project}${SUFFIX}`);
  }

  async names(): Promise<string[]> {
    try {
      const files = readdirSync(this.#folder).filter((file) => file.endsWith(SUFFIX));
      return files.map((file) => file.slice(0, -SUFFIX.length)).sort();
    } catch (thrown) {
      if (systemCodeOf(thrown) === 'ENOENT') return [];
      throw thrown;
    }
  }

  watch(project: string, changed: () => void): Watching {
    return new FileWatch(this.#fileOf(project), changed);
  }

  async close(): Promise<void> {
    const engines = [...this.#open.values(), ...(this.#own === undefined ? [] : [this.#own])];
    this.#open.clear();
    this.#own = undefined;
    const opened = await Promise.allSettled(engines);
    await Promise.allSettled(opened.map((one) => (one.status === 'fulfilled' ? one.value.close() : undefined)));
  }
}

async function open(file: string, locale: Locale, retention: Retention): Promise<Engine> {
  makeFolder(path.dirname(file));
  // Case names arrive relative to the project's folder, so the root does not matter.
  return openEngine({ databasePath: file, projectRoot: '/', locale, retention, withoutFiles: true, log });
}

/** A new folder is private to this user. The mode of an existing folder stays, because another user may have set it. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    throw unwritable(folder, thrown);
  }
}
