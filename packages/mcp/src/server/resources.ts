/**
 * The resources for a pattern, a run or an incident with all known data, and the completion of their ids. The
 * resources are not listed. To find ids, argus_patterns and argus_history page through them, and ranked_solutions finds
 * incidents.
 */

import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { EngineError, LIMITS } from 'argus-engine';
import { toErrorBody } from '../answer.ts';
import { ArgusError } from '../errors.ts';
import type { Memories } from '../sessions/memories.ts';
import type { Session } from '../sessions/session.ts';
import type { Calling } from '../storage/database.ts';
import { fitToLeaveDeep } from '../text/outgoing.ts';

/** The limit of cases in the resource of a run. argus_history pages through more. */
const MAX_CASES = 200;

/** Asks one memory. */
type Ask = <T>(call: (engine: Calling) => Promise<T>, runId?: string) => Promise<T>;

interface Places {
  all(): Pick<Session, 'historyEnabled' | 'withEngine'>[];
  memories: Pick<Memories, 'of'>;
}

interface ResourceDefinition {
  kind: 'pattern' | 'run' | 'incident';
  title: string;
  description: string;
  /** The memories to search, nearest first. */
  places(sessionManager: Places): Promise<Ask[]>;
  read(ask: Ask, id: string): Promise<object>;
  /** The advice when no memory has the id. */
  hint(sessionManager: Places): string;
}

const inProjects = {
  places: async (sessionManager: Places) => openProjects(sessionManager),
  hint: (sessionManager: Places) =>
    `Not found in any open project. ${
      sessionManager.all().length === 0 ? 'Call argus_init first.' : 'argus_patterns and argus_history list the ids.'
    }`,
};

const RESOURCES: readonly ResourceDefinition[] = [
  {
    kind: 'pattern',
    title: 'Failure pattern',
    description: 'A failure pattern with its fixes and an example',
    ...inProjects,
    read: (ask, id) => ask((engine) => engine.pattern({ id })),
  },
  {
    kind: 'run',
    title: 'Test run',
    description: 'A recorded run with its cases',
    ...inProjects,
    read: (ask, id) => ask((engine) => engine.runDetail({ runId: id, limit: MAX_CASES, offset: null }), id),
  },
  {
    kind: 'incident',
    title: 'Incident',
    description: 'An incident of the debug memory with its solutions and what came of them',
    places: async (sessionManager) => [...openProjects(sessionManager), await ownMemory(sessionManager)],
    hint: () => 'Not found in the memory of the user or of any open project. ranked_solutions finds incidents.',
    read: (ask, id) => ask((engine) => engine.incident({ id })),
  },
];

/** `toBody` converts an error into a code and a message. */
export function registerResources(server: McpServer, sessionManager: Places, toBody = toErrorBody): void {
  for (const resource of RESOURCES) {
    const { kind, title, description } = resource;
    const complete = { id: (prefix: string) => completeIds(resource, sessionManager, prefix) };
    const template = new ResourceTemplate(`argus://${kind}/{id}`, { list: undefined, complete });
    const config = { title, description, mimeType: 'application/json' };
    server.registerResource(kind, template, config, async (uri, { id }) => {
      const found = await find(resource, sessionManager, { uri: uri.href, id: String(id), toBody });
      return {
        contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(fitToLeaveDeep(found)) }],
      };
    });
  }
}

/** Searches all places, because an id does not contain its project. */
async function find(
  resource: ResourceDefinition,
  sessionManager: Places,
  { uri, id, toBody }: { uri: string; id: string; toBody: typeof toErrorBody },
): Promise<object> {
  for (const ask of await resource.places(sessionManager)) {
    try {
      return await resource.read(ask, id);
    } catch (thrown) {
      if (isAbsent(thrown)) continue;
      const { code, message } = await toBody(thrown);
      throw new Error(`${code}: ${message}`);
    }
  }
  throw new ResourceNotFoundError(uri, resource.hint(sessionManager));
}

async function completeIds({ kind, places }: ResourceDefinition, sessionManager: Places, prefix: string) {
  const asked = (await places(sessionManager)).map((ask) => ask((engine) => engine.completeIds({ kind, prefix })));
  const found = await Promise.allSettled(asked);
  const ids = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  return [...new Set(ids)].slice(0, LIMITS.MAX_COMPLETIONS);
}

function openProjects(sessionManager: Places): Ask[] {
  const usable = sessionManager.all().filter((session) => session.historyEnabled);
  return usable.map(
    (session): Ask =>
      async (call, runId) =>
        (await session.withEngine(call, runId)).value,
  );
}

/** The user's memory, together with the project that is searched when none is named. */
async function ownMemory({ memories }: Places): Promise<Ask> {
  const memory = await memories.of(undefined);
  return (call) => memory.read(call);
}

function isAbsent(thrown: unknown): boolean {
  const code = thrown instanceof EngineError || thrown instanceof ArgusError ? thrown.code : '';
  return code === 'RUN_NOT_FOUND' || code === 'PATTERN_NOT_FOUND' || code === 'INCIDENT_NOT_FOUND';
}
