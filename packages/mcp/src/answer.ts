/**
 * Wraps answers in an envelope. Errors are caught only here.
 */

import type { CallToolResult } from '@modelcontextprotocol/server';
import { EngineError } from 'argus-engine';
import { ArgusError, lackBehind, messageOf } from './errors.ts';
import { logUnexpected } from './log.ts';
import { io } from './system/io.ts';
import { fitToLeave, fitToLeaveDeep } from './text/outgoing.ts';

export interface Success<T> {
  success: true;
  data: T;
  timestamp: number;
}

export interface Failure {
  success: false;
  error: { code: string; message: string };
  timestamp: number;
}

export type Envelope<T> = Success<T> | Failure;

/** Runs one call. `toBody` converts whatever it throws into a code and a message. */
export async function enveloped<T>(call: () => Promise<T>, toBody = toErrorBody): Promise<Envelope<T>> {
  try {
    return { success: true, data: fitToLeaveDeep(await call()), timestamp: io().now() };
  } catch (thrown) {
    return { success: false, error: await toBody(thrown), timestamp: io().now() };
  }
}

/** Returns the data without the envelope, or `{"error"}`. */
export function withoutEnvelope<T>(envelope: Envelope<T>): T | Pick<Failure, 'error'> {
  return envelope.success ? envelope.data : { error: envelope.error };
}

/**
 * Returns the answer as text and as structured content. An error is text only, because clients of version 1.x check
 * even errors against the output schema.
 */
export function toToolResult(envelope: Envelope<object>, bare: boolean): CallToolResult {
  const answer = bare ? withoutEnvelope(envelope) : envelope;
  const content: CallToolResult['content'] = [{ type: 'text', text: JSON.stringify(answer) }];
  return envelope.success ? { content, structuredContent: { ...answer } } : { content, isError: true };
}

/**
 * Returns the code and message of a thrown value. An unexpected error is written to the log, and the message refers to
 * it.
 */
export async function toErrorBody(thrown: unknown): Promise<Failure['error']> {
  if (thrown instanceof ArgusError) return { code: thrown.code, message: withoutSecrets(thrown.message) };
  if (thrown instanceof EngineError && thrown.code !== 'INTERNAL_ERROR') {
    return { code: thrown.code, message: withoutSecrets(thrown.message) };
  }
  const lack = lackBehind(thrown);
  if (lack !== undefined) return { code: 'INTERNAL_ERROR', message: lack };
  const { id, place } = await logUnexpected(withoutSecrets(fullText(thrown)));
  const message = `Unexpected error, reference ${id}; details are in ${place}. Nothing stored was lost; the call may be repeated.`;
  return { code: 'INTERNAL_ERROR', message };
}

/** Like `toErrorBody`, but for a caller on another machine: messages that can contain local paths go to the log only. */
export async function toDistantErrorBody(thrown: unknown): Promise<Failure['error']> {
  const isOfCall = thrown instanceof EngineError && !/^(?:DATABASE_|INTERNAL_)/u.test(thrown.code);
  const isInput = thrown instanceof ArgusError && thrown.code === 'INVALID_INPUT';
  if (isOfCall || isInput) return toErrorBody(thrown);
  const { id } = await logUnexpected(withoutSecrets(fullText(thrown)));
  const message = `The server cannot do this now; its log has the cause as ${id}. Nothing stored was lost; the call may be repeated.`;
  return { code: thrown instanceof EngineError ? thrown.code : 'INTERNAL_ERROR', message };
}

function fullText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return messageOf(thrown);
  const cause = thrown.cause === undefined ? '' : `\ncaused by ${fullText(thrown.cause)}`;
  return `${thrown.stack ?? thrown.message}${cause}`;
}

/**
 * Removes secrets. If the engine itself failed, returns a fixed text, because an unredacted text could hold secrets.
 */
function withoutSecrets(text: string): string {
  try {
    return fitToLeave(text);
  } catch {
    return 'details withheld: the redactor is not available';
  }
}
