/**
 * The commands `team join`, `leave` and `status`. Copying between the local memory and the team's memory is in
 * push-pull.ts.
 */

import path from 'node:path';
import { ArgusError } from '../../errors.ts';
import { joinLines, paint } from '../../format/terminal.ts';
import { findTrustedDataFolder } from '../../owner/data-folder.ts';
import { PROJECT_NAME_PATTERN } from '../../owner/project.ts';
import type { Session } from '../../sessions/session.ts';
import {
  DEFAULT_TOKEN_VARIABLE,
  findRepositoryIdentity,
  type Membership,
  Memberships,
  type RepositoryIdentity,
  requireTokenVariable,
} from '../../team/client/membership.ts';
import {
  checkTeamServer,
  findProjectProblem,
  findProtocolProblem,
  TeamServerClient,
} from '../../team/client/remote.ts';
import { includesScope } from '../../team/protocol.ts';
import { formatCount } from '../../text/count.ts';
import { toShortLine } from '../../text/untrusted-text.ts';
import { EXIT_CODES } from '../terminal/exit.ts';
import { type GlobalOptions, runProjectCommand } from '../terminal/output.ts';

export interface JoinOptions extends GlobalOptions {
  as?: string;
  tokenVariable?: string;
}

/** Joins a team. Argus sends nothing to any server before this. */
export async function join(given: string, options: JoinOptions): Promise<void> {
  await runProjectCommand(
    options,
    async ({ session }) => {
      const url = parseServerUrl(given);
      const tokenVariable = options.tokenVariable ?? DEFAULT_TOKEN_VARIABLE;
      requireTokenVariable(tokenVariable);
      const project = requireProjectName(options.as ?? path.basename(session.project.home).toLowerCase());
      const repository = await requireRepository(session);
      const remote = new TeamServerClient({ url, project, tokenVariable }, () => ({
        locale: session.locale,
        by: undefined,
        from: undefined,
      }));
      const hello = await remote.fetchHello();
      const problem = findProtocolProblem(hello) ?? findProjectProblem(hello, url, project);
      if (problem !== undefined) throw new ArgusError('INVALID_INPUT', problem);
      await requireNoWaitingCalls(session, { url, project });
      const { token, recipe } = hello;
      await (await openMemberships(session)).join(repository, { url, project, tokenVariable });
      const { recipe: own } = await (await session.database.openInMemory()).recipe();
      return { url, project, tokenVariable, token: token.name, scope: token.scope, sameRules: own === recipe };
    },
    ({ url, project, token, scope, sameRules }) =>
      joinLines([
        `this repository now belongs to ${paint.bold(project)} at ${url}, as '${token}' with the scope ${scope}`,
        ...(includesScope(scope, 'write') ? [] : ['this token cannot store runs, because it may only read']),
        ...(sameRules
          ? []
          : ['this project has its own classification rules, but the rules of the server classify its failures']),
        paint.dim('argus team push copies the local memory to the team; argus team leave ends the membership'),
      ]),
  );
}

export async function leave(options: GlobalOptions): Promise<void> {
  await runProjectCommand(
    options,
    async ({ session }) => {
      const left = await (await openMemberships(session)).leave(await requireRepository(session));
      // The next call stores these calls on this machine.
      if (left) await session.releaseRefused();
      return { left };
    },
    ({ left }) =>
      left
        ? 'from now on, nothing is sent; waiting calls are stored on this machine'
        : 'this repository does not belong to a team',
  );
}

export async function status(options: GlobalOptions): Promise<void> {
  await runProjectCommand(
    options,
    async ({ session }) => {
      const { team, config } = session;
      await session.storeWaiting();
      const { waiting, refused } = await session.countWaiting();
      const proposed = config.team === undefined ? {} : { proposed: config.team };
      if (team === undefined) return { joined: false as const, waiting, refused, ...proposed };
      const { url, project, tokenVariable } = team;
      const reached = await checkTeamServer(requireRemote(session), team);
      return { joined: true as const, url, project, tokenVariable, ...reached, waiting, refused, ...proposed };
    },
    (result) => {
      const waitingTexts = [
        ...(result.waiting > 0 ? [`${formatCount(result.waiting, 'call')} wait to be sent`] : []),
        ...(result.refused > 0
          ? [`${formatCount(result.refused, 'call')} refused and kept; argus team push sends them again`]
          : []),
      ];
      if (!result.joined)
        return joinLines([
          'this repository does not belong to a team',
          ...formatProposal(result.proposed),
          ...waitingTexts,
        ]);
      const { url, project } = result;
      const state = result.reachable ? `as '${result.token}' with the scope ${result.scope}` : result.problem;
      return joinLines([`${paint.bold(project)} at ${url}: ${state}`, ...waitingTexts]);
    },
    { exitCode: (answered) => (answered.joined && !answered.reachable ? EXIT_CODES.failures : EXIT_CODES.done) },
  );
}

/** Returns the connection to the team's server. Throws if the repository belongs to no team. */
export function requireRemote(session: Session): TeamServerClient {
  if (session.remote !== undefined) return session.remote;
  throw new ArgusError(
    'INVALID_INPUT',
    'This repository does not belong to a team. Join a team with argus team join URL.',
  );
}

async function openMemberships({ project: { top, home } }: Session): Promise<Memberships> {
  return new Memberships(await findTrustedDataFolder(top, home));
}

async function requireRepository({ project: { top } }: Session): Promise<RepositoryIdentity> {
  const repository = await findRepositoryIdentity(top);
  if (repository !== undefined) return repository;
  throw new ArgusError('INVALID_INPUT', 'Only a git repository with a commit can belong to a team.');
}

function parseServerUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url === undefined || !isWeb || url.username !== '' || url.password !== '') {
    throw new ArgusError(
      'INVALID_INPUT',
      `'${toShortLine(given)}' is not a server URL. Use one like https://argus.example.com.`,
    );
  }
  const isLocalhost = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol === 'http:' && !isLocalhost) {
    throw new ArgusError('INVALID_INPUT', `Others could read the token on its way to ${url.origin}. Use https.`);
  }
  return url.href;
}

/**
 * Throws if calls wait to be stored, because they belong to the team of which the repository was a member when they
 * were recorded, or to this machine.
 */
async function requireNoWaitingCalls(session: Session, to: Pick<Membership, 'url' | 'project'>): Promise<void> {
  const { team } = session;
  if (team?.url === to.url && team.project === to.project) return;
  if (team === undefined) await session.storeWaiting();
  const { waiting, refused } = await session.countWaiting();
  if (waiting + refused === 0) return;
  const whose = team === undefined ? 'to be stored here' : `for ${team.project} at ${team.url}`;
  const next = team === undefined ? 'argus doctor shows the reason.' : 'argus team leave stores them on this machine.';
  throw new ArgusError('INVALID_INPUT', `${formatCount(waiting + refused, 'call')} wait ${whose}. ${next}`);
}

function requireProjectName(name: string): string {
  if (PROJECT_NAME_PATTERN.test(name)) return name;
  throw new ArgusError('INVALID_INPUT', `'${toShortLine(name)}' is not a valid project name. Pass a name with --as.`);
}

function formatProposal(proposed: { url: string; project?: string | undefined } | undefined): string[] {
  if (proposed === undefined) return [];
  const as = proposed.project === undefined ? '' : ` --as ${proposed.project}`;
  return [`its configuration proposes a team: argus team join ${proposed.url}${as}`];
}
