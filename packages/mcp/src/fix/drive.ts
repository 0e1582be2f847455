/**
 * Advances a loop as far as possible without a person: runs the command, waits, calls the agent, and stops when someone
 * must act.
 */

import { devNull } from 'node:os';
import { ArgusError } from '../errors.ts';
import { toShortLine } from '../text/untrusted-text.ts';
import { runAttempt } from './attempt/attempt.ts';
import { formatMissingAnswers } from './attempt/command-input.ts';
import type { DeclaredFix, Loop } from './loop.ts';
import { cleanUntrustedText, type LoopContext, type LoopWatcher } from './loop-context.ts';
import { FIX_MARK, OUTSIDE_MARK } from './report/brief.ts';

/** How often an agent is called if it changes nothing. */
const MAX_AGENT_TRIES = 2;

export interface DriveOptions {
  /** Command line of a program that makes a fix between attempts. */
  agent?: string | undefined;
  agentTimeoutSeconds: number;
  research?: string | undefined;
  /** How the user verified a fix that no command can verify. */
  verified?: string | undefined;
  /** The change since the loop stopped. Set if a person or an agent resumes the loop. */
  fix?: DeclaredFix | undefined;
  /**
   * False if the caller who resumes may not have changed anything; then a refused fix is not reported. Default: true.
   */
  claimsChange?: boolean | undefined;
}

/** Why the loop stopped. */
export type StopReason = 'over' | 'needs_fix' | 'needs_inputs';

export async function driveLoop(
  loopContext: LoopContext,
  loop: Loop,
  options: DriveOptions,
  watcher: LoopWatcher,
): Promise<StopReason> {
  let { fix } = options;
  for (;;) {
    switch (loop.decision.type) {
      case 'run': {
        const input = await loop.resolveInput(watcher.signal);
        if (input.missing.length > 0) {
          loop.note(formatMissingAnswers(input));
          return 'needs_inputs';
        }
        await loop.runAttempt(watcher, input);
        break;
      }
      case 'wait':
        await loop.wait(watcher);
        break;
      case 'apply_fix': {
        const refusal = fix === undefined ? null : await declareAndGetRefusal(loop, fix);
        if (fix !== undefined && refusal === null) {
          fix = undefined;
          break;
        }
        fix = undefined;
        if (refusal !== null && options.claimsChange !== false) watcher.onNote?.(refusal);
        const brief = await loop.prepareFix(watcher, options.research);
        if (options.agent === undefined) return 'needs_fix';
        if (!(await runAgentUntilAccepted(loopContext, loop, brief, options, watcher))) loop.recordNoChange();
        break;
      }
      case 'provide_inputs': {
        const problem = await loop.answerPrompt(watcher.signal);
        if (problem === null) break;
        loop.note(problem);
        return 'needs_inputs';
      }
      default:
        if (loop.state.status === 'suspicious' && fix !== undefined && options.claimsChange !== false) {
          const refusal = await declareAndGetRefusal(loop, fix);
          fix = undefined;
          if (refusal === null) break;
          loop.note(refusal);
        }
        if (loop.state.status === 'unverified' && loop.state.test !== null) {
          await loop.runAttempt(watcher);
          break;
        }
        if (loop.state.status === 'unverified' && options.verified !== undefined) {
          const { type, reason } = await loop.confirmFix(options.verified);
          if (type !== 'refused') break;
          loop.note(reason);
        }
        if (!loop.decision.is_over)
          throw new Error(`a loop that is ${loop.state.status} stopped: ${loop.decision.reason}`);
        return 'over';
    }
  }
}

/** Declares a fix. Returns why the rules refuse it, or null if they accept it. */
async function declareAndGetRefusal(loop: Loop, fix: DeclaredFix): Promise<string | null> {
  const decision = await loop.declareFix(fix);
  return decision.type === 'refused' ? decision.reason : null;
}

