/**
 * What the host of a loop notes in its state, which the rules keep and do not read: bounded, and fit to be shown.
 */

import type { FixHostNotes, FixState } from 'argus-engine';
import { clipped } from '../../text/untrusted.ts';
import { cleanText, type LoopContext } from '../loop-context.ts';

/** A state holds 256 KiB of notes. */
const MAX_NOTE_CHARACTERS = 400;
const MAX_NOTES = 50;

export function withNotes(state: FixState, notes: Partial<FixHostNotes>): FixState {
  return { ...state, host: { ...state.host, ...notes } };
}

/** Adds to one of the lists, up to what a state may hold. */
export function withListed(
  loopContext: LoopContext,
  state: FixState,
  list: 'remarks' | 'research_sources',
  texts: readonly string[],
): FixState {
  const clean = texts.map((text) => clipped(cleanText(loopContext, text), MAX_NOTE_CHARACTERS));
  const all = [...new Set([...state.host[list], ...clean])];
  return withNotes(state, { [list]: all.slice(0, MAX_NOTES) });
}
