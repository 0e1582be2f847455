/**
 * view: shows the memory in a browser, from a server or as a single exported file. The page itself is packages/viewer.
 */

import { ArgusError, messageOf } from '../errors.ts';
import { formatExported, formatServed } from '../format/project/view-text.ts';
import { log } from '../log.ts';
import { foreignNote } from '../owner/placement.ts';
import type { Session } from '../sessions/session.ts';
import { SessionManager } from '../sessions/session-manager.ts';
import { isStorageProblem } from '../storage/database.ts';
import { absolutePath, io } from '../system/io.ts';
import type { Membership } from '../team/client/membership.ts';
import { fitToLeaveDeep } from '../text/outgoing.ts';
import { exportPage } from '../view/export.ts';
import { startViewServer } from '../view/view-server.ts';
import { ViewedMemory } from '../view/viewed-memory.ts';
import { terminal } from './recorder.ts';
import { EXIT } from './terminal/exit.ts';
import { type GlobalOptions, printData } from './terminal/output.ts';
import { startProgress } from './terminal/progress-bar.ts';

export interface ViewOptions extends GlobalOptions {
  open?: boolean;
  port?: number;
  export?: string;
}

export async function view(options: ViewOptions): Promise<void> {
  const sessionManager = new SessionManager({ recorder: terminal(), adopts: false });
  try {
    const session = await sessionManager.init(absolutePath(options.project), options.config, 'person');
    if (session.historyEnabled) await sayWhose(session);
    if (options.export !== undefined && session.team !== undefined) throw isTeams(session.team);
    const memory = new ViewedMemory(session);
    await (options.export === undefined ? serve(memory, options) : write(memory, options.export, options));
  } finally {
    await sessionManager.closeAll();
  }
}

/**
 * The error for an export of a team's memory. A page holds a copy of a local file, and a team's memory has no local
 * file.
 */
function isTeams({ url, project }: Pick<Membership, 'url' | 'project'>): ArgusError {
  const why = "The memory of this repository is the team's, and there is no file of it here.";
  const next = `Look at it in a browser at ${url}, or let argus backup ${project} FILE write a copy on the server, which argus view shows.`;
  return new ArgusError('INVALID_INPUT', `${why} ${next}`);
}

/** Logs a note if the memory is foreign, because the page then shows only the user's own memory. */
async function sayWhose(session: Session): Promise<void> {
  try {
    const note = foreignNote(await session.placement());
    if (note !== undefined) log(note);
  } catch (thrown) {
    // Not an error here, because the page itself shows that no place for a memory exists.
    if (!isStorageProblem(thrown)) throw thrown;
  }
}

/** Serves the page until a signal ends the process. */
async function serve(memory: ViewedMemory, options: ViewOptions): Promise<void> {
  const server = await startViewServer(memory, options.port ?? 0);
  const ended = signalled();
  const { project, database, history } = memory.about();
  // The address holds a token, so it is printed only for the reader of stdout.
  const served = { url: server.url, port: server.port, ...fitToLeaveDeep({ project, database }) };
  io().stdout.write(`${options.json ? JSON.stringify(served) : formatServed({ ...served, history })}\n`);
  if (options.open) await browse(server.newTicketUrl(), 'open the address above');
  await ended;
  await server.close();
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) io().onceSignal(signal, () => resolve());
  });
}

async function write(memory: ViewedMemory, file: string, options: ViewOptions): Promise<void> {
  const target = absolutePath(file);
  // The exit handlers remove a partly written file.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) io().onceSignal(signal, () => io().exit(EXIT.error));
  const exported = await exportPage(memory, target, (bytes) => startProgress(bytes, 'writing'));
  printData(exported, options.json ?? false, formatExported);
  if (options.open) await browse(target, `open ${target} in a browser`);
}

/** Opens a browser. A machine without a browser only gets a note. */
async function browse(what: string, otherwise: string): Promise<void> {
  const failed = (reason: string) => log(`no browser was opened (${reason}): ${otherwise}`);
  try {
    const { default: open } = await import('open');
    const program = await open(what);
    program.once('error', (error) => failed(messageOf(error)));
    program.once('exit', (code) => void (code !== 0 && failed(`its program ended with ${code}`)));
  } catch (thrown) {
    failed(messageOf(thrown));
  }
}
