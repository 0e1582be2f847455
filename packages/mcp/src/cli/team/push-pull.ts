/**
 * The commands `team push` and `team pull`: copy incidents and learned patterns, with their solutions and outcomes,
 * between the local memory and the team's memory of a repository.
 */

import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { NamedCalls, RefusedLine } from 'argus-engine';
import { joinLines as asLines } from '../../format/terminal.ts';
import type { Session } from '../../sessions/session.ts';
import type { TeamIds } from '../../storage/waiting-solutions.ts';
import { formatCount } from '../../text/count.ts';
import { toShortLine } from '../../text/untrusted-text.ts';
import { type Progress, startProgress } from '../terminal/interaction.ts';
import { type CommandContext, type GlobalOptions, runProjectCommand } from '../terminal/output.ts';
import { requireRemote } from './team.ts';

const INCIDENTS_PAGE_SIZE = 200;
/** Smaller, because a pattern is longer than an incident, and the target computes its signature again. */
const PATTERNS_PAGE_SIZE = 100;

/** Copies the local memory to the team. A second push changes nothing. */
export async function push(options: GlobalOptions): Promise<void> {
  await copy(options, async (session) => {
    // Store waiting calls first, because they may refer to the same incidents, and copying first would create these
    // twice.
    await session.releaseRefused();
    await session.storeWaiting();
    const from = await session.openLocalMemory();
    const names = { from: await createLocalName(session), into: createTeamName(session) };
    return { from, into: await session.database.openDurable(), names, known: await session.readTeamIds() };
  });
}

/** Copies the team's memory to this machine, so that it can be read while the server is unreachable. */
export async function pull(options: GlobalOptions): Promise<void> {
  await copy(options, async (session) => {
    const into = await session.openLocalMemory();
    const names = { from: createTeamName(session), into: await createLocalName(session) };
    return { from: await session.database.openDurable(), into, names };
  });
}

interface CopySides {
  from: NamedCalls;
  into: NamedCalls;
  /**
   * Names of the two memories. The target stores them with the patterns, so that it counts each occurrence only once.
   */
  names: { from: string; into: string };
  /** Maps the ids of incidents in the source to the ids of the same incidents in the target. */
  known?: TeamIds;
}

async function copy(options: GlobalOptions, openSides: (session: Session) => Promise<CopySides>): Promise<void> {
  await runProjectCommand(
    options,
    async ({ session }: CommandContext) => {
      requireRemote(session);
      const both = await openSides(session);
      return { ...(await copyIncidents(both)), ...(await copyPatterns(both)) };
    },
    ({ incidents, added, patterns, addedPatterns, refused }) =>
      asLines([
        `${formatCount(incidents, 'incident')} copied, ${added} of them new`,
        `${formatCount(patterns, 'learned pattern')} copied, ${addedPatterns} of them new`,
        ...(refused ?? []).map(({ message }) => `not copied: ${toShortLine(message)}`),
      ]),
  );
}

async function copyIncidents({
  from,
  into,
  known = new Map(),
}: CopySides): Promise<{ incidents: number; added: number }> {
  let [incidents, added] = [0, 0];
  const readPage = (after: string | null) => from.memoryExport({ after, limit: INCIDENTS_PAGE_SIZE });
  await copyPages(readPage, async (page) => {
    const lines = page.lines.split('\n').filter((line) => line !== '' && !known.has(JSON.parse(line).id));
    for (const batch of splitIntoBatches(lines)) added += (await into.memoryImport({ lines: batch.join('\n') })).added;
    incidents += lines.length;
    return page.incidents;
  });
  return { incidents, added };
}

/** Must be less than the server's limit for a call (team/server/granted-calls.ts). */
const BATCH_CHARACTERS = 256 * 1024;

/** Splits lines into batches and keeps their order. A line longer than the limit becomes a batch of its own. */
function* splitIntoBatches(lines: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let characters = 0;
  for (const line of lines) {
    if (batch.length > 0 && characters + line.length > BATCH_CHARACTERS) {
      yield batch;
      [batch, characters] = [[], 0];
    }
    batch.push(line);
    characters += line.length;
  }
  if (batch.length > 0) yield batch;
}

interface CopiedPatterns {
  patterns: number;
  addedPatterns: number;
  refused?: RefusedLine[];
}

async function copyPatterns({ from, into, names }: CopySides): Promise<CopiedPatterns> {
  let [patterns, addedPatterns] = [0, 0];
  const refused: RefusedLine[] = [];
  const readPage = (after: string | null) => from.patternsExport({ after, limit: PATTERNS_PAGE_SIZE });
  await copyPages(readPage, async (page) => {
    for (const batch of splitIntoBatches(page.lines.split('\n').filter((line) => line !== ''))) {
      const done = await into.patternsImport({ lines: batch.join('\n'), ...names });
      refused.push(...done.refused.map(({ line, message }) => ({ line: patterns + line, message })));
      addedPatterns += done.added;
      patterns += batch.length;
    }
    return page.patterns;
  });
  return { patterns, addedPatterns, ...(refused.length > 0 ? { refused } : {}) };
}

/** Copies page by page. `copyPage` copies a page and returns its number of entries. */
async function copyPages<Page extends { total: number; next: string | null }>(
  readPage: (after: string | null) => Promise<Page>,
  copyPage: (page: Page) => Promise<number>,
): Promise<void> {
  let [after, progress]: [string | null, Progress | undefined] = [null, undefined];
  do {
    const page: Page = await readPage(after);
    progress ??= await startProgress(page.total, 'copying');
    progress.advance(await copyPage(page));
    after = page.next;
  } while (after !== null);
  progress.stop();
}

/**
 * Returns the name of the memory on this machine. The name is a hash, because the id of the memory must stay secret: it
 * proves to a user that a file is their own.
 */
async function createLocalName(session: Session): Promise<string> {
  const { memoryId, path: file } = await session.findMemoryLocation();
  return hashToName(memoryId ?? `${hostname()} ${file}`);
}

function createTeamName(session: Session): string {
  const { url, project } = requireRemote(session);
  return hashToName(`${url} ${project}`);
}

function hashToName(text: string): string {
  return `memory-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}
