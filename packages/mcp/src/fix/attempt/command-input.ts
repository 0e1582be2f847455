/**
 * The input of a command, from an existing or generated inputs file. The code that finds and generates the answers is
 * in `inputs/`.
 */

import { createHash } from 'node:crypto';
import type { FixState } from 'argus-engine';
import { io } from '../../system/io.ts';
import { type ResolvedInputs, resolveInputs } from '../inputs/inputs.ts';
import type { LoopContext } from '../loop-context.ts';

export interface CommandInput extends ResolvedInputs {
  /** Hash of the input. Null if there is no input. */
  digest: string | null;
}

export const NO_INPUT: CommandInput = { path: null, missing: [], secrets: [], notes: [], digest: null };

/**
 * Returns the input of the loop's command. A verification gets no input, because the contract defines inputs only for
 * commands.
 */
export async function resolveCommandInput(
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
  return { ...feed, digest: input === undefined ? null : hashText(input + (env ? JSON.stringify(env) : '')) };
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Returns a message with the prompts that only the user can answer, and how to answer them. */
export function formatMissingAnswers({ missing, path }: CommandInput): string {
  const questions = missing.map(({ name, advice }) => `${name}: ${advice}`);
  return `Answers are missing in ${path ?? 'the inputs'}. ${questions.join(' ')}`;
}

/** Removes the secrets of the input from a text, because a command may print its input. */
export function redactInputSecrets(text: string, { secrets }: CommandInput): string {
  return secrets.reduce(
    (clean, secret) => (secret === '' ? clean : clean.replaceAll(secret, '[REDACTED:input]')),
    text,
  );
}
