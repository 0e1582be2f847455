/**
 * The memories of a server in a PostgreSQL database. Each project has a schema and a role. Only `migrate` changes
 * existing schemas.
 */

import { EngineError, type Locale, type NamedCalls, openProjectServer, type ProjectServer } from 'argus-engine';
import { getErrorMessage } from '../../../errors.ts';
import { log } from '../../../log.ts';
import { PostgresPool } from './postgres-pool.ts';
import type { ChangeWatch, ProjectMemories, ProjectsOptions, ServedMemory } from './projects.ts';

/**
 * The interval between checks for changes. The server polls because a pooler does not forward notifications. A delay of
 * two seconds is hardly noticeable.
 */
const CHECK_INTERVAL_MS = 2_000;

/**
 * Options for a user at a terminal. Copying a large memory may take an hour, and an unreachable server is reported
 * soon.
 */
export const TERMINAL_OPTIONS: ProjectsOptions = { callMs: 3_600_000, tryAgainMs: 2_000 };

export class PostgresProjectMemories implements ProjectMemories {
  readonly #server: ProjectServer;
  #versionsChecked: Promise<void> | undefined;

  constructor(url: string, options: ProjectsOptions) {
    this.#server = openProjectServer({ ...options, pool: new PostgresPool(url, options.workers), log });
  }

  async getServerMemory(): Promise<NamedCalls> {
    await this.#requireCurrentVersions();
    return this.#server.project();
  }

  async getProjectMemory(project: string, locale: Locale): Promise<ServedMemory> {
    return this.#server.project(project, locale);
  }

  listProjectNames(): Promise<string[]> {
    return this.#server.projects();
  }

  watch(project: string, onChange: () => void): ChangeWatch {
    let lastWrites: number | undefined;
    const check = async () => {
      const writes = await this.#server.writes(project);
      if (lastWrites !== undefined && writes !== lastWrites) onChange();
      lastWrites = writes;
    };
    const logError = (thrown: unknown) => log(`Could not check '${project}' for changes: ${getErrorMessage(thrown)}`);
    const timer = setInterval(() => void check().catch(logError), CHECK_INTERVAL_MS).unref();
    return { close: () => clearInterval(timer) };
  }

  /** Creates the server's own schema and migrates all schemas. Returns the names of the projects. */
  async migrate(): Promise<string[]> {
    await this.#server.migrate();
    const names = await this.#server.projects();
    for (const name of names) await this.#server.migrate(name);
    return names;
  }

  /** Writes a consistent copy of a project to a new file. */
  async backup(project: string, file: string): Promise<void> {
    await this.#server.backup(project, file);
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  /**
   * Throws if a schema has another version. The server does not migrate the schema, because servers of another version
   * may use it.
   */
  #requireCurrentVersions(): Promise<void> {
    this.#versionsChecked ??= this.#checkVersions().catch((thrown: unknown) => {
      this.#versionsChecked = undefined;
      throw thrown;
    });
    return this.#versionsChecked;
  }

  async #checkVersions(): Promise<void> {
    const names = ['', ...(await this.#server.projects())];
    for (const name of names) {
      const { state, version } = await this.#server.state(name);
      const schema = name === '' ? "the server's own schema" : `the schema of '${name}'`;
      if (state === 'missing' || state === 'older') {
        const how =
          state === 'missing' ? 'does not exist yet' : `has version ${version}, which is older than this program`;
        throw new EngineError('DATABASE_UNAVAILABLE', `${schema} ${how}. Run: argus-mcp migrate --database URL`);
      }
      if (state === 'newer') {
        const how = `has version ${version}, which is newer than this program`;
        throw new EngineError('DATABASE_NEWER', `${schema} ${how}. Install a newer version of Argus.`);
      }
    }
  }
}

export function isPostgresUrl(database: string): boolean {
  return /^postgres(?:ql)?:\/\//u.test(database);
}
