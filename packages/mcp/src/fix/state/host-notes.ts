/**
 * What the host of a loop notes in its state: texts by name, which the rules keep and do not read.
 */

import type { FixState } from 'argus-engine';
import { clipped } from '../../text/untrusted.ts';
import { cleanText, type LoopContext } from '../loop-context.ts';

/** Names of the host's own notes in a state. */
export const NOTE = {
  /** The work tree before the first fix. */
  base: 'base',
  /** The work tree after the last failed attempt. */
  after: 'after',
  /** Mark of the processes that run now. */
  mark: 'mark',
  learned: 'learned',
  /** Where the last error came from: test, build, runtime, logs or k8s. */
  source: 'error_source',
  /** Addresses that research came from, as a list. */
  sources: 'sources',
  /** What attempts left to be said in the report, as a list. */
  said: 'said',
  /** Digest of the inputs of the last attempt. */
  fed: 'fed',
  /** Inputs were made anew because of a prompt. */
  regenerated: 'regenerated',
} as const;

/** A state holds 256 KiB of notes. */
const MAX_NOTE_CHARACTERS = 400;
const MAX_NOTES = 50;

/** A list among the host's notes. */
export function listIn({ host }: FixState, name: string): string[] {
  try {
    const parsed: unknown = JSON.parse(host[name] ?? '[]');
    return Array.isArray(parsed) ? parsed.filter((one): one is string => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

export function withNotes(state: FixState, notes: Record<string, string>): FixState {
  return { ...state, host: { ...state.host, ...notes } };
}

export function withoutNote(state: FixState, name: string): FixState {
  const { [name]: _, ...host } = state.host;
  return { ...state, host };
}

/** Adds to a list, up to what a state may hold. */
export function withListed(
  loopContext: LoopContext,
  state: FixState,
  name: string,
  texts: readonly string[],
): FixState {
  const clean = texts.map((text) => clipped(cleanText(loopContext, text), MAX_NOTE_CHARACTERS));
  const all = [...new Set([...listIn(state, name), ...clean])];
  return withNotes(state, { [name]: JSON.stringify(all.slice(0, MAX_NOTES)) });
}
