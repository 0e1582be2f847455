/** Starts the server of a team and shuts it down after the calls in flight. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { ArgusError, messageOf, systemCodeOf } from '../../errors.ts';
import { dataFolder } from '../../system/files/user-folder.ts';
import { absolutePath, io } from '../../system/io.ts';
import { Auth } from './auth.ts';
import { isLoopback } from './loopback.ts';
import { projectsIn } from './storage/open-projects.ts';
import { isPostgres } from './storage/postgres-projects.ts';
import { type McpAnswering, TeamServer } from './team-server.ts';

export interface ServeOptions {
  database?: string;
  host: string;
  port: number;
  tlsCert?: string;
  tlsKey?: string;
  insecureHttp?: boolean;
  trustProxy?: boolean;
  rateLimit: number;
  /** The number of calls that PostgreSQL handles at once. */
  workers?: number;
  /** Days. */
  keepRuns?: number;
}

export interface Served {
  url: string;
  database: string;
  /** Waits for calls in flight. */
  close(): Promise<void>;
}

/** The limit for calls in flight during a shutdown. */
const END_MS = 10_000;

/** An environment variable, so that a password does not appear in the process list. */
const DATABASE_VARIABLE = 'ARGUS_DATABASE';

/** The database of a server: the file or URL that is named, otherwise a file in this user's data folder. */
export async function serverDatabase(option: string | undefined): Promise<string> {
  const named = option ?? io().env[DATABASE_VARIABLE];
  if (named === undefined) return path.join(await dataFolder(), 'server', 'argus.db');
  return isPostgres(named) ? named : absolutePath(named);
}

/** The database for people and logs, without the password. */
export function shownDatabase(database: string): string {
  if (!isPostgres(database) || !URL.canParse(database)) return isPostgres(database) ? 'postgres' : database;
  const { host, pathname } = new URL(database);
  return `postgres://${host}${pathname}`;
}

export async function startTeamServer(options: ServeOptions, mcp: McpAnswering): Promise<Served> {
  const tls = tlsOf(options);
  requireSecure(options, tls !== undefined);
  const database = await serverDatabase(options.database);
  const { workers, rateLimit: callsPerSecond, trustProxy: trustsProxy = false } = options;
  const retention = { maxAgeDays: options.keepRuns ?? null };
  const projects = projectsIn(database, { retention, ...(workers === undefined ? {} : { workers }) });
  // Opens the database now, so that an error appears at the start instead of at the first call.
  await projects.own();
  const server = new TeamServer({
    projects,
    auth: new Auth(() => projects.own()),
    callsPerSecond,
    trustsProxy,
    tls,
    mcp,
  });
  const port = await listening(server, options);
  const host = isIP(options.host) === 6 ? `[${options.host}]` : options.host;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    database: shownDatabase(database),
    close: () => server.close(END_MS),
  };
}

function tlsOf({ tlsCert, tlsKey }: ServeOptions): { cert: Buffer; key: Buffer } | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new ArgusError('INVALID_INPUT', 'TLS needs both --tls-cert and --tls-key.');
  }
  return { cert: pem(tlsCert), key: pem(tlsKey) };
}

function pem(file: string): Buffer {
  try {
    return readFileSync(absolutePath(file));
  } catch (thrown) {
    throw new ArgusError('INVALID_INPUT', `${file} cannot be read (${systemCodeOf(thrown) ?? messageOf(thrown)}).`);
  }
}

/**
 * Refuses unencrypted connections from other machines unless an option allows them, because tokens and failures would
 * be readable on the network.
 */
function requireSecure({ host, insecureHttp, trustProxy }: ServeOptions, hasTls: boolean): void {
  if (hasTls || insecureHttp === true || trustProxy === true || isLoopback(host)) return;
  throw new ArgusError(
    'INVALID_INPUT',
    `On ${host} others could read along. Give --tls-cert and --tls-key; behind a proxy that speaks TLS, --trust-proxy; ` +
      'or --insecure-http where the network is trusted.',
  );
}

async function listening({ http }: TeamServer, { host, port }: ServeOptions): Promise<number> {
  try {
    http.listen(port, host);
    await once(http, 'listening');
  } catch (thrown) {
    const reason = systemCodeOf(thrown) ?? messageOf(thrown);
    throw new ArgusError('INVALID_INPUT', `${host}:${port} cannot be listened on (${reason}). Choose another --port.`);
  }
  const address = http.address();
  return address !== null && typeof address === 'object' ? address.port : port;
}
