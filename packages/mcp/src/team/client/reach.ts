/**
 * Checks whether a team's server accepts the recordings of this machine, and finds the command that fixes a problem.
 */

import type { Scope } from 'argus-engine';
import { type Hello, OLDEST_PROTOCOL, PROTOCOL } from '../protocol.ts';
import type { Membership } from './membership.ts';
import { isOutOfReach, type Remote } from './remote.ts';

type Reached =
  | { reachable: true; version: string; token: string; scope: Scope }
  /** `problem` ends with the command that fixes it. */
  | { reachable: false; problem: string };

export async function reach(
  remote: Remote,
  { url, project, tokenVariable }: Pick<Membership, 'url' | 'project' | 'tokenVariable'>,
): Promise<Reached> {
  try {
    const hello = await remote.hello();
    const problem = protocolProblem(hello) ?? projectProblem(hello, url, project);
    if (problem !== undefined) return { reachable: false, problem };
    const { version, token } = hello;
    return { reachable: true, version, token: token.name, scope: token.scope };
  } catch (thrown) {
    if (!isOutOfReach(thrown)) throw thrown;
    const mended =
      thrown.code === 'TEAM_DENIED'
        ? `On the server: argus token create NAME --project ${project}, for ${tokenVariable}`
        : `On its machine: argus serve, after an update argus migrate. If it has moved: argus team join URL --as ${project}`;
    return { reachable: false, problem: `${thrown.message} ${mended}` };
  }
}

/** Undefined if both sides have a common protocol. */
export function protocolProblem({ protocol: { oldest, newest } }: Pick<Hello, 'protocol'>): string | undefined {
  if (oldest <= PROTOCOL && newest >= OLDEST_PROTOCOL) return undefined;
  const spoken = `The team's server speaks the protocols ${oldest} to ${newest}, this program ${PROTOCOL}.`;
  const update = 'npm install --global argus-mcp@latest';
  return oldest > PROTOCOL
    ? `${spoken} Update this one: ${update}`
    : `${spoken} Update that one: ${update}, and argus migrate`;
}

/** Undefined if the token is valid for this project. */
export function projectProblem({ token }: Pick<Hello, 'token'>, url: string, project: string): string | undefined {
  if (token.projects === null || token.projects.includes(project)) return undefined;
  const [first] = token.projects;
  return `The token is for ${token.projects.join(', ')}, not '${project}'. Name one of them: argus team join ${url} --as ${first}`;
}
