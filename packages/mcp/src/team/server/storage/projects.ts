/**
 * The memories of a server: its own memory for tokens and the audit log, and one memory for each project. The first
 * call that writes creates the memory of a project. This file stores memories in files, and postgres-projects.ts stores
 * them in a database.
 */

import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import {
  type Caller,
  type CallName,
  type Calls,
  type Engine,
  type FileServer,
  type Locale,
  type NamedCalls,
  openEngine,
  openFileServer,
  type ProjectServerOptions,
} from 'argus-engine';
import { getSystemCode } from '../../../errors.ts';
import { FileWatcher } from '../../../http/file-watch.ts';
import { log } from '../../../log.ts';
import { createUnwritableError } from '../../../system/files/unwritable-error.ts';

/** The time limits are used only for PostgreSQL. */
export type ProjectsOptions = Pick<ProjectServerOptions, 'retention' | 'workers' | 'callMs' | 'tryAgainMs'>;

/** Makes calls on behalf of other users. */
export interface ServedMemory extends NamedCalls {
  callOnce<N extends CallName>(name: N, params: Calls[N]['params'], caller: Caller): Promise<Calls[N]['result']>;
}

/** Reports changes until it is closed. */
export interface ChangeWatch {
  close(): void;
}

export interface ProjectMemories {
  /** The server's own memory. */
  getServerMemory(): Promise<NamedCalls>;
  getProjectMemory(project: string, locale: Locale): Promise<ServedMemory>;
  /** The projects with at least one recorded run, sorted by name. */
  listProjectNames(): Promise<string[]>;
  /** Calls `onChange` when any process has written to the project. */
  watch(project: string, onChange: () => void): ChangeWatch;
  close(): Promise<void>;
}

const SUFFIX = '.db';

/**
 * The memories of a server in files. This thread opens the server's own file. A folder beside it has one file for each
 * project. The calls of the projects run on other threads.
 */
export class FileProjectMemories implements ProjectMemories {
  readonly #file: string;
  readonly #folder: string;
  readonly #server: FileServer;
  #serverMemory: Promise<Engine> | undefined;

  /** `file` is the server's own database. It is created when it is first used. */
  constructor(file: string, { retention, workers }: ProjectsOptions) {
    this.#file = file;
    this.#folder = `${file}.projects`;
    this.#server = openFileServer({ ...(retention && { retention }), ...(workers && { workers }), log });
  }

  getServerMemory(): Promise<Engine> {
    this.#serverMemory ??= openServerMemory(this.#file).catch((thrown: unknown) => {
      this.#serverMemory = undefined;
      throw thrown;
    });
    return this.#serverMemory;
  }

  async getProjectMemory(project: string, locale: Locale): Promise<ServedMemory> {
    createFolder(this.#folder);
    return this.#server.memory(this.#getFile(project), locale);
  }

  #getFile(project: string): string {
    return path.join(this.#folder, `${project}${SUFFIX}`);
  }

  async listProjectNames(): Promise<string[]> {
    try {
      const files = readdirSync(this.#folder).filter((file) => file.endsWith(SUFFIX));
      return files.map((file) => file.slice(0, -SUFFIX.length)).sort();
    } catch (thrown) {
      if (getSystemCode(thrown) === 'ENOENT') return [];
      throw thrown;
    }
  }

  watch(project: string, onChange: () => void): ChangeWatch {
    return new FileWatcher(this.#getFile(project), onChange);
  }

  async close(): Promise<void> {
    const serverMemory = this.#serverMemory;
    this.#serverMemory = undefined;
    await this.#server.close();
    await (await serverMemory?.catch(() => undefined))?.close();
  }
}

async function openServerMemory(file: string): Promise<Engine> {
  createFolder(path.dirname(file));
  return openEngine({ databasePath: file, projectRoot: '/', locale: 'en', withoutFiles: true, log });
}

/**
 * A new folder is accessible only to this user. An existing folder keeps its mode, because another user may have set
 * it.
 */
function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    throw createUnwritableError(folder, thrown);
  }
}
