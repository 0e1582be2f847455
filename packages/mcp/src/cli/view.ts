/**
 * The command `view`: shows the memory in a browser, from a server or as an exported file. The page itself is
 * packages/viewer.
 */

import { ArgusError, getErrorMessage } from '../errors.ts';
import { formatExportResult, formatServedViewer } from '../format/project.ts';
import { log } from '../log.ts';
import { formatForeignNote } from '../owner/memory-location.ts';
import type { Session } from '../sessions/session.ts';
import { SessionManager } from '../sessions/session-manager.ts';
import { isStorageProblem } from '../storage/database.ts';
import { io, toAbsolutePath } from '../system/io.ts';
import type { Membership } from '../team/client/membership.ts';
import { sanitizeDeep } from '../text/sanitize.ts';
import { exportPage } from '../view/export.ts';
import { startViewServer } from '../view/view-server.ts';
import { ViewedMemory } from '../view/viewed-memory.ts';
import { EXIT_CODES, waitForEndSignal } from './terminal/exit.ts';
import { startProgress } from './terminal/interaction.ts';
import { type GlobalOptions, getTerminalRecorder, printData } from './terminal/output.ts';

export interface ViewOptions extends GlobalOptions {
  open?: boolean;
  port?: number;
  export?: string;
}

export async function runViewCommand(options: ViewOptions): Promise<void> {
  const sessionManager = new SessionManager({ recorder: getTerminalRecorder(), adoptsForeign: false });
  try {
    const session = await sessionManager.init(toAbsolutePath(options.project), options.config, 'person');
    if (session.historyEnabled) await logForeignNote(session);
    if (options.export !== undefined && session.team !== undefined) throw createTeamExportError(session.team);
    const memory = new ViewedMemory(session);
    await (options.export === undefined ? serveMemory(memory, options) : writePage(memory, options.export, options));
  } finally {
    await sessionManager.closeAll();
  }
}

/** Creates the error for an export of a team's memory, which has no local file that the page could contain. */
function createTeamExportError({ url, project }: Pick<Membership, 'url' | 'project'>): ArgusError {
  const why = "The memory of this repository is on the team's server, so this machine has no file of it.";
  const next = `Open ${url} in a browser, or run argus backup ${project} FILE on the server and open that file with argus view.`;
  return new ArgusError('INVALID_INPUT', `${why} ${next}`);
}

/** Logs a note if the memory is foreign, because the page then shows only the user's own memory. */
async function logForeignNote(session: Session): Promise<void> {
  try {
    const note = formatForeignNote(await session.findMemoryLocation());
    if (note !== undefined) log(note);
  } catch (thrown) {
    // Not an error here, because the page itself shows that the memory cannot be stored anywhere.
    if (!isStorageProblem(thrown)) throw thrown;
  }
}

/** Serves the page until a signal ends the process. */
async function serveMemory(memory: ViewedMemory, options: ViewOptions): Promise<void> {
  const server = await startViewServer(memory, options.port ?? 0);
  const endSignal = waitForEndSignal();
  const { project, database, history } = memory.getMemoryInfo();
  // The address contains a token, so it is only printed to stdout and not logged.
  const served = { url: server.url, port: server.port, ...sanitizeDeep({ project, database }) };
  io().stdout.write(`${options.json ? JSON.stringify(served) : formatServedViewer({ ...served, history })}\n`);
  if (options.open) await openBrowser(server.newTicketUrl(), 'open the address above');
  await endSignal;
  await server.close();
}

async function writePage(memory: ViewedMemory, file: string, options: ViewOptions): Promise<void> {
  const target = toAbsolutePath(file);
  // The exit handlers of io remove a partly written file.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    io().onceSignal(signal, () => io().exit(EXIT_CODES.error));
  const exported = await exportPage(memory, target, (bytes) => startProgress(bytes, 'writing'));
  printData(exported, options.json ?? false, formatExportResult);
  if (options.open) await openBrowser(target, `open ${target} in a browser`);
}

/** Opens a browser. If that fails, logs how the user can open the page. */
async function openBrowser(target: string, advice: string): Promise<void> {
  const logFailure = (reason: string) => log(`could not open a browser (${reason}): ${advice}`);
  try {
    const { default: open } = await import('open');
    const program = await open(target);
    program.once('error', (error) => logFailure(getErrorMessage(error)));
    program.once('exit', (code) => void (code !== 0 && logFailure(`its program exited with code ${code}`)));
  } catch (thrown) {
    logFailure(getErrorMessage(thrown));
  }
}
