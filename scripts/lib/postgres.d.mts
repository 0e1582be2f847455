/** A PostgreSQL of one's own, for tests and measurements. */
export function startPostgres(): Promise<{
  port: number;
  /** A database in it, of a user who may do everything. */
  url: string;
  /** Makes an empty database, or a copy of the one that has this URL; resolves with its URL. */
  newDatabase(template?: string): Promise<string>;
  /** Asked as the cluster's owner; what it answers. */
  query(sql: string): Promise<string>;
  /** All that a database holds, as SQL. */
  dump(database: string): Promise<string>;
  /** As after a crash. */
  restart(): Promise<void>;
  /** As a network does; the server itself goes on. */
  cutConnections(): Promise<unknown>;
  /** With all that is acknowledged from then on; the first dies as it takes over. */
  startStandby(): Promise<{ takeOver(): Promise<void> }>;
  stop(): Promise<void>;
}>;

/** The folder of PostgreSQL's programs; undefined where it is not installed. */
export function postgresFolder(): string | undefined;
