/**
 * Runs a fixer between attempts: any program that reads the brief on stdin and edits files. What it did is told by the
 * work tree and the next attempt.
 */

import { devNull } from 'node:os';
import { shortLine } from '../text/untrusted.ts';
import { runAttempt } from './attempt/attempt.ts';
import { cleanText, type LoopContext, type Watcher } from './loop-context.ts';
import { FIX_MARK, OUTSIDE_MARK } from './report/brief.ts';

/** What a shell answers for a program that is not there, and for one that may not be run. */
const NOT_STARTED = new Set([126, 127]);

/** A description is a line or two. */
const MAX_DESCRIPTION_CHARACTERS = 1_000;

export interface AgentRequest {
  command: string;
  /** Markdown. */
  brief: string;
  briefPath: string;
  timeoutSeconds: number;
  /** Found in the environment of everything it starts. */
  mark: string;
}

export interface AgentResult {
  /** What it says it did; null where it says nothing. */
  description: string | null;
  outside: string | null;
  /** What it printed, without secrets. */
  output: string;
  /** How it ended, where that was not well, and what it left. */
  notes: string[];
  /** The shell could not start it, by its exit code: what it says of that. Null where it ran, as far as is known. */
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

/** What an output says of the fix. */
export function declared(output: string): Pick<AgentResult, 'description' | 'outside'> {
  return {
    description: markedLine(output, FIX_MARK) ?? lastParagraph(output),
    outside: markedLine(output, OUTSIDE_MARK),
  };
}

/** The last line with the mark, whatever emphasis stands around it. */
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
