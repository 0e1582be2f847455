/**
 * How commands answer: the tool's JSON, or text for people; and their exit codes.
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

/** What a command works with. */
export interface Workplace {
  projectPath: string;
  sessionManager: SessionManager;
  session: Session;
}

/** What a command on the debug memory works with. */
interface MemoryPlace {
  projectPath: string | undefined;
  sessionManager: SessionManager;
}

/** Of a command on the debug memory: without a project it is the user's. */
export interface MemoryOptions {
  project?: string;
  config?: string;
  json?: boolean;
}

/** How a command ends, and what it may do. */
interface AnswerOptions<T> {
  exitCode?: (data: T) => number;
  /** A database that nobody knows here is made this user's. */
  adopts?: boolean;
  /** Replaces the configuration of the checkout. */
  revised?: ReviseConfig;
}

/** Opens the project, runs the command, prints its answer, closes the project. */
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
 * An answer that is shown and waits to be stored is no success; but where it waits for a team's server, which may be
 * away without anything being wrong here.
 */
function isStored(data: unknown): boolean {
  if (typeof data !== 'object' || data === null || !('stored' in data) || data.stored !== false) return true;
  return 'queued' in data && data.queued === true && 'code' in data && String(data.code).startsWith('TEAM_');
}

/** The same for the tools of the debug memory, whose answers have no envelope; the project is optional. */
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

/** Work that writes to stdout by itself; an error is printed as everywhere. */
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

/** An error that no command has caught. */
export async function fail(thrown: unknown, json: boolean): Promise<number> {
  const envelope = await enveloped<never>(() => Promise.reject(thrown));
  print(envelope, json, () => '');
  return EXIT.error;
}

/** Prints an answer that has no envelope. */
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
