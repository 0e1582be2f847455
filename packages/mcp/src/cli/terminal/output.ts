/**
 * Prints the result of a command, as the JSON of the tool or as text for people, and sets the exit code. Also names who
 * records a run, and decides whether a command adopts a foreign database.
 */

import { hostname } from 'node:os';
import type { RecorderOptions } from 'argus-engine';
import { type Envelope, runInEnvelope, unwrapEnvelope } from '../../answer.ts';
import { toCommandLineText } from '../../format/terminal.ts';
import type { Memory } from '../../sessions/memories.ts';
import type { Session } from '../../sessions/session.ts';
import { type ConfigReviser, SessionManager } from '../../sessions/session-manager.ts';
import { isInCi } from '../../system/ci.ts';
import { io, toAbsolutePath } from '../../system/io.ts';
import { sanitizeDeep } from '../../text/sanitize.ts';
import { EXIT_CODES } from './exit.ts';

export interface GlobalOptions {
  project: string;
  config?: string;
  json?: boolean;
}

/** The project of a command. `runProjectCommand` opens it. */
export interface CommandContext {
  projectPath: string;
  sessionManager: SessionManager;
  session: Session;
}

/** The optional project of a command on the debug memory. `runMemoryCommand` opens it. */
interface MemoryCommandContext {
  projectPath: string | undefined;
  sessionManager: SessionManager;
}

/** Options of a command on the debug memory. Without a project, the command uses the user's memory. */
export interface MemoryOptions {
  project?: string;
  config?: string;
  json?: boolean;
}

/** Options of `runProjectCommand`. */
interface ProjectCommandOptions<T> {
  exitCode?: (data: T) => number;
  /** True to adopt a foreign database. */
  adopts?: boolean;
  /** Replaces the configuration of the checkout. */
  reviseConfig?: ConfigReviser;
}

/** Opens the project, runs the command, prints its result and closes the project. */
export async function runProjectCommand<T>(
  options: GlobalOptions,
  call: (workplace: CommandContext) => Promise<T>,
  format: (data: T) => string,
  { exitCode = () => EXIT_CODES.done, adopts = false, reviseConfig }: ProjectCommandOptions<T> = {},
): Promise<void> {
  const sessionManager = new SessionManager({
    recorder: getTerminalRecorder(),
    adoptsForeign: adopts,
    ...chooseLanguage(options),
  });
  const projectPath = toAbsolutePath(options.project);
  const envelope = await runInEnvelope(async () => {
    const session = await sessionManager.init(projectPath, options.config, 'person', reviseConfig);
    return call({ projectPath, sessionManager, session });
  });
  await sessionManager.closeAll();
  printEnvelope(envelope, options.json ?? false, format);
  io().exitCode = envelope.success && isStored(envelope.data) ? exitCode(envelope.data) : EXIT_CODES.error;
}

/** Labels on the command line are English, so built-in tips are English too. JSON is the same as over MCP. */
function chooseLanguage({ json = false }: { json?: boolean }): { language?: 'en' } {
  return json ? {} : { language: 'en' };
}

/**
 * False for a result that is not stored yet. A call that waits for the team's server counts as stored, because an
 * unreachable server is not a problem of this machine.
 */
function isStored(data: unknown): boolean {
  if (typeof data !== 'object' || data === null || !('stored' in data) || data.stored !== false) return true;
  return 'queued' in data && data.queued === true && 'code' in data && String(data.code).startsWith('TEAM_');
}

/**
 * Like `runProjectCommand`, for the tools of the debug memory: their results have no envelope, and the project is
 * optional.
 */
export async function runMemoryCommand<T>(
  options: MemoryOptions,
  call: (workplace: MemoryCommandContext) => Promise<T>,
  format: (data: T) => string,
  exitCode: (data: T) => number = () => EXIT_CODES.done,
): Promise<void> {
  const sessionManager = new SessionManager({
    recorder: getTerminalRecorder(),
    adoptsForeign: false,
    ...chooseLanguage(options),
  });
  const envelope = await runInEnvelope(async () => call(await openMemoryContext(options, sessionManager)));
  await sessionManager.closeAll();
  if (options.json) io().stdout.write(`${JSON.stringify(unwrapEnvelope(envelope))}\n`);
  else printEnvelope(envelope, false, format);
  io().exitCode = envelope.success ? exitCode(envelope.data) : EXIT_CODES.error;
}

/** Runs a function that writes to stdout. Errors are printed as in all commands. */
export async function withMemory(options: MemoryOptions, work: (memory: Memory) => Promise<void>): Promise<void> {
  const sessionManager = new SessionManager({ recorder: getTerminalRecorder(), adoptsForeign: false });
  try {
    const { projectPath } = await openMemoryContext(options, sessionManager);
    await work(await sessionManager.memories.findMemory(projectPath));
    io().exitCode = EXIT_CODES.done;
  } catch (thrown) {
    io().exitCode = await printError(thrown, false);
  } finally {
    await sessionManager.closeAll();
  }
}

async function openMemoryContext(
  options: MemoryOptions,
  sessionManager: SessionManager,
): Promise<MemoryCommandContext> {
  if (options.project === undefined) return { projectPath: undefined, sessionManager };
  const projectPath = toAbsolutePath(options.project);
  await sessionManager.init(projectPath, options.config, 'person');
  return { projectPath, sessionManager };
}

/** Prints an error and returns the exit code. */
export async function printError(thrown: unknown, json: boolean): Promise<number> {
  const envelope = await runInEnvelope<never>(() => Promise.reject(thrown));
  printEnvelope(envelope, json, () => '');
  return EXIT_CODES.error;
}

/** Prints data without an envelope. */
export function printData<T>(data: T, json: boolean, format: (data: T) => string): void {
  const fitting = sanitizeDeep(data);
  io().stdout.write(`${json ? JSON.stringify(fitting) : format(fitting)}\n`);
}

/** Prints a result on stdout, or its error on stderr. */
export function printEnvelope<T>(envelope: Envelope<T>, json: boolean, format: (data: T) => string): void {
  if (json) io().stdout.write(`${JSON.stringify(envelope)}\n`);
  else if (envelope.success) io().stdout.write(`${format(envelope.data)}\n`);
  else io().stderr.write(`${envelope.error.code}: ${toCommandLineText(envelope.error.message)}\n`);
}

/** Returns the recorder of runs: a person at a terminal, otherwise a command line. */
export function getTerminalRecorder(): RecorderOptions {
  return { by: io().isInteractive ? 'person' : 'command line', from: hostname() };
}

/**
 * True if ARGUS_ADOPT=1 is set in CI, because a database from a CI cache belongs to no user of that machine. Only
 * commands that record runs call this. The MCP server does not, because a repository can set the environment of the
 * server.
 */
export function isAdoptionAllowedInCi(): boolean {
  return io().env.ARGUS_ADOPT === '1' && isInCi();
}
