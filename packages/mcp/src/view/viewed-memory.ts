/**
 * The memory of one project for the viewer's server. It creates no database, because viewing must not change anything.
 */

import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import type { Calls, Locale, ViewCaseParams, ViewCaseResult } from 'argus-engine';
import { findTrustedUserMemory } from '../owner/data-folder.ts';
import type { Session } from '../sessions/session.ts';
import { checkPreviousFix } from '../sessions/weakenings.ts';
import type { EngineCalls } from '../storage/database.ts';
import { findAcceptedLocale } from '../text/locale.ts';
import { VERSION } from '../version.ts';

/** Facts that the page requests first. */
export interface ViewedMemoryInfo {
  project: string;
  /** Null if the database does not exist yet. */
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

  getMemoryInfo(): ViewedMemoryInfo {
    const { root, locale, historyEnabled: history } = this.#session;
    const database = this.databasePath;
    const editable = database !== null && isWritable(database);
    return { project: root, database, history, version: VERSION, locale, editable };
  }

  /**
   * Returns the files whose content the page shows: the project's file, which may not exist yet, and the user's memory.
   */
  async listWatchedFiles(): Promise<string[]> {
    const user = await findTrustedUserMemory(this.project);
    return [this.#session.databasePath, ...(user === undefined ? [] : [user])];
  }

  /**
   * Sets the language of built-in suggestions to the language of the first page request. The locale of a container is
   * often `C`, which is no language.
   */
  setReaderLanguage(acceptLanguage: string | undefined): void {
    this.#session.setReaderLocale(findAcceptedLocale(acceptLanguage));
  }

  /** Answers a call of the page. The engine checks every field, as it does for every caller. */
  async call<N extends keyof Calls>(name: N, params: Calls[N]['params']): Promise<unknown> {
    const engine = await this.openEngine();
    const answer = await engine.call(name, params);
    // Only the repository knows whether the change of a fix is still there.
    return name === 'viewCase'
      ? checkPreviousFix(this.#session, answer as ViewCaseResult, (params as ViewCaseParams).caseName)
      : answer;
  }

  /** Opens the database. Throws if that fails, because an empty page would look as if nothing was ever recorded. */
  async openEngine(): Promise<EngineCalls> {
    const { database } = this.#session;
    return this.databasePath === null && !database.isShared ? database.openInMemory() : database.openDurable();
  }
}

/** Also checks the folder, because SQLite writes a journal next to the file. */
function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    accessSync(path.dirname(file), constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
