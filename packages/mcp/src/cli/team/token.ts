/** token: manages who may use the memories of a server. It needs write access to the server's database. */

import type { NamedCalls, Scope, Token } from 'argus-engine';
import { PROJECT_NAME } from '../../config/project-name.ts';
import { ArgusError } from '../../errors.ts';
import { lines, paint } from '../../format/terminal.ts';
import { io } from '../../system/io.ts';
import { serverDatabase, shownDatabase } from '../../team/server/start-server.ts';
import { projectsIn } from '../../team/server/storage/open-projects.ts';
import { AT_TERMINAL } from '../../team/server/storage/postgres-projects.ts';
import { newToken } from '../../team/server/tokens.ts';
import { shortLine } from '../../text/untrusted.ts';
import { printData } from '../terminal/output.ts';

export interface TokenOptions {
  database?: string;
  json?: boolean;
  scope?: Scope;
  project?: string[];
  expires?: number;
  limit?: number;
}

/** A token as it is printed, without the digest. */
type Shown = Omit<Token, 'digest'>;

export async function createToken(name: string, options: TokenOptions): Promise<void> {
  const { scope = 'write', project: projects, expires } = options;
  for (const project of projects ?? []) requireName(project);
  const { token, id, digest } = newToken();
  const made = await withServer(options, async (engine) => {
    const params = { id, name, digest, scope, projects: projects ?? null, expiresInDays: expires ?? null };
    const kept = await engine.createToken(params);
    await engine.noteAudit({ tokenId: id, project: null, action: 'token create', isDenied: false });
    return shown(kept);
  });
  // Written directly, because every other answer has its secrets removed.
  const note = `Shown this once. It is for a server with --database ${shownDatabase(await serverDatabase(options.database))}`;
  const text = options.json ? JSON.stringify({ token, ...made }) : lines([token, paint.dim(note)]);
  io().stdout.write(`${text}\n`);
}

export async function listTokens(options: TokenOptions): Promise<void> {
  const tokens = await withServer(options, async (engine) => (await engine.tokens()).tokens.map(shown));
  printData({ tokens }, options.json ?? false, formatted);
}

export async function revokeToken(id: string, options: TokenOptions): Promise<void> {
  const answer = await withServer(options, async (engine) => {
    const { revoked } = await engine.revokeToken({ id });
    if (revoked) await engine.noteAudit({ tokenId: id, project: null, action: 'token revoke', isDenied: false });
    return { id, revoked };
  });
  if (!answer.revoked) {
    const advice = 'argus token list shows those there are.';
    throw new ArgusError('INVALID_INPUT', `There is no token '${shortLine(id)}' that could be revoked. ${advice}`);
  }
  printData(answer, options.json ?? false, () => `${id} is revoked`);
}

export async function audit(options: TokenOptions): Promise<void> {
  const log = await withServer(options, (engine) => engine.auditLog({ limit: options.limit ?? null }));
  printData(log, options.json ?? false, ({ entries }) =>
    lines(
      entries.map(({ at, tokenId, project, action, isDenied }) => {
        const place = project === null ? '' : ` in ${project}`;
        return `${paint.dim(at)}  ${tokenId ?? 'unknown'}  ${isDenied ? paint.red('denied') : 'done'}  ${action}${place}`;
      }),
    ),
  );
}

function requireName(project: string): void {
  if (PROJECT_NAME.test(project)) return;
  const allowed = 'Lower case letters, digits, dot, dash and underscore, at most 50, the first a letter or a digit.';
  throw new ArgusError('INVALID_INPUT', `'${shortLine(project)}' is no name of a project. ${allowed}`);
}

async function withServer<T>(options: TokenOptions, work: (engine: NamedCalls) => Promise<T>): Promise<T> {
  const projects = projectsIn(await serverDatabase(options.database), AT_TERMINAL);
  try {
    return await work(await projects.own());
  } finally {
    await projects.close();
  }
}

function shown({ digest: _, ...token }: Token): Shown {
  return token;
}

function formatted({ tokens }: { tokens: readonly Shown[] }): string {
  if (tokens.length === 0) return 'there are no tokens yet: argus token create NAME';
  return lines(
    tokens.map(({ id, name, scope, projects, expiresAt, revokedAt, lastUsedAt }) => {
      const where = projects === null ? 'all projects' : projects.join(', ');
      const used = lastUsedAt === null ? 'never used' : `used ${lastUsedAt.slice(0, 10)}`;
      const until = expiresAt === null ? '' : `, expires ${expiresAt.slice(0, 10)}`;
      const state = revokedAt === null ? used + until : `revoked ${revokedAt.slice(0, 10)}`;
      return `${paint.bold(id)}  ${name}  ${scope} in ${where}  ${paint.dim(state)}`;
    }),
  );
}
