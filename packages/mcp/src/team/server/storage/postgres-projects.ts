/** The memories of a server in a PostgreSQL database: a schema and a role each. `migrate` alone changes what is there. */

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

/** A pooler hands on no notifications, so it is asked; a person hardly notices. */
const LOOK_MS = 2_000;

export type PostgresOptions = Pick<ProjectServerOptions, 'retention' | 'workers' | 'callMs' | 'tryAgainMs'>;

/** Of somebody at a terminal: a large copy takes its time, and a server that is away is told about soon. */
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

  /** Makes the server's own schema, and brings all to this version; answers those that it looked at. */
  async migrate(): Promise<string[]> {
    await this.#server.migrate();
    const names = await this.#server.projects();
    for (const name of names) await this.#server.migrate(name);
    return names;
  }

  /** Writes a copy of a project into a new file, as it is at one moment. */
  async backup(project: string, file: string): Promise<void> {
    await this.#server.backup(project, file);
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  /** A server does not change what it finds: others may use it in another version. */
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
