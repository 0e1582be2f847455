/** Starts a temporary PostgreSQL server for tests and benchmarks. */
export function startPostgres(): Promise<{
  port: number;
  /** URL of a database whose user has all privileges. */
  url: string;
  /** Creates an empty database, or a copy of the database with the URL `template`. Resolves with its URL. */
  newDatabase(template?: string): Promise<string>;
  /** Runs a query as the owner of the cluster and returns its output. */
  query(sql: string): Promise<string>;
  /** Returns the content of a database as SQL. */
  dump(database: string): Promise<string>;
  /** Restarts as after a crash, without waiting for clients. */
  restart(): Promise<void>;
  /** Terminates all connections, as a network failure does. The server keeps running. */
  cutConnections(): Promise<unknown>;
  /**
   * Starts a standby that receives everything that is acknowledged from then on. The first server stops when the
   * standby takes over.
   */
  startStandby(): Promise<{ takeOver(): Promise<void> }>;
  stop(): Promise<void>;
}>;

/** Folder of PostgreSQL's programs, or undefined if it is not installed. */
export function findPostgresFolder(): string | undefined;
