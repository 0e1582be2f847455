/**
 * The input of a command, from existing inputs or from generated inputs. The work is in `inputs/`.
 */

import { createHash } from 'node:crypto';
import type { FixState } from 'argus-engine';
import { io } from '../../system/io.ts';
import { type Feed, resolveInputs } from '../inputs/inputs.ts';
import type { LoopContext } from '../loop-context.ts';

export interface CommandInput extends Feed {
  /** Hash of the input. Equal inputs have equal digests. */
  digest: string | null;
}

export const NO_INPUT: CommandInput = { path: null, missing: [], secrets: [], notes: [], digest: null };

/** Returns the input for a command. A verification gets no input, because the contract has inputs only for commands. */
export async function commandInputFor(
  { session }: LoopContext,
  state: FixState,
  { prompts, signal }: { prompts?: readonly string[] | undefined; signal?: AbortSignal | undefined } = {},
): Promise<CommandInput> {
  if (state.mode !== 'command' || state.command === null) return NO_INPUT;
  const { root } = session;
  const { command, command_hash, auto } = state;
  const now = new Date(io().now()).toISOString();
  const feed = await resolveInputs({
    root,
    command,
    command_hash,
    inputs: state.inputs ?? undefined,
    auto,
    prompts,
    now,
    signal,
  });
  const { input, env } = feed;
  return { ...feed, digest: input === undefined ? null : digestOf(input + (env ? JSON.stringify(env) : '')) };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Returns a message with the questions that only the user can answer, and how to answer them. */
export function missingText({ missing, path }: CommandInput): string {
  const questions = missing.map(({ name, advice }) => `${name}: ${advice}`);
  return `Answers are missing in ${path ?? 'the inputs'}. ${questions.join(' ')}`;
}

/** Removes secrets of the input, because a command may print its input. */
export function withoutSecrets(text: string, { secrets }: CommandInput): string {
  return secrets.reduce(
    (clean, secret) => (secret === '' ? clean : clean.replaceAll(secret, '[REDACTED:input]')),
    text,
  );
}
