/**
 * The memory of one project for the viewer's server. It creates no database, because viewing must not change anything.
 */

import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import type { Locale } from 'argus-engine';
import { trustedUserMemoryPath } from '../owner/data-folder.ts';
import type { Session } from '../sessions/session.ts';
import type { Calling } from '../storage/database.ts';
import { acceptedLocale } from '../text/locale.ts';
import { VERSION } from '../version.ts';

/** Facts that the page loads first. */
export interface About {
  project: string;
  /** Null before the database exists. */
  database: string | null;
  /** False if the configuration disables recording. */
  history: boolean;
  version: string;
  locale: Locale;
  editable: boolean;
}

export class ViewedMemory {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  get project(): string {
    return this.#session.root;
  }

  /** The database file, if it exists. */
  get databasePath(): string | null {
    const { historyEnabled, databasePath } = this.#session;
    return historyEnabled && existsSync(databasePath) ? databasePath : null;
  }

  about(): About {
    const { root, locale, historyEnabled: history } = this.#session;
    const database = this.databasePath;
    const editable = database !== null && isWritable(database);
    return { project: root, database, history, version: VERSION, locale, editable };
  }

  /** The files whose content the page shows: the project's file, which need not exist yet, and the user's memory. */
  async files(): Promise<string[]> {
    const user = await trustedUserMemoryPath(this.project);
    return [this.#session.databasePath, ...(user === undefined ? [] : [user])];
  }

  /**
   * Sets the language of built-in suggestions from the first page that asks, because a container's `C` locale names
   * none.
   */
  readBy(acceptLanguage: string | undefined): void {
    this.#session.readBy(acceptedLocale(acceptLanguage));
  }

  /** The open database. Throws if it cannot be opened, because an empty page would look as if nothing was learned. */
  async engine(): Promise<Calling> {
    const { database } = this.#session;
    return this.databasePath === null && !database.isShared ? database.inMemory() : database.durable();
  }
}

/** Checks the folder too, because SQLite writes a journal beside the file. */
function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    accessSync(path.dirname(file), constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
