/**
 * Runs an agent between attempts: any program that reads the brief on stdin and edits files. The work tree and the next
 * attempt show the effect.
 */

import { devNull } from 'node:os';
import { shortLine } from '../text/untrusted.ts';
import { runAttempt } from './attempt/attempt.ts';
import { cleanText, type LoopContext, type Watcher } from './loop-context.ts';
import { FIX_MARK, OUTSIDE_MARK } from './report/brief.ts';

/** Exit codes of a shell for a program that may not be run, and for a program that does not exist. */
const NOT_STARTED = new Set([126, 127]);

/** A description has one or two lines. */
const MAX_DESCRIPTION_CHARACTERS = 1_000;

export interface AgentRequest {
  command: string;
  /** Text in Markdown. */
  brief: string;
  briefPath: string;
  timeoutSeconds: number;
  /** A mark in the environment of every process that the agent starts. */
  mark: string;
}

export interface AgentResult {
  /** The agent's own description of its change. Null without a description. */
  description: string | null;
  outside: string | null;
  /** Output of the agent, without secrets. */
  output: string;
  /** How the agent ended if it failed, and which processes it left. */
  notes: string[];
  /** The shell's message if its exit code shows that it could not start the agent. Null if the agent ran. */
  notStarted: string | null;
}

export async function runAgent(
  loopContext: LoopContext,
  request: AgentRequest,
  watcher: Watcher,
): Promise<AgentResult> {
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
  const output = cleanText(loopContext, text);
  const how = timedOut ? `ended after ${timeoutSeconds} s` : `ended with exit code ${exitCode}`;
  return {
    ...declared(output),
    output,
    notes: exitCode === 0 ? notes : [`The fixer ${how}.`, ...notes],
    notStarted: NOT_STARTED.has(exitCode) ? `exit code ${exitCode}: ${shortLine(output) || command}` : null,
  };
}

/** Reads the description of the fix from an output. */
export function declared(output: string): Pick<AgentResult, 'description' | 'outside'> {
  return {
    description: markedLine(output, FIX_MARK) ?? lastParagraph(output),
    outside: markedLine(output, OUTSIDE_MARK),
  };
}

/** Returns the text of the last line with the mark. Emphasis such as `**` around the mark is ignored. */
function markedLine(output: string, mark: string): string | null {
  const lines = [...output.matchAll(new RegExp(`^[\\s>*_#-]*${mark}[*_]*\\s*(\\S.*)$`, 'gmu'))];
  return lines.at(-1)?.[1]?.trim().slice(0, MAX_DESCRIPTION_CHARACTERS).toWellFormed() ?? null;
}

function lastParagraph(output: string): string | null {
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
