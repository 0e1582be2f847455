/**
 * Commands for the operator of a team's server: serve, migrate, backup, and the tokens. They need write access to the
 * server's database.
 */

import { existsSync } from 'node:fs';
import type { NamedCalls, Scope, Token } from 'argus-engine';
import { ArgusError } from '../../errors.ts';
import { joinLines, paint } from '../../format/terminal.ts';
import { PROJECT_NAME_PATTERN } from '../../owner/project.ts';
import { io, toAbsolutePath } from '../../system/io.ts';
import { generateToken } from '../../team/server/auth.ts';
import {
  findServerDatabase,
  formatDatabase,
  openProjects,
  type ServeOptions,
  startTeamServer,
} from '../../team/server/start-server.ts';
import {
  isPostgresUrl,
  PostgresProjectMemories,
  TERMINAL_OPTIONS,
} from '../../team/server/storage/postgres-projects.ts';
import { toShortLine } from '../../text/untrusted-text.ts';
import { waitForEndSignal } from '../terminal/exit.ts';
import { printData } from '../terminal/output.ts';

export async function serve(options: ServeOptions): Promise<void> {
  const endSignal = waitForEndSignal();
  // Imported here because the other commands need no MCP.
  const { handleMcpRequest } = await import('../../server/team-mcp.ts');
  const { url, database, close } = await startTeamServer(options, handleMcpRequest);
  // Each event is a JSON object on a line of its own, because the program that starts the server reads the port from
  // there.
  const printEvent = (event: object) =>
    io().stdout.write(`${JSON.stringify({ at: new Date(io().now()).toISOString(), ...event })}\n`);
  printEvent({ event: 'listening', url, database });
  await endSignal;
  printEvent({ event: 'ending' });
  await close();
}

export interface PostgresCommandOptions {
  database?: string;
  json?: boolean;
}

/** The command `migrate`. Like `backup`, it needs a server on PostgreSQL. */
export async function migrate(options: PostgresCommandOptions): Promise<void> {
  const projects = await withPostgresProjects(options, (memories) => memories.migrate());
  const database = formatDatabase(await findServerDatabase(options.database));
  printData({ database, projects }, options.json ?? false, () => {
    const count = projects.length === 1 ? '1 project' : `${projects.length} projects`;
    return `${database} has the schema of this version, with ${count}`;
  });
}

export async function backup(project: string, file: string, options: PostgresCommandOptions): Promise<void> {
  const target = toAbsolutePath(file);
  if (!PROJECT_NAME_PATTERN.test(project))
    throw new ArgusError('INVALID_INPUT', `The project '${toShortLine(project)}' does not exist.`);
  if (existsSync(target)) throw new ArgusError('INVALID_INPUT', `${target} already exists. Name another file.`);
  await withPostgresProjects(options, async (memories) => {
    const known = await memories.listProjectNames();
    if (!known.includes(project)) {
      throw new ArgusError(
        'INVALID_INPUT',
        `The project '${project}' does not exist. The projects are ${known.join(', ')}.`,
      );
    }
    await memories.backup(project, target);
  });
  printData({ project, file: target }, options.json ?? false, () => `${project} is copied to ${target}`);
}

async function withPostgresProjects<T>(
  { database }: PostgresCommandOptions,
  work: (memories: PostgresProjectMemories) => Promise<T>,
): Promise<T> {
  const url = await findServerDatabase(database);
  if (!isPostgresUrl(url)) {
    const advice =
      'A SQLite file upgrades itself when it is opened, and you can copy it while no process writes to it.';
    throw new ArgusError('INVALID_INPUT', `This command is only for PostgreSQL (postgres://...). ${advice}`);
  }
  const memories = new PostgresProjectMemories(url, TERMINAL_OPTIONS);
  try {
    return await work(memories);
  } finally {
    await memories.close();
  }
}

export interface TokenOptions {
  database?: string;
  json?: boolean;
  scope?: Scope;
  project?: string[];
  expires?: number;
  limit?: number;
}

/** A token as it is printed, without its digest. */
type PrintedToken = Omit<Token, 'digest'>;

