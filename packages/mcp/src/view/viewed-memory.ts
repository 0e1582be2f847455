/**
 * One project's memory as the viewer's server uses it. No database is made: looking creates nothing.
 */

import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import type { Locale } from 'argus-engine';
import { trustedUserMemoryPath } from '../owner/data-folder.ts';
import type { Session } from '../sessions/session.ts';
import type { Calling } from '../storage/database.ts';
import { acceptedLocale } from '../text/locale.ts';
import { VERSION } from '../version.ts';

/** What a page wants to know before anything else. */
export interface About {
  project: string;
  /** Null: there is none yet, and the page shows itself alone. */
  database: string | null;
  /** Off: the configuration says that nothing is to be recorded. */
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

  /** The file, where there is one. */
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

  /** Everything that shows what is in it: the project's own file, made or not, and the user's that is searched too. */
  async files(): Promise<string[]> {
    const user = await trustedUserMemoryPath(this.project);
    return [this.#session.databasePath, ...(user === undefined ? [] : [user])];
  }

  /** Built-in suggestions are in the language of the first page that asks; a container's `C` locale names none. */
  readBy(acceptLanguage: string | undefined): void {
    this.#session.readBy(acceptedLocale(acceptLanguage));
  }

  /** The open database. What cannot be opened is an error here: an empty page would say that nothing was learned. */
  async engine(): Promise<Calling> {
    const { database } = this.#session;
    return this.databasePath === null && !database.isShared ? database.inMemory() : database.durable();
  }
}

/** SQLite writes a journal beside the file. */
function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    accessSync(path.dirname(file), constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
