/**
 * The memories of a server in a PostgreSQL database, with a schema and a role for each project. Only `migrate` changes
 * existing schemas.
 */

import {
  EngineError,
  type Locale,
  type NamedCalls,
  openProjectServer,
  type ProjectServer,
  type ProjectServerOptions,
} from 'argus-engine';
import { messageOf } from '../../../errors.ts';
import { log } from '../../../log.ts';
import { PostgresPool } from './postgres-pool.ts';
import type { Projects, ServedMemory, Watching } from './projects.ts';

/**
 * The interval for change checks. Polling is used because a pooler does not forward notifications. Two seconds are
 * hardly noticeable.
 */
const LOOK_MS = 2_000;

export type PostgresOptions = Pick<ProjectServerOptions, 'retention' | 'workers' | 'callMs' | 'tryAgainMs'>;

/** Options for a person at a terminal: a large copy may take an hour, and an unreachable server is reported soon. */
export const AT_TERMINAL: PostgresOptions = { callMs: 3_600_000, tryAgainMs: 2_000 };

export class PostgresProjects implements Projects {
  readonly #server: ProjectServer;
  #checked: Promise<void> | undefined;

  constructor(url: string, options: PostgresOptions) {
    this.#server = openProjectServer({ ...options, pool: new PostgresPool(url, options.workers), log });
  }

  async own(): Promise<NamedCalls> {
    await this.#requireCurrent();
    return this.#server.project();
  }

  async memoryOf(project: string, locale: Locale): Promise<ServedMemory> {
    return this.#server.project(project, locale);
  }

  names(): Promise<string[]> {
    return this.#server.projects();
  }

  watch(project: string, changed: () => void): Watching {
    let known: number | undefined;
    const look = async () => {
      const writes = await this.#server.writes(project);
      if (known !== undefined && writes !== known) changed();
      known = writes;
    };
    const tell = (thrown: unknown) => log(`Whether '${project}' was written is not known: ${messageOf(thrown)}`);
    const timer = setInterval(() => void look().catch(tell), LOOK_MS).unref();
    return { close: () => clearInterval(timer) };
  }

  /** Creates the server's own schema and migrates all schemas. Returns the names of the projects. */
  async migrate(): Promise<string[]> {
    await this.#server.migrate();
    const names = await this.#server.projects();
    for (const name of names) await this.#server.migrate(name);
    return names;
  }

  /** Writes a consistent copy of a project into a new file. */
  async backup(project: string, file: string): Promise<void> {
    await this.#server.backup(project, file);
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  /**
   * Throws if a schema has another version. The server does not migrate it, because servers of another version may use
   * it.
   */
  #requireCurrent(): Promise<void> {
    this.#checked ??= this.#check().catch((thrown: unknown) => {
      this.#checked = undefined;
      throw thrown;
    });
    return this.#checked;
  }

  async #check(): Promise<void> {
    const names = ['', ...(await this.#server.projects())];
    for (const name of names) {
      const { state, version } = await this.#server.state(name);
      const what = name === '' ? "the server's own schema" : `the schema of '${name}'`;
      if (state === 'missing' || state === 'older') {
        const how =
          state === 'missing' ? 'is not there yet' : `has version ${version}, which is older than this program`;
        throw new EngineError('DATABASE_UNAVAILABLE', `${what} ${how}. Run: argus-mcp migrate --database URL`);
      }
      if (state === 'newer') {
        const how = `has version ${version}, which is newer than this program`;
        throw new EngineError('DATABASE_NEWER', `${what} ${how}. Update this one.`);
      }
    }
  }
}

export function isPostgres(database: string): boolean {
  return /^postgres(?:ql)?:\/\//u.test(database);
}
