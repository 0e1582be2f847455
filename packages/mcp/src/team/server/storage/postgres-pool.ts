/** Connections to PostgreSQL through `pg`, which is installed where a server needs it. */

import {
  defaultWorkers,
  type SqlAnswer,
  type SqlConnection,
  SqlError,
  type SqlPool,
  type SqlStatement,
} from 'argus-engine';
import type { ClientBase, Pool, PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg';
import { ArgusError, messageOf } from '../../../errors.ts';
import { log } from '../../../log.ts';

/** For a database that starts or fails over; longer than that, the caller had better be told. */
const CONNECT_MS = 10_000;

/** The engine reads values as the server writes them. */
const AS_TEXT = { getTypeParser: () => (value: string) => value };

/**
 * A statement that the connection should know is not there, or is there already (invalid_sql_statement_name,
 * duplicate_prepared_statement): a pooler stands in between, whatever it says.
 */
const NOT_THE_SAME_BACKEND: ReadonlySet<string> = new Set(['26000', '42P05']);

/** What PostgreSQL plans. */
const PLANNED = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/u;

/** Each costs every connection some memory; what the engine asks most is asked first. */
const MAX_PREPARED = 500;

type Pg = typeof import('pg');

/** The types of `pg` do not know all of its options. */
type Query = QueryArrayConfig & { readonly queryMode: 'extended' };

export class PostgresPool implements SqlPool {
  readonly #url: string;
  readonly #size: number;
  readonly #prepared = new PreparedStatements();
  #opened: Promise<{ pg: Pg; pool: Pool }> | undefined;

  /** `size`: the most connections that are open at once. */
  constructor(url: string, size = defaultWorkers()) {
    this.#url = url;
    this.#size = size;
  }

  async connect(): Promise<SqlConnection> {
    const { pg, pool } = await this.#open();
    try {
      return new PostgresConnection(pg, await pool.connect(), this.#prepared);
    } catch (thrown) {
      throw sqlError(pg, thrown);
    }
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.pool.end();
  }

  #open(): Promise<{ pg: Pg; pool: Pool }> {
    this.#opened ??= this.#load();
    return this.#opened;
  }

  async #load(): Promise<{ pg: Pg; pool: Pool }> {
    const pg = await import('pg').then(
      (module) => module.default as unknown as Pg,
      (thrown: unknown) => {
        throw new ArgusError(
          'INVALID_INPUT',
          `PostgreSQL needs the package pg: npm install pg (${messageOf(thrown)}).`,
        );
      },
    );
    const pool = new pg.Pool({
      connectionString: this.#url,
      max: this.#size,
      connectionTimeoutMillis: CONNECT_MS,
      application_name: 'argus-mcp',
      // Statements of one batch go out together.
      pipeline: true,
      onConnect: (client: ClientBase) => this.#prepared.lookAt(client),
    } as ConstructorParameters<Pg['Pool']>[0]);
    // Of a connection that nobody uses; the pool forgets it.
    pool.on('error', (error) => log(`postgres: ${error.message}`));
    return { pg, pool };
  }
}

/**
 * Statements under a name are parsed and planned once for each connection, which is half of what a short transaction
 * costs. Behind a pooler, which may give each transaction another connection, they have none.
 */
class PreparedStatements {
  readonly #direct = new WeakSet<ClientBase>();
  readonly #names = new Map<string, string>();
  #areOff = false;

  /** A pooler announces a process id of its own, for cancelling. */
  async lookAt(client: ClientBase): Promise<void> {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    if (rows[0]?.pid === Reflect.get(client, 'processID')) this.#direct.add(client);
  }

  nameOf(sql: string, client: ClientBase): string | undefined {
    if (this.#areOff || !this.#direct.has(client)) return undefined;
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_PREPARED || !PLANNED.test(sql)) return undefined;
    const name = `argus_${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }

  turnOff(): void {
    this.#areOff = true;
  }
}

class PostgresConnection implements SqlConnection {
  readonly #pg: Pg;
  readonly #client: PoolClient;
  readonly #prepared: PreparedStatements;
  readonly #failed = (error: Error) => log(`postgres: ${error.message}`);

  constructor(pg: Pg, client: PoolClient, prepared: PreparedStatements) {
    this.#pg = pg;
    this.#client = client;
    this.#prepared = prepared;
    // Who waits for an answer is told by it.
    client.on('error', this.#failed);
  }

  async send(statements: readonly SqlStatement[]): Promise<SqlAnswer[]> {
    const sent = statements.map(({ sql, params }) => {
      const name = this.#prepared.nameOf(sql, this.#client);
      const query: Query = { text: sql, values: [...params], rowMode: 'array', types: AS_TEXT, queryMode: 'extended' };
      return this.#client.query(name === undefined ? query : { ...query, name });
    });
    // All are waited for: after one that failed the others of a transaction fail too, and only the first says why.
    const answers = await Promise.allSettled(sent);
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed !== undefined) {
      const error = sqlError(this.#pg, failed.reason);
      if (NOT_THE_SAME_BACKEND.has(error.code)) this.#prepared.turnOff();
      throw error;
    }
    return answers.map((answer) => answerOf((answer as PromiseFulfilledResult<QueryArrayResult>).value));
  }

  release(isBroken: boolean): void {
    this.#client.off('error', this.#failed);
    this.#client.release(isBroken);
  }
}

function answerOf({ fields, rows, command, rowCount }: QueryArrayResult): SqlAnswer {
  const types = fields.map(({ dataTypeID }) => dataTypeID);
  return { types, rows, tag: rowCount === null ? command : `${command} ${rowCount}` };
}

/** A server's details quote rows; its message does not. */
function sqlError(pg: Pg, thrown: unknown): SqlError {
  if (thrown instanceof pg.DatabaseError) return new SqlError(thrown.code ?? '', thrown.message);
  return new SqlError('', messageOf(thrown));
}
