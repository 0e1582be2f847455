/**
 * Resources: one pattern, one run, each with everything known about it, and completion of their ids.
 * Does not: list them all; argus_patterns and argus_history page through them.
 */

import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { EngineError } from 'argus-engine';
import { toErrorBody } from './answer.ts';
import { ArgusError } from './errors.ts';
import type { Session, SessionManager } from './session.ts';
import { visibleDeep } from './untrusted.ts';

/** As many as a client shows. */
const MAX_COMPLETIONS = 100;

/** Cases of a run in one resource; more are paged with argus_history. */
const MAX_CASES = 200;

type Kind = 'pattern' | 'run';

interface ResourceDefinition {
  kind: Kind;
  title: string;
  description: string;
  read(session: Session, id: string): Promise<object>;
}

const RESOURCES: readonly ResourceDefinition[] = [
  {
    kind: 'pattern',
    title: 'Failure pattern',
    description: 'A failure pattern with its fixes and an example',
    async read(session, id) {
      return (await session.ask((engine) => engine.pattern(id))).value;
    },
  },
  {
    kind: 'run',
    title: 'Test run',
    description: 'A recorded run with its cases',
    async read(session, id) {
      const params = { runId: id, limit: MAX_CASES, offset: null };
      return (await session.ask((engine) => engine.runDetail(params), id)).value;
    },
  },
];

export function registerResources(server: McpServer, sessionManager: SessionManager): void {
  for (const { kind, title, description, read } of RESOURCES) {
    const complete = { id: (prefix: string) => completeIds(sessionManager, kind, prefix) };
    const template = new ResourceTemplate(`argus://${kind}/{id}`, { list: undefined, complete });
    const config = { title, description, mimeType: 'application/json' };
    server.registerResource(kind, template, config, async (uri, { id }) => {
      const found = await findInSessions(sessionManager, uri.href, (session) => read(session, String(id)));
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(visibleDeep(found)) }] };
    });
  }
}

/** An id names its project too: it is looked for in every open one. */
async function findInSessions(
  sessionManager: Pick<SessionManager, 'all'>,
  uri: string,
  read: (session: Session) => Promise<object>,
): Promise<object> {
  for (const session of usable(sessionManager)) {
    try {
      return await read(session);
    } catch (thrown) {
      if (isAbsent(thrown)) continue;
      const { code, message } = toErrorBody(thrown);
      throw new Error(`${code}: ${message}`);
    }
  }
  const hint =
    sessionManager.all().length === 0 ? 'Call argus_init first.' : 'argus_patterns and argus_history list the ids.';
  throw new ResourceNotFoundError(uri, `Not found in any open project. ${hint}`);
}

async function completeIds(sessionManager: Pick<SessionManager, 'all'>, kind: Kind, prefix: string): Promise<string[]> {
  const found = await Promise.allSettled(
    usable(sessionManager).map((session) => session.ask((engine) => engine.completeIds(kind, prefix))),
  );
  const ids = found.flatMap((one) => (one.status === 'fulfilled' ? one.value.value : []));
  return [...new Set(ids)].slice(0, MAX_COMPLETIONS);
}

function usable(sessionManager: Pick<SessionManager, 'all'>): Session[] {
  return sessionManager.all().filter((session) => session.historyEnabled);
}

function isAbsent(thrown: unknown): boolean {
  const code = thrown instanceof EngineError || thrown instanceof ArgusError ? thrown.code : '';
  return code === 'RUN_NOT_FOUND' || code === 'PATTERN_NOT_FOUND';
}
