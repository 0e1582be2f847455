/** Connections to PostgreSQL through the package `pg`. The administrator of a server installs that package. */

import {
  getDefaultWorkerCount,
  type SqlAnswer,
  type SqlConnection,
  SqlError,
  type SqlPool,
  type SqlStatement,
} from 'argus-engine';
import type { ClientBase, Pool, PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg';
import { ArgusError, getErrorMessage } from '../../../errors.ts';
import { log } from '../../../log.ts';

/** Long enough for a database that starts or fails over. After this time, the caller gets the error. */
const MAX_CONNECT_MS = 10_000;

/** Keeps values as the text that the server sent, because the engine parses them. */
const TEXT_TYPES = { getTypeParser: () => (value: string) => value };

/**
 * Errors that a prepared statement is missing or already exists (invalid_sql_statement_name,
 * duplicate_prepared_statement). They occur when a pooler uses different connections for the transactions.
 */
const POOLER_ERRORS: ReadonlySet<string> = new Set(['26000', '42P05']);

/** Statements that PostgreSQL plans. */
const PLANNED_STATEMENT = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/u;

/**
 * Each prepared statement takes memory in every connection. The most frequent statements are usually prepared first.
 */
const MAX_PREPARED_STATEMENTS = 500;

type Pg = typeof import('pg');

/** The types of the package `pg` lack some of its options. */
type Query = QueryArrayConfig & { readonly queryMode: 'extended' };

export class PostgresPool implements SqlPool {
  readonly #url: string;
  readonly #size: number;
  readonly #prepared = new PreparedStatements();
  #opened: Promise<{ pg: Pg; pool: Pool }> | undefined;

  /** `size` is the maximum number of open connections. */
  constructor(url: string, size = getDefaultWorkerCount()) {
    this.#url = url;
    this.#size = size;
  }

  async connect(): Promise<SqlConnection> {
    const { pg, pool } = await this.#openOnce();
    try {
      return new PostgresConnection(pg, await pool.connect(), this.#prepared);
    } catch (thrown) {
      throw toSqlError(pg, thrown);
    }
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.pool.end();
  }

  #openOnce(): Promise<{ pg: Pg; pool: Pool }> {
    this.#opened ??= this.#createPool();
    return this.#opened;
  }

  async #createPool(): Promise<{ pg: Pg; pool: Pool }> {
    const pg = await import('pg').then(
      (module) => module.default as unknown as Pg,
      (thrown: unknown) => {
        throw new ArgusError(
          'INVALID_INPUT',
          `PostgreSQL needs the package pg: npm install pg (${getErrorMessage(thrown)}).`,
        );
      },
    );
    const pool = new pg.Pool({
      connectionString: this.#url,
      max: this.#size,
      connectionTimeoutMillis: MAX_CONNECT_MS,
      application_name: 'argus-mcp',
      // Sends the statements of one batch together.
      pipeline: true,
      onConnect: (client: ClientBase) => this.#prepared.detectPooler(client),
    } as ConstructorParameters<Pg['Pool']>[0]);
    // The pool removes an idle connection that failed.
    pool.on('error', (error) => log(`postgres: ${error.message}`));
    return { pg, pool };
  }
}

/**
 * Names statements, because PostgreSQL parses and plans a named statement only once per connection. Parsing and
 * planning take half of the time of a short transaction. Statements have no names behind a pooler, because it may use
 * another connection for each transaction.
 */
class PreparedStatements {
  readonly #directClients = new WeakSet<ClientBase>();
  readonly #names = new Map<string, string>();
  #isDisabled = false;

  /** Detects a pooler. It announces its own process id (for cancel requests) instead of the id of the backend. */
  async detectPooler(client: ClientBase): Promise<void> {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    if (rows[0]?.pid === Reflect.get(client, 'processID')) this.#directClients.add(client);
  }

  getName(sql: string, client: ClientBase): string | undefined {
    if (this.#isDisabled || !this.#directClients.has(client)) return undefined;
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_PREPARED_STATEMENTS || !PLANNED_STATEMENT.test(sql)) return undefined;
    const name = `argus_${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }

  disable(): void {
    this.#isDisabled = true;
  }
}

class PostgresConnection implements SqlConnection {
  readonly #pg: Pg;
  readonly #client: PoolClient;
  readonly #prepared: PreparedStatements;
  readonly #onError = (error: Error) => log(`postgres: ${error.message}`);

  constructor(pg: Pg, client: PoolClient, prepared: PreparedStatements) {
    this.#pg = pg;
    this.#client = client;
    this.#prepared = prepared;
    // The pending query reports the error to its caller.
    client.on('error', this.#onError);
  }

  async send(statements: readonly SqlStatement[]): Promise<SqlAnswer[]> {
    const queries = statements.map(({ sql, params }) => {
      const name = this.#prepared.getName(sql, this.#client);
      const query: Query = {
        text: sql,
        values: [...params],
        rowMode: 'array',
        types: TEXT_TYPES,
        queryMode: 'extended',
      };
      return this.#client.query(name === undefined ? query : { ...query, name });
    });
    // Waits for all statements. After a failure, the following statements of a transaction fail too, and only the first
    // failure has the cause.
    const answers = await Promise.allSettled(queries);
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed !== undefined) {
      const error = toSqlError(this.#pg, failed.reason);
      if (POOLER_ERRORS.has(error.code)) this.#prepared.disable();
      throw error;
    }
    return answers.map((answer) => toSqlAnswer((answer as PromiseFulfilledResult<QueryArrayResult>).value));
  }

  release(isBroken: boolean): void {
    this.#client.off('error', this.#onError);
    this.#client.release(isBroken);
  }
}

function toSqlAnswer({ fields, rows, command, rowCount }: QueryArrayResult): SqlAnswer {
  const types = fields.map(({ dataTypeID }) => dataTypeID);
  return { types, rows, tag: rowCount === null ? command : `${command} ${rowCount}` };
}

/** Uses only the message of a server error, because its details quote rows. */
function toSqlError(pg: Pg, thrown: unknown): SqlError {
  if (thrown instanceof pg.DatabaseError) return new SqlError(thrown.code ?? '', thrown.message);
  return new SqlError('', getErrorMessage(thrown));
}
