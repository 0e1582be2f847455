/**
 * The resources of a pattern, a run or an incident with all data about it, and the completion of their ids. The
 * resources are not listed. To find ids, argus_patterns and argus_history return pages, and ranked_solutions finds
 * incidents.
 */

import { readFile } from 'node:fs/promises';
import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { EngineError, LIMITS } from 'argus-engine';
import { toErrorBody } from '../answer.ts';
import { ArgusError } from '../errors.ts';
import { findAsset } from '../http/page.ts';
import type { Memories } from '../sessions/memories.ts';
import type { Session } from '../sessions/session.ts';
import type { EngineCalls } from '../storage/database.ts';
import { sanitizeDeep } from '../text/sanitize.ts';
import { PATTERNS_APP_URI } from '../tools/patterns.ts';

/** Maximum number of cases in the resource of a run. argus_history returns the other cases. */
const MAX_CASES = 200;

/** Runs a call of the engine on a memory. `runId` names a run that may still wait to be stored. */
type MemoryCaller = <T>(call: (engine: EngineCalls) => Promise<T>, runId?: string) => Promise<T>;

interface MemorySources {
  listOpen(): Pick<Session, 'historyEnabled' | 'withEngine'>[];
  memories: Pick<Memories, 'findMemory'>;
}

interface ResourceDefinition {
  kind: 'pattern' | 'run' | 'incident';
  title: string;
  description: string;
  /** Returns the memories to search, the nearest first. */
  listMemories(sessionManager: MemorySources): Promise<MemoryCaller[]>;
  read(ask: MemoryCaller, id: string): Promise<object>;
  /** Returns advice for an id that no memory has. */
  createHint(sessionManager: MemorySources): string;
}

const projectLookup = {
  listMemories: async (sessionManager: MemorySources) => listOpenProjects(sessionManager),
  createHint: (sessionManager: MemorySources) =>
    `Not found in any open project. ${
      sessionManager.listOpen().length === 0
        ? 'Call argus_init first.'
        : 'argus_patterns and argus_history list the ids.'
    }`,
};

const RESOURCES: readonly ResourceDefinition[] = [
  {
    kind: 'pattern',
    title: 'Failure pattern',
    description: 'A failure pattern with its fixes and an example',
    ...projectLookup,
    read: (ask, id) => ask((engine) => engine.pattern({ id })),
  },
  {
    kind: 'run',
    title: 'Test run',
    description: 'A recorded run with its cases',
    ...projectLookup,
    read: (ask, id) => ask((engine) => engine.runDetail({ runId: id, limit: MAX_CASES, offset: null }), id),
  },
  {
    kind: 'incident',
    title: 'Incident',
    description: 'An incident of the debug memory with its solutions and their outcomes',
    listMemories: async (sessionManager) => [...listOpenProjects(sessionManager), await openOwnMemory(sessionManager)],
    createHint: () => 'Not found in the memory of the user or in any open project. ranked_solutions finds incidents.',
    read: (ask, id) => ask((engine) => engine.incident({ id })),
  },
];

/** `toBody` converts an error to a code and a message. */
export function registerResources(server: McpServer, sessionManager: MemorySources, toBody = toErrorBody): void {
  for (const resource of RESOURCES) {
    const { kind, title, description } = resource;
    const complete = { id: (prefix: string) => completeIds(resource, sessionManager, prefix) };
    const template = new ResourceTemplate(`argus://${kind}/{id}`, { list: undefined, complete });
    const config = { title, description, mimeType: 'application/json' };
    server.registerResource(kind, template, config, async (uri, { id }) => {
      const found = await findResource(resource, sessionManager, { uri: uri.href, id: String(id), toBody });
      return {
        contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(sanitizeDeep(found)) }],
      };
    });
  }
}

/** Searches all memories, because an id does not name its project. */
async function findResource(
  resource: ResourceDefinition,
  sessionManager: MemorySources,
  { uri, id, toBody }: { uri: string; id: string; toBody: typeof toErrorBody },
): Promise<object> {
  for (const ask of await resource.listMemories(sessionManager)) {
    try {
      return await resource.read(ask, id);
    } catch (thrown) {
      if (isNotFound(thrown)) continue;
      const { code, message } = await toBody(thrown);
      throw new Error(`${code}: ${message}`);
    }
  }
  throw new ResourceNotFoundError(uri, resource.createHint(sessionManager));
}

async function completeIds({ kind, listMemories }: ResourceDefinition, sessionManager: MemorySources, prefix: string) {
  const completions = (await listMemories(sessionManager)).map((ask) =>
    ask((engine) => engine.completeIds({ kind, prefix })),
  );
  const found = await Promise.allSettled(completions);
  const ids = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  return [...new Set(ids)].slice(0, LIMITS.MAX_COMPLETIONS);
}

function listOpenProjects(sessionManager: MemorySources): MemoryCaller[] {
  const usable = sessionManager.listOpen().filter((session) => session.historyEnabled);
  return usable.map(
    (session): MemoryCaller =>
      async (call, runId) =>
        (await session.withEngine(call, runId)).value,
  );
}

/** Opens the user's memory. As in every call without a project, the memory of an open project is searched with it. */
async function openOwnMemory({ memories }: MemorySources): Promise<MemoryCaller> {
  const memory = await memories.findMemory(undefined);
  return (call) => memory.read(call);
}

function isNotFound(thrown: unknown): boolean {
  const code = thrown instanceof EngineError || thrown instanceof ArgusError ? thrown.code : '';
  return code === 'RUN_NOT_FOUND' || code === 'PATTERN_NOT_FOUND' || code === 'INCIDENT_NOT_FOUND';
}

const APP_PAGE_MIME_TYPE = 'text/html;profile=mcp-app';

/** The capability with which a server announces that it has pages. */
export const APPS_CAPABILITY = { 'io.modelcontextprotocol/ui': { mimeTypes: [APP_PAGE_MIME_TYPE] } };

/** The page may load nothing, and the host draws the frame. */
const PAGE_META = { ui: { csp: {}, prefersBorder: true } };

const PATTERNS_PAGE_CONFIG = {
  title: 'Failure patterns',
  description: 'Table of the patterns that argus_patterns returns',
  mimeType: APP_PAGE_MIME_TYPE,
};

/**
 * MCP Apps: pages that a chat client shows inside a conversation. A page draws the answer of a tool. Hosts do not let
 * it load anything or run wasm. Clients without apps lose nothing, because the text of the answer has the same data.
 */
export function registerApps(server: McpServer): void {
  server.registerResource(
    'patterns-app',
    PATTERNS_APP_URI,
    { ...PATTERNS_PAGE_CONFIG, _meta: PAGE_META },
    async (uri) => {
      const text = await readFile(findAsset('app'), 'utf8');
      return { contents: [{ uri: uri.href, mimeType: APP_PAGE_MIME_TYPE, text, _meta: PAGE_META }] };
    },
  );
}
