/** Connections to PostgreSQL through the package `pg`, which the administrator of a server installs. */

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

/** Long enough for a database that starts or fails over. After that the caller should see the error. */
const CONNECT_MS = 10_000;

/** Values stay as the server's text, because the engine parses them. */
const AS_TEXT = { getTypeParser: () => (value: string) => value };

/**
 * Errors for a prepared statement that is missing or exists already (invalid_sql_statement_name,
 * duplicate_prepared_statement). They show that a pooler changes the connection between transactions.
 */
const NOT_THE_SAME_BACKEND: ReadonlySet<string> = new Set(['26000', '42P05']);

/** Statements that PostgreSQL plans. */
const PLANNED = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/u;

/**
 * Each prepared statement costs memory in every connection. The most frequent statements are usually prepared first.
 */
const MAX_PREPARED = 500;

type Pg = typeof import('pg');

/** The types of `pg` lack some of its options. */
type Query = QueryArrayConfig & { readonly queryMode: 'extended' };

export class PostgresPool implements SqlPool {
  readonly #url: string;
  readonly #size: number;
  readonly #prepared = new PreparedStatements();
  #opened: Promise<{ pg: Pg; pool: Pool }> | undefined;

  /** `size` is the maximum number of open connections. */
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
      // Sends the statements of one batch together.
      pipeline: true,
      onConnect: (client: ClientBase) => this.#prepared.lookAt(client),
    } as ConstructorParameters<Pg['Pool']>[0]);
    // An idle connection failed. The pool removes it.
    pool.on('error', (error) => log(`postgres: ${error.message}`));
    return { pg, pool };
  }
}

/**
 * Gives names to statements, so that PostgreSQL parses and plans them once per connection. Parsing and planning are
 * half of the cost of a short transaction. Statements get no names behind a pooler, because it may use another
 * connection for each transaction.
 */
class PreparedStatements {
  readonly #direct = new WeakSet<ClientBase>();
  readonly #names = new Map<string, string>();
  #areOff = false;

  /** Detects a pooler, which announces a process id of its own (for cancel requests) instead of the backend's id. */
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
    // The pending query reports the error to its caller.
    client.on('error', this.#failed);
  }

  async send(statements: readonly SqlStatement[]): Promise<SqlAnswer[]> {
    const sent = statements.map(({ sql, params }) => {
      const name = this.#prepared.nameOf(sql, this.#client);
      const query: Query = { text: sql, values: [...params], rowMode: 'array', types: AS_TEXT, queryMode: 'extended' };
      return this.#client.query(name === undefined ? query : { ...query, name });
    });
    // Waits for all statements, because after a failure the following statements of a transaction fail too, and only
    // the first failure has the cause.
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

/** Uses only the message of a server error, because its details quote rows. */
function sqlError(pg: Pg, thrown: unknown): SqlError {
  if (thrown instanceof pg.DatabaseError) return new SqlError(thrown.code ?? '', thrown.message);
  return new SqlError('', messageOf(thrown));
}