async function runAgentUntilAccepted(
  loopContext: LoopContext,
  loop: Loop,
  brief: string,
  options: DriveOptions,
  watcher: LoopWatcher,
): Promise<boolean> {
  const { agent = '', agentTimeoutSeconds } = options;
  let text = brief;
  for (let tries = 1; tries <= MAX_AGENT_TRIES; tries++) {
    watcher.onNote?.(`fixer: ${agent}`);
    const request = {
      command: agent,
      brief: text,
      briefPath: loop.folder.getPath('brief.md'),
      timeoutSeconds: agentTimeoutSeconds,
    };
    const { description, outside, output, notes, startFailure } = await loop.runWithMark((mark) =>
      runAgent(loopContext, { ...request, mark }, watcher),
    );
    for (const note of notes) loop.note(note);
    const refusal = await declareAndGetRefusal(loop, { description, outside, output });
    if (refusal === null) return true;
    if (startFailure !== null) throw createAgentStartError(startFailure);
    watcher.onNote?.(refusal);
    loop.note(`The fixer's change was rejected: ${refusal}`);
    text = `${brief}\n## Refused\n\n${refusal}\n`;
    loop.folder.write('brief.md', text);
  }
  return false;
}

/**
 * Creates the error for an agent that cannot be started. The loop stays in its current state, because neither another
 * attempt nor a code change helps.
 */
function createAgentStartError(why: string): ArgusError {
  const advice = 'Name a working fixer with --agent, then continue with argus fix-problem --resume.';
  return new ArgusError('COMMAND_FAILED', `The fixer could not be started (${why}). ${advice}`);
}

/** Exit codes of a shell for a program that cannot be executed and for a program that does not exist. */
const NOT_STARTED_EXIT_CODES = new Set([126, 127]);

/** A description has one or two lines. */
const MAX_DESCRIPTION_CHARACTERS = 1_000;

interface AgentRequest {
  command: string;
  /** Text in Markdown. */
  brief: string;
  briefPath: string;
  timeoutSeconds: number;
  /** A mark in the environment of every process that the agent starts, to find these processes later. */
  mark: string;
}

interface AgentResult {
  /** The agent's description of its change. Null if there is none. */
  description: string | null;
  /** The agent's description of a change outside the project's files. Null if there is none. */
  outside: string | null;
  /** Output of the agent, without secrets. */
  output: string;
  /** How the agent failed, and which processes it left behind. */
  notes: string[];
  /** The shell's message if the agent could not be started. Null if the agent ran. */
  startFailure: string | null;
}

/**
 * Runs an agent, which is any program that reads the brief on stdin and edits files. The work tree and the next attempt
 * show whether the fix helped.
 */
async function runAgent(loopContext: LoopContext, request: AgentRequest, watcher: LoopWatcher): Promise<AgentResult> {
  const { command, brief, briefPath, timeoutSeconds, mark } = request;
  const { exitCode, timedOut, text, notes } = await runAttempt({
    command,
    cwd: loopContext.session.root,
    timeoutSeconds,
    logPath: devNull,
    mark,
    redact: (text) => text,
    env: { ARGUS_BRIEF: briefPath },
    input: brief,
    signal: watcher.signal,
    onOutput: watcher.onOutput,
  });
  const output = cleanUntrustedText(loopContext, text);
  const how = timedOut ? `stopped after ${timeoutSeconds} s` : `ended with exit code ${exitCode}`;
  return {
    ...parseDescriptions(output),
    output,
    notes: exitCode === 0 ? notes : [`The fixer ${how}.`, ...notes],
    startFailure: NOT_STARTED_EXIT_CODES.has(exitCode)
      ? `exit code ${exitCode}: ${toShortLine(output) || command}`
      : null,
  };
}

/** Reads the descriptions of the fix from the output of an agent. */
function parseDescriptions(output: string): Pick<AgentResult, 'description' | 'outside'> {
  return {
    description: findMarkedLine(output, FIX_MARK) ?? getLastParagraph(output),
    outside: findMarkedLine(output, OUTSIDE_MARK),
  };
}

/** Returns the text of the last line that starts with the mark. Ignores emphasis such as `**` around the mark. */
function findMarkedLine(output: string, mark: string): string | null {
  const lines = [...output.matchAll(new RegExp(`^[\\s>*_#-]*${mark}[*_]*\\s*(\\S.*)$`, 'gmu'))];
  return lines.at(-1)?.[1]?.trim().slice(0, MAX_DESCRIPTION_CHARACTERS).toWellFormed() ?? null;
}

function getLastParagraph(output: string): string | null {
  const paragraph =
    output
      .trim()
      .split(/\n\s*\n/u)
      .at(-1)
      ?.trim() ?? '';
  return paragraph === ''
    ? null
    : paragraph
        .replaceAll(/\s+/gu, ' ')
        .slice(0, MAX_DESCRIPTION_CHARACTERS / 2)
        .toWellFormed();
}
