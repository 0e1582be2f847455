/** The state of a loop: the state of its rules, the notes of the host, and the file that stores them. */

import type { FixAdvanced, FixDecision, FixEvent, FixHostNotes, FixNextStep, FixStart, FixState } from 'argus-engine';
import { ArgusError } from '../../errors.ts';
import { formatMarkdownLine } from '../../text/markdown.ts';
import { clip } from '../../text/untrusted-text.ts';
import { cleanUntrustedText, type LoopContext } from '../loop-context.ts';
import { listKeptFixes } from '../report/loop-record.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import type { StateFolder } from './state-folder.ts';

/** A state may contain at most 256 KiB of notes. */
const MAX_NOTE_CHARACTERS = 400;
const MAX_NOTES = 50;

export class LoopState {
  /** True if an event was applied since the state was read. */
  hasAdvanced = false;
  readonly #context: LoopContext;
  readonly #folder: StateFolder;
  #current: FixState;
  #nextStep: FixNextStep;

  constructor(loopContext: LoopContext, folder: StateFolder, state: FixState) {
    this.#context = loopContext;
    this.#folder = folder;
    this.#current = state;
    this.#nextStep = loopContext.rules.nextStep(state);
  }

  get current(): FixState {
    return this.#current;
  }

  get nextStep(): FixNextStep {
    return this.#nextStep;
  }

  get decision(): FixDecision {
    return this.#nextStep.decision;
  }

  /** Computes the result of an event without applying it. */
  computeAdvance(event: FixEvent): FixAdvanced {
    return this.#context.rules.advance(this.#current, event);
  }

  /** Applies the result of an event and writes the state. */
  accept({ state, decision, warnings }: FixAdvanced): void {
    this.hasAdvanced = true;
    this.#current = state;
    this.#nextStep = { decision, warnings };
    this.write();
  }

  /** Computes the result of an event, and applies it unless the event is refused. */
  apply(event: FixEvent): FixDecision {
    const advanced = this.computeAdvance(event);
    if (advanced.decision.type !== 'refused') this.accept(advanced);
    return advanced.decision;
  }

  adjust(wanted: Partial<FixStart>): void {
    this.#current = this.#context.rules.adjust(this.#current, wanted);
    this.write();
  }

  /** Changes the notes of the host. The next write stores them. */
  setNotes(notes: Partial<FixHostNotes>): void {
    this.#current = { ...this.#current, host: { ...this.#current.host, ...notes } };
  }

  /** Adds texts to a list of the host's notes, up to the limit of the list. */
  addNotes(list: 'remarks' | 'research_sources', texts: readonly string[]): void {
    const clean = texts.map((text) => clip(cleanUntrustedText(this.#context, text), MAX_NOTE_CHARACTERS));
    const all = [...new Set([...this.#current.host[list], ...clean])];
    this.setNotes({ [list]: all.slice(0, MAX_NOTES) });
  }

  write(): void {
    this.#folder.writeState(this.#current);
  }
}

/* Decides about an earlier loop of the same command: it is archived, or kept until a person decides. */

/** True for a loop that ended and that needs no decision of a person. */
export function canRestart({ status, escalation, circuit_breaker }: FixState): boolean {
  const hasEnded = status === 'escalated' && escalation !== 'no_change_made' && circuit_breaker.state === 'CLOSED';
  return status === 'success' || hasEnded;
}

/** Archives the earlier loop. Returns a message about it. */
export async function archiveLoop(found: FixState, folder: StateFolder, snapshots: Snapshots): Promise<string> {
  await snapshots.archive(found.started.replaceAll(/[^\w-]/gu, '-'));
  const name = folder.archive(found.started);
  const { attempts, started, status } = found;
  const ended = status === 'success' ? 'with success' : 'without success';
  const tried = listKeptFixes(found).map(({ fix_applied, fix_worked }) => {
    return `${formatMarkdownLine(fix_applied ?? '', 120)} (${fix_worked === false ? 'it still failed' : 'the last fix'})`;
  });
  const fixes = tried.length === 0 ? '' : ` Its fixes: ${tried.join('; ')}.`;
  return `The loop of ${started} ended ${ended} after ${attempts.length} attempts; it is in ${name}.${fixes}`;
}

/** Creates the error for a folder whose loop belongs to another command with the same hash. */
export function createForeignLoopError(folder: StateFolder): ArgusError {
  const advice = 'Move the folder away to start a new loop.';
  return new ArgusError('STATE_UNREADABLE', `${folder.getPath('state.json')} belongs to another command. ${advice}`);
}

/**
 * Returns a message to print before the result of an earlier call, if the loop waits for a decision of a person.
 * Returns null for other loops.
 */
export function formatPendingDecision({ status, circuit_breaker, started }: FixState): string | null {
  const isOpen = circuit_breaker.state === 'OPEN';
  if (status !== 'suspicious' && !isOpen) return null;
  const reason = isOpen
    ? 'It is kept because its circuit is open, until a human decides: argus-mcp fix-problem --reset-circuit.'
    : 'It is kept because its green run is suspicious. Restore the tests, or explain why an expectation changed: argus-mcp fix-problem --resume --fix TEXT. A person can decide with --accept or --reject.';
  return `Nothing was run. This is the result of the loop of ${started}. ${reason}`;
}
