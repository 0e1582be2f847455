/**
 * Prints the answers of commands, as the tool's JSON or as text for people, and sets the exit code.
 */

import { type Envelope, enveloped, withoutEnvelope } from '../../answer.ts';
import { withCommands } from '../../format/commands.ts';
import type { Memory } from '../../sessions/memories.ts';
import type { Session } from '../../sessions/session.ts';
import { type ReviseConfig, SessionManager } from '../../sessions/session-manager.ts';
import { absolutePath, io } from '../../system/io.ts';
import { fitToLeaveDeep } from '../../text/outgoing.ts';
import { terminal } from '../recorder.ts';
import { EXIT } from './exit.ts';

export interface GlobalOptions {
  project: string;
  config?: string;
  json?: boolean;
}

/** Passed to a command by `answer`. */
export interface Workplace {
  projectPath: string;
  sessionManager: SessionManager;
  session: Session;
}

/** Passed to a command on the debug memory by `answerBare`. */
interface MemoryPlace {
  projectPath: string | undefined;
  sessionManager: SessionManager;
}

/** Options of a command on the debug memory. Without a project it uses the user's memory. */
export interface MemoryOptions {
  project?: string;
  config?: string;
  json?: boolean;
}

/** Options of `answer`. */
interface AnswerOptions<T> {
  exitCode?: (data: T) => number;
  /** True to adopt a foreign database. */
  adopts?: boolean;
  /** Replaces the configuration of the checkout. */
  revised?: ReviseConfig;
}

/** Opens the project, runs the command, prints its answer and closes the project. */
export async function answer<T>(
  options: GlobalOptions,
  call: (workplace: Workplace) => Promise<T>,
  asText: (data: T) => string,
  { exitCode = () => EXIT.done, adopts = false, revised }: AnswerOptions<T> = {},
): Promise<void> {
  const sessionManager = new SessionManager({ recorder: terminal(), adopts });
  const projectPath = absolutePath(options.project);
  const envelope = await enveloped(async () => {
    const session = await sessionManager.init(projectPath, options.config, 'person', revised);
    return call({ projectPath, sessionManager, session });
  });
  await sessionManager.closeAll();
  print(envelope, options.json ?? false, asText);
  io().exitCode = envelope.success && isStored(envelope.data) ? exitCode(envelope.data) : EXIT.error;
}

/**
 * False for an answer that is not stored yet. A call that waits for the team's server counts as stored, because the
 * server may be away without any problem here.
 */
function isStored(data: unknown): boolean {
  if (typeof data !== 'object' || data === null || !('stored' in data) || data.stored !== false) return true;
  return 'queued' in data && data.queued === true && 'code' in data && String(data.code).startsWith('TEAM_');
}

/** Like `answer`, for tools of the debug memory: their answers have no envelope, and the project is optional. */
export async function answerBare<T>(
  options: MemoryOptions,
  call: (workplace: MemoryPlace) => Promise<T>,
  asText: (data: T) => string,
  exitCode: (data: T) => number = () => EXIT.done,
): Promise<void> {
  const sessionManager = new SessionManager({ recorder: terminal(), adopts: false });
  const envelope = await enveloped(async () => call(await memoryPlace(options, sessionManager)));
  await sessionManager.closeAll();
  if (options.json) io().stdout.write(`${JSON.stringify(withoutEnvelope(envelope))}\n`);
  else print(envelope, false, asText);
  io().exitCode = envelope.success ? exitCode(envelope.data) : EXIT.error;
}

/** Runs work that writes to stdout itself. Errors are printed as in all commands. */
export async function withMemory(options: MemoryOptions, work: (memory: Memory) => Promise<void>): Promise<void> {
  const sessionManager = new SessionManager({ recorder: terminal(), adopts: false });
  try {
    const { projectPath } = await memoryPlace(options, sessionManager);
    await work(await sessionManager.memories.of(projectPath));
    io().exitCode = EXIT.done;
  } catch (thrown) {
    io().exitCode = await fail(thrown, false);
  } finally {
    await sessionManager.closeAll();
  }
}

async function memoryPlace(options: MemoryOptions, sessionManager: SessionManager): Promise<MemoryPlace> {
  if (options.project === undefined) return { projectPath: undefined, sessionManager };
  const projectPath = absolutePath(options.project);
  await sessionManager.init(projectPath, options.config, 'person');
  return { projectPath, sessionManager };
}

/** Prints an error that no command caught, and returns the exit code. */
export async function fail(thrown: unknown, json: boolean): Promise<number> {
  const envelope = await enveloped<never>(() => Promise.reject(thrown));
  print(envelope, json, () => '');
  return EXIT.error;
}

/** Prints an answer without an envelope. */
export function printData<T>(data: T, json: boolean, asText: (data: T) => string): void {
  const fitting = fitToLeaveDeep(data);
  io().stdout.write(`${json ? JSON.stringify(fitting) : asText(fitting)}\n`);
}

/** Prints an answer, or the error on stderr. */
export function print<T>(envelope: Envelope<T>, json: boolean, asText: (data: T) => string): void {
  if (json) io().stdout.write(`${JSON.stringify(envelope)}\n`);
  else if (envelope.success) io().stdout.write(`${asText(envelope.data)}\n`);
  else io().stderr.write(`${envelope.error.code}: ${withCommands(envelope.error.message)}\n`);
}
