/**
 * team push and team pull: copy incidents and learned patterns, with their solutions and outcomes, between the two
 * memories of a repository.
 */

import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { NamedCalls, RefusedLine } from 'argus-engine';
import { lines as asLines } from '../../format/terminal.ts';
import type { Session } from '../../sessions/session.ts';
import type { TeamIds } from '../../storage/late-solutions.ts';
import { count } from '../../text/count.ts';
import { shortLine } from '../../text/untrusted.ts';
import { answer, type GlobalOptions, type Workplace } from '../terminal/output.ts';
import { type Progress, startProgress } from '../terminal/progress-bar.ts';
import { remoteOf } from './team.ts';

const INCIDENTS_PAGE_SIZE = 200;
/** Smaller, because a pattern is longer than an incident and is signed again. */
const PATTERNS_PAGE_SIZE = 100;

/** Copies the local memory to the team. A second push changes nothing. */
export async function push(options: GlobalOptions): Promise<void> {
  await copy(options, async (session) => {
    // Store waiting calls first, because they may refer to the same incidents, which must exist only once.
    await session.releaseRefused();
    await session.takeIn();
    const from = await session.localMemory();
    const names = { from: await ownName(session), into: teamName(session) };
    return { from, into: await session.database.durable(), names, known: await session.teamIds() };
  });
}

/** Copies the team's memory to this machine, for times when the server cannot be reached. */
export async function pull(options: GlobalOptions): Promise<void> {
  await copy(options, async (session) => {
    const into = await session.localMemory();
    const names = { from: teamName(session), into: await ownName(session) };
    return { from: await session.database.durable(), into, names };
  });
}

interface Sides {
  from: NamedCalls;
  into: NamedCalls;
  /**
   * Names of the two memories. The target remembers them with the patterns, so that occurrences are counted only once.
   */
  names: { from: string; into: string };
  /** Ids of incidents that the other side knows under other ids. */
  known?: TeamIds;
}

async function copy(options: GlobalOptions, sides: (session: Session) => Promise<Sides>): Promise<void> {
  await answer(
    options,
    async ({ session }: Workplace) => {
      remoteOf(session);
      const both = await sides(session);
      return { ...(await copyIncidents(both)), ...(await copyPatterns(both)) };
    },
    ({ incidents, added, patterns, addedPatterns, refused }) =>
      asLines([
        `${count(incidents, 'incident')} copied, ${added} of them new`,
        `${count(patterns, 'learned pattern')} copied, ${addedPatterns} of them new`,
        ...(refused ?? []).map(({ message }) => `not copied: ${shortLine(message)}`),
      ]),
  );
}

async function copyIncidents({ from, into, known = new Map() }: Sides): Promise<{ incidents: number; added: number }> {
  let [incidents, added] = [0, 0];
  const ask = (after: string | null) => from.memoryExport({ after, limit: INCIDENTS_PAGE_SIZE });
  await eachPage(ask, async (page) => {
    const lines = page.lines.split('\n').filter((line) => line !== '' && !known.has(JSON.parse(line).id));
    for (const some of batches(lines)) added += (await into.memoryImport({ lines: some.join('\n') })).added;
    incidents += lines.length;
    return page.incidents;
  });
  return { incidents, added };
}

/** Must be below the server's limit for a call (team/server/limits.ts). */
const BATCH_CHARACTERS = 256 * 1024;

/** Splits lines into batches and keeps their order. A line above the limit gets a batch of its own. */
function* batches(lines: readonly string[]): Generator<string[]> {
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

async function copyPatterns({ from, into, names }: Sides): Promise<CopiedPatterns> {
  let [patterns, addedPatterns] = [0, 0];
  const refused: RefusedLine[] = [];
  const ask = (after: string | null) => from.patternsExport({ after, limit: PATTERNS_PAGE_SIZE });
  await eachPage(ask, async (page) => {
    for (const some of batches(page.lines.split('\n').filter((line) => line !== ''))) {
      const done = await into.patternsImport({ lines: some.join('\n'), ...names });
      refused.push(...done.refused.map(({ line, message }) => ({ line: patterns + line, message })));
      addedPatterns += done.added;
      patterns += some.length;
    }
    return page.patterns;
  });
  return { patterns, addedPatterns, ...(refused.length > 0 ? { refused } : {}) };
}

/** `take` returns how many entries the page had. */
async function eachPage<Page extends { total: number; next: string | null }>(
  ask: (after: string | null) => Promise<Page>,
  take: (page: Page) => Promise<number>,
): Promise<void> {
  let [after, progress]: [string | null, Progress | undefined] = [null, undefined];
  do {
    const page: Page = await ask(after);
    progress ??= await startProgress(page.total, 'copying');
    progress.advance(await take(page));
    after = page.next;
  } while (after !== null);
  progress.stop();
}

/**
 * Name of the memory on this machine. It is a hash, because the memory's id proves to a user that a file is their own,
 * and so must stay secret.
 */
async function ownName(session: Session): Promise<string> {
  const { memoryId, path: file } = await session.placement();
  return nameFor(memoryId ?? `${hostname()} ${file}`);
}

function teamName(session: Session): string {
  const { url, project } = remoteOf(session);
  return nameFor(`${url} ${project}`);
}

function nameFor(text: string): string {
  return `memory-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}
