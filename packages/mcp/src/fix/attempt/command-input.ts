/**
 * What a command is given to read, out of the inputs that are there or are made for it. Finding and making inputs:
 * `inputs/`.
 */

import { createHash } from 'node:crypto';
import type { FixState } from 'argus-engine';
import type { Program } from '../../run/execute.ts';
import { io } from '../../system/io.ts';
import { type DeferredInput, type ResolvedInputs, resolveInputs } from '../inputs/resolve-inputs.ts';
import type { LoopContext } from '../loop-context.ts';

export interface CommandInput {
  input?: string | undefined;
  program?: Program | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  /** Values that no log may show. */
  secrets: readonly string[];
  /** Of the inputs file; null where the command is given nothing. */
  path: string | null;
  /** The same for the same inputs. */
  digest: string | null;
  /** Questions that nobody but the user can answer. */
  missing: DeferredInput[];
  notes: string[];
}

export const NO_INPUT: CommandInput = { secrets: [], path: null, digest: null, missing: [], notes: [] };

/** A verification is given nothing: the contract has inputs for commands only. */
export async function commandInputFor(
  { session }: LoopContext,
  state: FixState,
  { prompts, signal }: { prompts?: readonly string[] | undefined; signal?: AbortSignal | undefined } = {},
): Promise<CommandInput> {
  if (state.mode !== 'command' || state.command === null) return NO_INPUT;
  const resolved = await resolveInputs({
    root: session.root,
    command: state.command,
    command_hash: state.command_hash,
    inputs: state.inputs ?? undefined,
    auto: state.auto,
    again: prompts === undefined ? undefined : { prompts },
    now: new Date(io().now()).toISOString(),
    signal,
  });
  return feedOf(resolved);
}

function feedOf(resolved: ResolvedInputs): CommandInput {
  const { kind, path, secrets, warnings: notes } = resolved;
  if (kind === 'none') return { ...NO_INPUT, notes };
  const missing = resolved.deferred.filter(({ required }) => required);
  const common = { path, secrets, missing, notes };
  if (kind === 'pipe') return { ...common, input: resolved.stdin, digest: digestOf(resolved.stdin) };
  const { script, env } = resolved;
  const program = { file: resolved.expect, args: ['-'] };
  return { ...common, program, env, input: script, digest: digestOf(script + JSON.stringify(env)) };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** What only the user can say, and how. */
export function missingText({ missing, path }: CommandInput): string {
  const questions = missing.map(({ name, advice }) => `${name}: ${advice}`);
  return `Answers are missing in ${path ?? 'the inputs'}. ${questions.join(' ')}`;
}

/** A command may show what it was given. */
export function withoutSecrets(text: string, { secrets }: CommandInput): string {
  return secrets.reduce(
    (clean, secret) => (secret === '' ? clean : clean.replaceAll(secret, '[REDACTED:input]')),
    text,
  );
}
