/** Starts the server of a team. At shutdown, it waits for running calls. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { ArgusError, getErrorMessage, getSystemCode } from '../../errors.ts';
import { getDataFolder } from '../../system/files/user-folder.ts';
import { io, toAbsolutePath } from '../../system/io.ts';
import { isLoopback, TokenAuthenticator } from './auth.ts';
import { isPostgresUrl, PostgresProjectMemories } from './storage/postgres-projects.ts';
import { FileProjectMemories, type ProjectMemories, type ProjectsOptions } from './storage/projects.ts';
import { type McpHandler, TeamServer } from './team-server.ts';

export interface ServeOptions {
  database?: string;
  host: string;
  port: number;
  tlsCert?: string;
  tlsKey?: string;
  insecureHttp?: boolean;
  trustProxy?: boolean;
  rateLimit: number;
  /** The number of calls that run at the same time. */
  workers?: number;
  /** Age in days after which runs are deleted. */
  keepRuns?: number;
}

interface RunningServer {
  url: string;
  database: string;
  /** Waits for running calls. */
  close(): Promise<void>;
}

/** The maximum time to wait for running calls at shutdown. */
const MAX_SHUTDOWN_MS = 10_000;

/** The database can be set in a variable, because a password in an option would appear in the process list. */
const DATABASE_VARIABLE = 'ARGUS_DATABASE';

/** Returns the database of a server: the specified file or URL, or a file in this user's data folder. */
export async function findServerDatabase(option: string | undefined): Promise<string> {
  const specified = option ?? io().env[DATABASE_VARIABLE];
  if (specified === undefined) return path.join(await getDataFolder(), 'server', 'argus.db');
  return isPostgresUrl(specified) ? specified : toAbsolutePath(specified);
}

/** Formats the database for messages and logs, without the password. */
export function formatDatabase(database: string): string {
  if (!isPostgresUrl(database) || !URL.canParse(database)) return isPostgresUrl(database) ? 'postgres' : database;
  const { host, pathname } = new URL(database);
  return `postgres://${host}${pathname}`;
}

export async function startTeamServer(options: ServeOptions, mcp: McpHandler): Promise<RunningServer> {
  const tls = readTls(options);
  requireSecureConnections(options, tls !== undefined);
  const database = await findServerDatabase(options.database);
  const { workers, rateLimit: callsPerSecond, trustProxy: trustsProxy = false } = options;
  const retention = { maxAgeDays: options.keepRuns ?? null };
  const projects = openProjects(database, { retention, ...(workers === undefined ? {} : { workers }) });
  // Opens the database now. An error then appears at the start and not at the first call.
  await projects.getServerMemory();
  const server = new TeamServer({
    projects,
    auth: new TokenAuthenticator(() => projects.getServerMemory()),
    callsPerSecond,
    trustsProxy,
    tls,
    mcp,
  });
  const port = await listen(server, options);
  const host = isIP(options.host) === 6 ? `[${options.host}]` : options.host;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    database: formatDatabase(database),
    close: () => server.close(MAX_SHUTDOWN_MS),
  };
}

function readTls({ tlsCert, tlsKey }: ServeOptions): { cert: Buffer; key: Buffer } | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new ArgusError('INVALID_INPUT', 'TLS needs both --tls-cert and --tls-key.');
  }
  return { cert: readPemFile(tlsCert), key: readPemFile(tlsKey) };
}

function readPemFile(file: string): Buffer {
  try {
    return readFileSync(toAbsolutePath(file));
  } catch (thrown) {
    throw new ArgusError(
      'INVALID_INPUT',
      `${file} cannot be read (${getSystemCode(thrown) ?? getErrorMessage(thrown)}).`,
    );
  }
}

/**
 * Rejects unencrypted connections from other machines unless an option allows them. Tokens and failures would be
 * readable on the network.
 */
function requireSecureConnections({ host, insecureHttp, trustProxy }: ServeOptions, hasTls: boolean): void {
  if (hasTls || insecureHttp === true || trustProxy === true || isLoopback(host)) return;
  throw new ArgusError(
    'INVALID_INPUT',
    `Without TLS, others could read the traffic on ${host}. Pass --tls-cert and --tls-key; behind a TLS proxy, --trust-proxy; ` +
      'or --insecure-http in a trusted network.',
  );
}

async function listen({ http }: TeamServer, { host, port }: ServeOptions): Promise<number> {
  try {
    http.listen(port, host);
    await once(http, 'listening');
  } catch (thrown) {
    const reason = getSystemCode(thrown) ?? getErrorMessage(thrown);
    throw new ArgusError('INVALID_INPUT', `Cannot listen on ${host}:${port} (${reason}). Choose another --port.`);
  }
  const address = http.address();
  return address !== null && typeof address === 'object' ? address.port : port;
}

/**
 * Chooses the storage for the memories of a server. `database` is a file or the URL of a PostgreSQL database. Opens
 * nothing.
 */
export function openProjects(database: string, options: ProjectsOptions): ProjectMemories {
  return isPostgresUrl(database)
    ? new PostgresProjectMemories(database, options)
    : new FileProjectMemories(database, options);
}
