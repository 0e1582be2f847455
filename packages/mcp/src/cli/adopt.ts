/**
 * The command `adopt`: shows the content of a foreign database, and makes it the user's own after a person at the
 * terminal agrees. Agents cannot adopt a database, because they have no terminal. In CI, ARGUS_ADOPT does the same for
 * a run: see terminal/output.ts.
 */

import { adopt, type Engine, openEngine } from 'argus-engine';
import { ArgusError } from '../errors.ts';
import { indentLines, joinLines, paint } from '../format/terminal.ts';
import { copyForeignDatabase } from '../owner/identity.ts';
import type { MemoryLocation } from '../owner/memory-location.ts';
import type { Session } from '../sessions/session.ts';
import { SessionManager } from '../sessions/session-manager.ts';
import { io, toAbsolutePath } from '../system/io.ts';
import { formatCount } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import { toShortLine } from '../text/untrusted-text.ts';
import { EXIT_CODES } from './terminal/exit.ts';
import { askForConsent } from './terminal/interaction.ts';
import { type GlobalOptions, getTerminalRecorder } from './terminal/output.ts';

/** More entries are not shown, because a person has to read them before answering. */
const MAX_SHOWN_ENTRIES = 12;
const PAGE_SIZE = 200;

export async function adoptMemory(
  options: Pick<GlobalOptions, 'project' | 'config'> & { yes?: boolean },
): Promise<void> {
  if (!io().stdin.isTTY || !io().stdout.isTTY) {
    const advice = 'In CI, set ARGUS_ADOPT=1 for argus run and argus import.';
    throw new ArgusError('INVALID_INPUT', `adopt needs an interactive terminal, even with --yes. ${advice}`);
  }
  const sessionManager = new SessionManager({ recorder: getTerminalRecorder(), adoptsForeign: false });
  try {
    const session = await sessionManager.init(toAbsolutePath(options.project), options.config, 'person');
    session.requireHistory();
    await adoptForeignMemory(session, options.yes ?? false);
  } finally {
    await sessionManager.closeAll();
  }
}

async function adoptForeignMemory(session: Session, isAgreed: boolean): Promise<void> {
  const { path: home, memoryId, foreign, folder, registry } = await session.findMemoryLocation();
  if (foreign === undefined) {
    print(
      memoryId === undefined
        ? `there is nothing to adopt: ${sanitize(home)} does not exist yet`
        : `${sanitize(home)} is yours already`,
    );
    return;
  }
  const { kind, reason, advice, source } = foreign;
  if (kind !== 'unknown' || source === undefined) {
    throw new ArgusError('INVALID_INPUT', `${reason} It cannot be adopted at this place. ${advice}`.trimEnd());
  }
  const copyPath = copyForeignDatabase(source, folder);
  print(await describeDatabase(source, copyPath, session));
  if (!isAgreed && !(await askForConsent('Make it yours?'))) {
    print('left as it is');
    io().exitCode = EXIT_CODES.failures;
    return;
  }
  if (copyForeignDatabase(source, folder) !== copyPath) {
    throw new ArgusError('INVALID_INPUT', `${source} was changed since it was shown. Call adopt again.`);
  }
  // A waiting fix may belong to a run in the current memory. The adopted memory does not know that run, so store the
  // fix first.
  await session.storeWaiting();
  adopt(source, registry.register(source));
  print(`${paint.bold(sanitize(source))} is yours now`);
  if (memoryId !== undefined) print(await copyOwnIncidents(session, { path: home, memoryId }));
}

/**
 * Returns a description of a foreign database for a person: counts, the fixes that were reported most, and the
 * incidents, with the names of who recorded them.
 */
async function describeDatabase(source: string, copyPath: string, session: Session): Promise<string> {
  const engine = await openEngine({ databasePath: copyPath, projectRoot: session.root, locale: session.locale });
  try {
    const { total: runs } = await engine.history({ limit: 1 });
    const { patterns, learnedCount } = await engine.patterns({ source: 'learned', limit: MAX_SHOWN_ENTRIES });
    const { lines: exported, total: incidents } = await engine.memoryExport({ limit: MAX_SHOWN_ENTRIES });
    const fixed = patterns.filter(({ suggestedFix }) => suggestedFix !== null);
    const authors = await Promise.all(fixed.map(({ id }) => formatFixAuthor(engine, id)));
    return joinLines([
      `${paint.bold(sanitize(source))} was not made by you on this machine. It holds:`,
      indentLines(
        `${formatCount(runs, 'run')}, ${formatCount(learnedCount, 'learned pattern')}, ${formatCount(incidents, 'incident')}`,
      ),
      ...fixed.map(({ suggestedFix, category }, index) =>
        indentLines(`${category}: ${paint.yellow(toSafeLine(suggestedFix ?? ''))}${paint.dim(authors[index] ?? '')}`),
      ),
      ...formatExportedIncidents(exported).map((line) => indentLines(line)),
      'Its fixes will be suggested to you and your agents as known. Adopt a database only if you know where it comes from.',
    ]);
  } finally {
    await engine.close();
  }
}

async function formatFixAuthor(engine: Engine, patternId: string): Promise<string> {
  const [newest] = (await engine.pattern({ id: patternId })).fixHistory;
  if (newest === undefined) return '';
  const { recordedBy: by, recordedFrom: from, createdAt } = newest;
  return toSafeLine(`  ${by ?? 'unknown'} on ${from ?? 'an unknown machine'}, ${createdAt.slice(0, 10)}`);
}

/** Returns the title of each exported incident, and the first line of each of its solutions. */
function formatExportedIncidents(exported: string): string[] {
  return exported
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const incident: unknown = JSON.parse(line);
      if (typeof incident !== 'object' || incident === null || !('title' in incident)) return [];
      const solutions = 'solutions' in incident && Array.isArray(incident.solutions) ? incident.solutions : [];
      const steps = solutions.map(
        (solution: { steps?: unknown }) => `  ${paint.yellow(toSafeLine(String(solution.steps)))}`,
      );
      return [toSafeLine(String(incident.title)), ...steps];
    });
}

/** Makes a text from another user safe for the terminal and shortens it to a line. */
function toSafeLine(text: string): string {
  return toShortLine(sanitize(text));
}

/** Copies the incidents of the user's own database into the adopted database. Does not copy runs and patterns. */
async function copyOwnIncidents(
  session: Session,
  { path: ownDatabasePath, memoryId }: Pick<MemoryLocation, 'path' | 'memoryId'>,
): Promise<string> {
  const openOptions = { projectRoot: session.root, ...(memoryId === undefined ? {} : { memoryId }) };
  const from = await openEngine({ ...openOptions, databasePath: ownDatabasePath, readOnly: true });
  try {
    await session.findMemoryLocation();
    const into = await session.database.openDurable();
    let [after, incidents]: [string | null, number] = [null, 0];
    do {
      const page: { lines: string; incidents: number; next: string | null } = await from.memoryExport({
        after,
        limit: PAGE_SIZE,
      });
      await into.memoryImport({ lines: page.lines });
      incidents += page.incidents;
      after = page.next;
    } while (after !== null);
    return `${formatCount(incidents, 'incident')} copied from ${sanitize(ownDatabasePath)}; its runs and patterns stay there`;
  } finally {
    await from.close();
  }
}

function print(text: string): void {
  io().stdout.write(`${text}\n`);
}
