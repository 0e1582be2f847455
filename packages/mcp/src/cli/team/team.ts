/** team: joins and leaves a team. Copying between the local memory and the team's memory is in copy.ts. */

import path from 'node:path';
import { PROJECT_NAME } from '../../config/project-name.ts';
import { ArgusError } from '../../errors.ts';
import { lines, paint } from '../../format/terminal.ts';
import { trustedDataFolder } from '../../owner/data-folder.ts';
import type { Session } from '../../sessions/session.ts';
import {
  DEFAULT_TOKEN_VARIABLE,
  identityOf,
  type Membership,
  Memberships,
  type RepositoryIdentity,
  requireTokenVariable,
} from '../../team/client/membership.ts';
import { projectProblem, protocolProblem, reach } from '../../team/client/reach.ts';
import { Remote } from '../../team/client/remote.ts';
import { holds } from '../../team/protocol.ts';
import { count } from '../../text/count.ts';
import { shortLine } from '../../text/untrusted.ts';
import { EXIT } from '../terminal/exit.ts';
import { answer, type GlobalOptions } from '../terminal/output.ts';

export interface JoinOptions extends GlobalOptions {
  as?: string;
  tokenVariable?: string;
}

/** Joins a team. Argus sends nothing anywhere before this. */
export async function join(given: string, options: JoinOptions): Promise<void> {
  await answer(
    options,
    async ({ session }) => {
      const url = addressOf(given);
      const tokenVariable = options.tokenVariable ?? DEFAULT_TOKEN_VARIABLE;
      requireTokenVariable(tokenVariable);
      const project = requireProjectName(options.as ?? path.basename(session.project.home).toLowerCase());
      const repository = await repositoryOf(session);
      const remote = new Remote({ url, project, tokenVariable }, () => ({
        locale: session.locale,
        by: undefined,
        from: undefined,
      }));
      const hello = await remote.hello();
      const problem = protocolProblem(hello) ?? projectProblem(hello, url, project);
      if (problem !== undefined) throw new ArgusError('INVALID_INPUT', problem);
      await requireNothingWaits(session, { url, project });
      const { token, recipe } = hello;
      await (await memberships(session)).join(repository, { url, project, tokenVariable });
      const { recipe: own } = await (await session.database.inMemory()).recipe();
      return { url, project, tokenVariable, token: token.name, scope: token.scope, sameRules: own === recipe };
    },
    ({ url, project, token, scope, sameRules }) =>
      lines([
        `this repository belongs to ${paint.bold(project)} at ${url} now, as '${token}' with the scope ${scope}`,
        ...(holds(scope, 'write') ? [] : ['what is recorded here cannot be stored there: the token may only read']),
        ...(sameRules ? [] : ['this project has rules of its own; those of the server decide what its failures are']),
        paint.dim('argus team push copies what is known here; argus team leave ends it'),
      ]),
  );
}

export async function leave(options: GlobalOptions): Promise<void> {
  await answer(
    options,
    async ({ session }) => {
      const left = await (await memberships(session)).leave(await repositoryOf(session));
      // The next call stores the refused calls on this machine.
      if (left) await session.releaseRefused();
      return { left };
    },
    ({ left }) =>
      left ? 'from now on nothing is sent; what still waits is stored here' : 'this repository belongs to no team',
  );
}

export async function status(options: GlobalOptions): Promise<void> {
  await answer(
    options,
    async ({ session }) => {
      const { team, config } = session;
      await session.takeIn();
      const { waiting, refused } = await session.waiting();
      const proposed = config.team === undefined ? {} : { proposed: config.team };
      if (team === undefined) return { joined: false as const, waiting, refused, ...proposed };
      const { url, project, tokenVariable } = team;
      const reached = await reach(remoteOf(session), team);
      return { joined: true as const, url, project, tokenVariable, ...reached, waiting, refused, ...proposed };
    },
    (answered) => {
      const waits = [
        ...(answered.waiting > 0 ? [`${count(answered.waiting, 'call')} wait to be sent`] : []),
        ...(answered.refused > 0
          ? [`${count(answered.refused, 'call')} refused and kept; argus team push sends them again`]
          : []),
      ];
      if (!answered.joined)
        return lines(['this repository belongs to no team', ...proposalOf(answered.proposed), ...waits]);
      const { url, project } = answered;
      const state = answered.reachable ? `as '${answered.token}' with the scope ${answered.scope}` : answered.problem;
      return lines([`${paint.bold(project)} at ${url}: ${state}`, ...waits]);
    },
    { exitCode: (answered) => (answered.joined && !answered.reachable ? EXIT.failures : EXIT.done) },
  );
}

/** Throws if the repository belongs to no team. */
export function remoteOf(session: Session): Remote {
  if (session.remote !== undefined) return session.remote;
  throw new ArgusError('INVALID_INPUT', 'This repository belongs to no team. argus team join URL makes it.');
}

async function memberships({ project: { top, home } }: Session): Promise<Memberships> {
  return new Memberships(await trustedDataFolder(top, home));
}

async function repositoryOf({ project: { top } }: Session): Promise<RepositoryIdentity> {
  const repository = await identityOf(top);
  if (repository !== undefined) return repository;
  throw new ArgusError('INVALID_INPUT', 'Only a git repository with a commit can belong to a team.');
}

function addressOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url === undefined || !isWeb || url.username !== '' || url.password !== '') {
    throw new ArgusError(
      'INVALID_INPUT',
      `'${shortLine(given)}' is no address of a server, as https://argus.example.com is.`,
    );
  }
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol === 'http:' && !isHere) {
    throw new ArgusError(
      'INVALID_INPUT',
      `${url.origin} would be sent the token where others can read along. Use https.`,
    );
  }
  return url.href;
}

/**
 * Throws if calls wait, because they belong to the team that the repository was in when they were recorded, or to this
 * machine.
 */
async function requireNothingWaits(session: Session, to: Pick<Membership, 'url' | 'project'>): Promise<void> {
  const { team } = session;
  if (team?.url === to.url && team.project === to.project) return;
  if (team === undefined) await session.takeIn();
  const { waiting, refused } = await session.waiting();
  if (waiting + refused === 0) return;
  const whose = team === undefined ? 'to be stored here' : `for ${team.project} at ${team.url}`;
  const next = team === undefined ? 'argus doctor says why.' : 'argus team leave stores them on this machine.';
  throw new ArgusError('INVALID_INPUT', `${count(waiting + refused, 'call')} wait ${whose}. ${next}`);
}

function requireProjectName(name: string): string {
  if (PROJECT_NAME.test(name)) return name;
  throw new ArgusError('INVALID_INPUT', `'${shortLine(name)}' cannot be a project's name. Give one with --as.`);
}

function proposalOf(proposed: { url: string; project?: string | undefined } | undefined): string[] {
  if (proposed === undefined) return [];
  const as = proposed.project === undefined ? '' : ` --as ${proposed.project}`;
  return [`it proposes one: argus team join ${proposed.url}${as}`];
}
