/** Starts the server of a team and ends it in order. */

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
  /** Calls that are made at once on PostgreSQL. */
  workers?: number;
  /** Days. */
  keepRuns?: number;
}

export interface Served {
  url: string;
  database: string;
  /** Calls in flight end first. */
  close(): Promise<void>;
}

/** How long calls in flight may take once the server is told to end. */
const END_MS = 10_000;

/** A variable, so that a password is in no list of processes. */
const DATABASE_VARIABLE = 'ARGUS_DATABASE';

/** Where a server keeps what it has: the file or URL that is named, else one of this user's. */
export async function serverDatabase(option: string | undefined): Promise<string> {
  const named = option ?? io().env[DATABASE_VARIABLE];
  if (named === undefined) return path.join(await dataFolder(), 'server', 'argus.db');
  return isPostgres(named) ? named : absolutePath(named);
}

/** The same for people and logs. */
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
  // A database that cannot be opened is told about now, not at the first call.
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

/** Tokens and failures in the clear leave this machine only where somebody has said so. */
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
