/**
 * Wraps the result of a call in an envelope of the contract: data on success, a code and a message on an error. Calls
 * throw errors; only this file catches them.
 */

import type { CallToolResult } from '@modelcontextprotocol/server';
import { EngineError } from 'argus-engine';
import { ArgusError, describeMissingResource, getErrorMessage } from './errors.ts';
import { logUnexpected } from './log.ts';
import { io } from './system/io.ts';
import { sanitize, sanitizeDeep } from './text/sanitize.ts';

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

/** Runs a call and wraps its result. `toBody` converts a thrown value into a code and a message. */
export async function runInEnvelope<T>(call: () => Promise<T>, toBody = toErrorBody): Promise<Envelope<T>> {
  try {
    return { success: true, data: sanitizeDeep(await call()), timestamp: io().now() };
  } catch (thrown) {
    return { success: false, error: await toBody(thrown), timestamp: io().now() };
  }
}

/** Returns the data of a success, or `{ error }` of a failure. */
export function unwrapEnvelope<T>(envelope: Envelope<T>): T | Pick<Failure, 'error'> {
  return envelope.success ? envelope.data : { error: envelope.error };
}

/**
 * Returns the result of an MCP tool call, as text and as structured content. An error is returned as text only, because
 * MCP clients of version 1.x check even errors against the output schema. `bare` leaves out the envelope.
 */
export function toToolResult(envelope: Envelope<object>, bare: boolean): CallToolResult {
  const answer = bare ? unwrapEnvelope(envelope) : envelope;
  const content: CallToolResult['content'] = [{ type: 'text', text: JSON.stringify(answer) }];
  return envelope.success ? { content, structuredContent: { ...answer } } : { content, isError: true };
}

/**
 * Returns the code and message of a thrown value. An unexpected error is written to the log, and the message refers to
 * it.
 */
export async function toErrorBody(thrown: unknown): Promise<Failure['error']> {
  if (thrown instanceof ArgusError) return { code: thrown.code, message: redactSecrets(thrown.message) };
  if (thrown instanceof EngineError && thrown.code !== 'INTERNAL_ERROR') {
    return { code: thrown.code, message: redactSecrets(thrown.message) };
  }
  const resourceMessage = describeMissingResource(thrown);
  if (resourceMessage !== undefined) return { code: 'INTERNAL_ERROR', message: resourceMessage };
  const { id, place } = await logUnexpected(redactSecrets(formatErrorWithCauses(thrown)));
  const message = `Unexpected error, reference ${id}; see ${place} for details. No stored data was lost, and you can repeat the call.`;
  return { code: 'INTERNAL_ERROR', message };
}

/**
 * Like `toErrorBody`, but for a caller on another machine: messages that may contain local paths are written to the log
 * only.
 */
export async function toRemoteErrorBody(thrown: unknown): Promise<Failure['error']> {
  const isCausedByCall = thrown instanceof EngineError && !/^(?:DATABASE_|INTERNAL_)/u.test(thrown.code);
  const isInvalidInput = thrown instanceof ArgusError && thrown.code === 'INVALID_INPUT';
  if (isCausedByCall || isInvalidInput) return toErrorBody(thrown);
  const { id } = await logUnexpected(redactSecrets(formatErrorWithCauses(thrown)));
  const message = `The server cannot do this now; its log has the cause as ${id}. No stored data was lost, and you can repeat the call.`;
  return { code: thrown instanceof EngineError ? thrown.code : 'INTERNAL_ERROR', message };
}

function formatErrorWithCauses(thrown: unknown): string {
  if (!(thrown instanceof Error)) return getErrorMessage(thrown);
  const cause = thrown.cause === undefined ? '' : `\ncaused by ${formatErrorWithCauses(thrown.cause)}`;
  return `${thrown.stack ?? thrown.message}${cause}`;
}

/**
 * Removes secrets from a text. If the engine fails, returns a fixed text, because the unredacted text may contain
 * secrets.
 */
function redactSecrets(text: string): string {
  try {
    return sanitize(text);
  } catch {
    return 'details withheld: the redactor is not available';
  }
}
