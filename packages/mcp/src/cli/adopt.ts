/**
 * adopt: shows the content of a foreign database, and makes it the user's own after a person at the terminal agrees.
 * Agents cannot adopt a database, because they have no terminal. In CI, ARGUS_ADOPT does the same for a run: see
 * recorder.ts.
 */

import { adopt, type Engine, openEngine } from 'argus-engine';
import { ArgusError } from '../errors.ts';
import { indented, lines, paint } from '../format/terminal.ts';
import { copyOf } from '../owner/foreign-copy.ts';
import type { Placement } from '../owner/placement.ts';
import type { Session } from '../sessions/session.ts';
import { SessionManager } from '../sessions/session-manager.ts';
import { absolutePath, io } from '../system/io.ts';
import { count } from '../text/count.ts';
import { fitToLeave } from '../text/outgoing.ts';
import { shortLine } from '../text/untrusted.ts';
import { terminal } from './recorder.ts';
import { agrees } from './terminal/agree.ts';
import { EXIT } from './terminal/exit.ts';
import type { GlobalOptions } from './terminal/output.ts';

/** A person can read this many entries before answering. */
const MAX_SHOWN_ENTRIES = 12;
const PAGE_SIZE = 200;

export async function adoptMemory(
  options: Pick<GlobalOptions, 'project' | 'config'> & { yes?: boolean },
): Promise<void> {
  if (!io().stdin.isTTY || !io().stdout.isTTY) {
    const advice = 'In CI, ARGUS_ADOPT=1 does it for argus run and argus import.';
    throw new ArgusError(
      'INVALID_INPUT',
      `adopt asks a person, and there is no terminal; --yes does not change that. ${advice}`,
    );
  }
  const sessionManager = new SessionManager({ recorder: terminal(), adopts: false });
  try {
    const session = await sessionManager.init(absolutePath(options.project), options.config, 'person');
    session.requireHistory();
    await adoptIn(session, options.yes ?? false);
  } finally {
    await sessionManager.closeAll();
  }
}

async function adoptIn(session: Session, isAgreed: boolean): Promise<void> {
  const { path: home, memoryId, foreign, folder, registry } = await session.placement();
  if (foreign === undefined) {
    print(
      memoryId === undefined
        ? `there is nothing to adopt: ${fitToLeave(home)} does not exist yet`
        : `${fitToLeave(home)} is yours already`,
    );
    return;
  }
  const { kind, reason, advice, source } = foreign;
  if (kind !== 'unknown' || source === undefined) {
    throw new ArgusError('INVALID_INPUT', `${reason} It cannot be adopted where it lies. ${advice}`.trimEnd());
  }
  const copy = copyOf(source, folder);
  print(await shown(source, copy, session));
  if (!isAgreed && !(await agrees('Make it yours?'))) {
    print('left as it is');
    io().exitCode = EXIT.failures;
    return;
  }
  if (copyOf(source, folder) !== copy) {
    throw new ArgusError('INVALID_INPUT', `${source} was changed since it was shown. Call adopt again.`);
  }
  // A waiting fix may belong to a run in the current memory. The adopted memory does not know that run, so store the
  // fix first.
  await session.takeIn();
  adopt(source, registry.add(source));
  print(`${paint.bold(fitToLeave(source))} is yours now`);
  if (memoryId !== undefined) print(await takeOver(session, { path: home, memoryId }));
}

/** Returns counts, the fixes that were reported most, the incidents, and who recorded them. */
async function shown(source: string, copy: string, session: Session): Promise<string> {
  const engine = await openEngine({ databasePath: copy, projectRoot: session.root, locale: session.locale });
  try {
    const { total: runs } = await engine.history({ limit: 1 });
    const { patterns, learnedCount } = await engine.patterns({ source: 'learned', limit: MAX_SHOWN_ENTRIES });
    const { lines: exported, total: incidents } = await engine.memoryExport({ limit: MAX_SHOWN_ENTRIES });
    const fixed = patterns.filter(({ suggestedFix }) => suggestedFix !== null);
    const from = await Promise.all(fixed.map(({ id }) => recordedBy(engine, id)));
    return lines([
      `${paint.bold(fitToLeave(source))} was not made by you on this machine. It holds:`,
      indented(`${count(runs, 'run')}, ${count(learnedCount, 'learned pattern')}, ${count(incidents, 'incident')}`),
      ...fixed.map(({ suggestedFix, category }, index) =>
        indented(`${category}: ${paint.yellow(shownLine(suggestedFix ?? ''))}${paint.dim(from[index] ?? '')}`),
      ),
      ...incidentsOf(exported).map((line) => indented(line)),
      'Its fixes will be suggested to you and your agents as known. Adopt only what you know the origin of.',
    ]);
  } finally {
    await engine.close();
  }
}

async function recordedBy(engine: Engine, patternId: string): Promise<string> {
  const [newest] = (await engine.pattern({ id: patternId })).fixHistory;
  if (newest === undefined) return '';
  const { recordedBy: by, recordedFrom: from, createdAt } = newest;
  return shownLine(`  ${by ?? 'unknown'} on ${from ?? 'an unknown machine'}, ${createdAt.slice(0, 10)}`);
}

/** Returns the title of each exported incident, and the first line of each of its solutions. */
function incidentsOf(exported: string): string[] {
  return exported
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const incident: unknown = JSON.parse(line);
      if (typeof incident !== 'object' || incident === null || !('title' in incident)) return [];
      const solutions = 'solutions' in incident && Array.isArray(incident.solutions) ? incident.solutions : [];
      const steps = solutions.map(
        (solution: { steps?: unknown }) => `  ${paint.yellow(shownLine(String(solution.steps)))}`,
      );
      return [shownLine(String(incident.title)), ...steps];
    });
}

/** Shows a text from another user as one line in the terminal. */
function shownLine(text: string): string {
  return shortLine(fitToLeave(text));
}

/** Copies the incidents of the user's own database into the adopted database. Runs and patterns are not copied. */
async function takeOver(
  session: Session,
  { path: beside, memoryId }: Pick<Placement, 'path' | 'memoryId'>,
): Promise<string> {
  const opening = { projectRoot: session.root, ...(memoryId === undefined ? {} : { memoryId }) };
  const from = await openEngine({ ...opening, databasePath: beside, readOnly: true });
  try {
    await session.placement();
    const into = await session.database.durable();
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
    return `${count(incidents, 'incident')} came along from ${fitToLeave(beside)}; what its runs taught stays there`;
  } finally {
    await from.close();
  }
}

function print(text: string): void {
  io().stdout.write(`${text}\n`);
}