/** The command `token create`. The server stores only a digest, so the token is printed once. */
export async function createToken(name: string, options: TokenOptions): Promise<void> {
  const { scope = 'write', project: projects, expires } = options;
  for (const project of projects ?? []) requireValidName(project);
  const { token, id, digest } = generateToken();
  const created = await withServerDatabase(options, async (engine) => {
    const params = { id, name, digest, scope, projects: projects ?? null, expiresInDays: expires ?? null };
    const stored = await engine.createToken(params);
    await engine.noteAudit({ tokenId: id, project: null, action: 'token create', isDenied: false });
    return removeDigest(stored);
  });
  // Written directly, because the usual output functions would redact the token.
  const note = `Shown only once. It is for a server with --database ${formatDatabase(await findServerDatabase(options.database))}`;
  const text = options.json ? JSON.stringify({ token, ...created }) : joinLines([token, paint.dim(note)]);
  io().stdout.write(`${text}\n`);
}

export async function listTokens(options: TokenOptions): Promise<void> {
  const tokens = await withServerDatabase(options, async (engine) => (await engine.tokens()).tokens.map(removeDigest));
  printData({ tokens }, options.json ?? false, formatTokens);
}

export async function revokeToken(id: string, options: TokenOptions): Promise<void> {
  const answer = await withServerDatabase(options, async (engine) => {
    const { revoked } = await engine.revokeToken({ id });
    if (revoked) await engine.noteAudit({ tokenId: id, project: null, action: 'token revoke', isDenied: false });
    return { id, revoked };
  });
  if (!answer.revoked) {
    const advice = 'argus token list shows the tokens.';
    throw new ArgusError('INVALID_INPUT', `'${toShortLine(id)}' is not an active token. ${advice}`);
  }
  printData(answer, options.json ?? false, () => `${id} is revoked`);
}

export async function printAuditLog(options: TokenOptions): Promise<void> {
  const log = await withServerDatabase(options, (engine) => engine.auditLog({ limit: options.limit ?? null }));
  printData(log, options.json ?? false, ({ entries }) =>
    joinLines(
      entries.map(({ at, tokenId, project, action, isDenied }) => {
        const place = project === null ? '' : ` in ${project}`;
        return `${paint.dim(at)}  ${tokenId ?? 'unknown'}  ${isDenied ? paint.red('denied') : 'done'}  ${action}${place}`;
      }),
    ),
  );
}

function requireValidName(project: string): void {
  if (PROJECT_NAME_PATTERN.test(project)) return;
  const allowed =
    'Use at most 50 lower case letters, digits, dots, dashes and underscores, and begin with a letter or a digit.';
  throw new ArgusError('INVALID_INPUT', `'${toShortLine(project)}' is not a valid project name. ${allowed}`);
}

async function withServerDatabase<T>(options: TokenOptions, work: (engine: NamedCalls) => Promise<T>): Promise<T> {
  const projects = openProjects(await findServerDatabase(options.database), TERMINAL_OPTIONS);
  try {
    return await work(await projects.getServerMemory());
  } finally {
    await projects.close();
  }
}

function removeDigest({ digest: _, ...token }: Token): PrintedToken {
  return token;
}

function formatTokens({ tokens }: { tokens: readonly PrintedToken[] }): string {
  if (tokens.length === 0) return 'no tokens yet; create one with argus token create NAME';
  return joinLines(
    tokens.map(({ id, name, scope, projects, expiresAt, revokedAt, lastUsedAt }) => {
      const where = projects === null ? 'all projects' : projects.join(', ');
      const used = lastUsedAt === null ? 'never used' : `used ${lastUsedAt.slice(0, 10)}`;
      const until = expiresAt === null ? '' : `, expires ${expiresAt.slice(0, 10)}`;
      const state = revokedAt === null ? used + until : `revoked ${revokedAt.slice(0, 10)}`;
      return `${paint.bold(id)}  ${name}  ${scope} in ${where}  ${paint.dim(state)}`;
    }),
  );
}
