/**
 * The state of a loop: the state of its rules, the notes of its host, and its file.
 */

import type { FixAdvanced, FixDecision, FixEvent, FixHostNotes, FixOutlook, FixStart, FixState } from 'argus-engine';
import { clipped } from '../../text/untrusted.ts';
import { cleanText, type LoopContext } from '../loop-context.ts';
import type { StateFolder } from './state-folder.ts';

/** A state holds at most 256 KiB of notes. */
const MAX_NOTE_CHARACTERS = 400;
const MAX_NOTES = 50;

export class LoopState {
  /** True if an event was applied since the state was read. */
  hasAdvanced = false;
  readonly #context: LoopContext;
  readonly #folder: StateFolder;
  #current: FixState;
  #outlook: FixOutlook;

  constructor(loopContext: LoopContext, folder: StateFolder, state: FixState) {
    this.#context = loopContext;
    this.#folder = folder;
    this.#current = state;
    this.#outlook = loopContext.rules.outlook(state);
  }

  get current(): FixState {
    return this.#current;
  }

  get outlook(): FixOutlook {
    return this.#outlook;
  }

  get decision(): FixDecision {
    return this.#outlook.decision;
  }

  /** Returns the result of an event without applying it. */
  advance(event: FixEvent): FixAdvanced {
    return this.#context.rules.advance(this.#current, event);
  }

  /** Takes over the result of an event and writes the state. */
  accept({ state, decision, warnings }: FixAdvanced): void {
    this.hasAdvanced = true;
    this.#current = state;
    this.#outlook = { decision, warnings };
    this.write();
  }

  /** Advances the state, and accepts the result unless the event is refused. */
  apply(event: FixEvent): FixDecision {
    const advanced = this.advance(event);
    if (advanced.decision.type !== 'refused') this.accept(advanced);
    return advanced.decision;
  }

  adjust(wanted: Partial<FixStart>): void {
    this.#current = this.#context.rules.adjust(this.#current, wanted);
    this.write();
  }

  /** Changes the notes of the host. The next write stores them. */
  keep(notes: Partial<FixHostNotes>): void {
    this.#current = { ...this.#current, host: { ...this.#current.host, ...notes } };
  }

  /** Adds texts to a list of the host's notes, up to its limit. */
  remember(list: 'remarks' | 'research_sources', texts: readonly string[]): void {
    const clean = texts.map((text) => clipped(cleanText(this.#context, text), MAX_NOTE_CHARACTERS));
    const all = [...new Set([...this.#current.host[list], ...clean])];
    this.keep({ [list]: all.slice(0, MAX_NOTES) });
  }

  write(): void {
    this.#folder.writeState(this.#current);
  }
}
