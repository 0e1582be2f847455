/**
 * How commands answer: the tool's JSON, or text for people; and their exit codes.
 * Does not: know any command.
 */

import path from 'node:path';
import { type Envelope, enveloped } from '../answer.ts';
import { type Session, SessionManager } from '../session.ts';

/** Documented in --help. */
export const EXIT = { done: 0, failures: 1, error: 2 } as const;

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

/** Opens the project, runs the command, prints its answer, closes the project. */
export async function answer<T>(
  options: GlobalOptions,
  call: (workplace: Workplace) => Promise<T>,
  asText: (data: T) => string,
  exitCode: (data: T) => number = () => EXIT.done,
): Promise<void> {
  const sessionManager = new SessionManager();
  const projectPath = path.resolve(options.project);
  const envelope = await enveloped(async () => {
    const session = await sessionManager.init(projectPath, options.config);
    return call({ projectPath, sessionManager, session });
  });
  await sessionManager.closeAll();
  print(envelope, options.json ?? false, asText);
  process.exitCode = envelope.success ? exitCode(envelope.data) : EXIT.error;
}

/** An error that no command has caught. */
export async function fail(thrown: unknown, json: boolean): Promise<number> {
  const envelope = await enveloped<never>(() => Promise.reject(thrown));
  print(envelope, json, () => '');
  return EXIT.error;
}

function print<T>(envelope: Envelope<T>, json: boolean, asText: (data: T) => string): void {
  if (json) process.stdout.write(`${JSON.stringify(envelope)}\n`);
  else if (envelope.success) process.stdout.write(`${asText(envelope.data)}\n`);
  else process.stderr.write(`${envelope.error.code}: ${envelope.error.message}\n`);
}
