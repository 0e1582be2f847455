/**
 * Drives a loop as far as possible without a person: runs, waits, calls the agent, and stops when someone must act.
 */

import { ArgusError } from '../errors.ts';
import { runAgent } from './agent.ts';
import { missingText } from './attempt/command-input.ts';
import type { DeclaredFix, Loop } from './loop.ts';
import type { LoopContext, Watcher } from './loop-context.ts';

/** An agent that changes nothing gets this many tries. */
const MAX_FIXER_TRIES = 2;

export interface DriveOptions {
  /** A program that makes a fix between attempts. */
  agent?: string | undefined;
  agentTimeoutSeconds: number;
  research?: string | undefined;
  /** How a fix was verified if no command can verify it. */
  verified?: string | undefined;
  /** The change since the loop stopped. Given when a person or an agent resumes the loop. */
  fix?: DeclaredFix | undefined;
  /** False if a caller who resumes may have changed nothing; then a refused fix is not reported. Default: true. */
  isFixSaid?: boolean | undefined;
}

/** Why the loop stopped. */
export type Stop = 'over' | 'needs_fix' | 'needs_inputs';

export async function drive(
  loopContext: LoopContext,
  loop: Loop,
  options: DriveOptions,
  watcher: Watcher,
): Promise<Stop> {
  let { fix } = options;
  for (;;) {
    switch (loop.decision.type) {
      case 'run': {
        const input = await loop.input(watcher.signal);
        if (input.missing.length > 0) {
          loop.note(missingText(input));
          return 'needs_inputs';
        }
        await loop.runAttempt(watcher, input);
        break;
      }
      case 'wait':
        await loop.wait(watcher);
        break;
      case 'apply_fix': {
        const refused = fix === undefined ? null : await declined(loop, fix);
        if (fix !== undefined && refused === null) {
          fix = undefined;
          break;
        }
        fix = undefined;
        if (refused !== null && options.isFixSaid !== false) watcher.onNote?.(refused);
        const brief = await loop.prepareFix(watcher, options.research);
        if (options.agent === undefined) return 'needs_fix';
        if (!(await fixed(loopContext, loop, brief, options, watcher))) loop.noChangeMade();
        break;
      }
      case 'provide_inputs': {
        const problem = await loop.answerPrompt(watcher.signal);
        if (problem === null) break;
        loop.note(problem);
        return 'needs_inputs';
      }
      default:
        if (loop.state.status === 'suspicious' && fix !== undefined && options.isFixSaid !== false) {
          const refused = await declined(loop, fix);
          fix = undefined;
          if (refused === null) break;
          loop.note(refused);
        }
        if (loop.state.status === 'unverified' && loop.state.test !== null) {
          await loop.runAttempt(watcher);
          break;
        }
        if (loop.state.status === 'unverified' && options.verified !== undefined) {
          const { type, reason } = await loop.verified(options.verified);
          if (type !== 'refused') break;
          loop.note(reason);
        }
        if (!loop.decision.is_over)
          throw new Error(`a loop that is ${loop.state.status} stopped: ${loop.decision.reason}`);
        return 'over';
    }
  }
}

/** Returns why a fix is refused, or null if it is accepted. */
async function declined(loop: Loop, fix: DeclaredFix): Promise<string | null> {
  const decision = await loop.declareFix(fix);
  return decision.type === 'refused' ? decision.reason : null;
}

async function fixed(
  loopContext: LoopContext,
  loop: Loop,
  brief: string,
  options: DriveOptions,
  watcher: Watcher,
): Promise<boolean> {
  const { agent = '', agentTimeoutSeconds } = options;
  let text = brief;
  for (let tries = 1; tries <= MAX_FIXER_TRIES; tries++) {
    watcher.onNote?.(`fixer: ${agent}`);
    const request = {
      command: agent,
      brief: text,
      briefPath: loop.folder.file('brief.md'),
      timeoutSeconds: agentTimeoutSeconds,
    };
    const { description, outside, output, notes, notStarted } = await loop.marked((mark) =>
      runAgent(loopContext, { ...request, mark }, watcher),
    );
    for (const note of notes) loop.note(note);
    const refused = await declined(loop, { description, outside, output });
    if (refused === null) return true;
    if (notStarted !== null) throw noFixer(notStarted);
    watcher.onNote?.(refused);
    loop.note(`The fixer's change was refused: ${refused}`);
    text = `${brief}\n## Refused\n\n${refused}\n`;
    loop.folder.write('brief.md', text);
  }
  return false;
}

/**
 * The error for an agent that cannot be started. Another try and a change of the code do not help, so the loop waits in
 * its current state.
 */
function noFixer(why: string): ArgusError {
  const advice = 'Name one that can be with --agent, and go on with argus fix-problem --resume.';
  return new ArgusError('COMMAND_FAILED', `The fixer could not be started (${why}). ${advice}`);
}
