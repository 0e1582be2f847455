/** Schemas and answers of the three tools of the fix loop, with the next step. `fix/` implements the loop. */

import type { Loop } from '../../fix/loop.ts';
import { cleanUntrustedText, createLoopContext, type LoopContext, type LoopWatcher } from '../../fix/loop-context.ts';
import type { LoopRecord } from '../../fix/report/loop-record.ts';
import { createLoopView, type LoopView } from '../../fix/report/loop-view.ts';
import { OutputTail } from '../../run/execute.ts';
import type { SessionManager } from '../../sessions/session-manager.ts';
import type { Zod } from '../../system/zod.ts';
import { type CallContext, type Output, withProgress } from './tool.ts';

type FixActionType =
  | 'APPLY_FIX_THEN_ATTEMPT'
  | 'WAIT_THEN_ATTEMPT'
  | 'PROVIDE_INPUTS'
  | 'VERIFY_FIX'
  | 'ESCALATE_TO_HUMAN'
  | 'DONE_RECORDED';

interface FixAction {
  type: FixActionType;
  instructions: string;
  tool: string;
  /** Complete arguments. An agent may add fields that the instructions name. */
  arguments: Record<string, unknown>;
}

export interface FixAnswer extends LoopView {
  /** The reason why the call was rejected. */
  refused?: string;
  /** The report as Markdown, after the end of the loop. */
  report?: string;
  next_action: FixAction;
}

export const projectPath = (z: Zod) => z.string().min(1).describe('Absolute path of the project');
export const loop = (z: Zod) => z.string().regex(/^[0-9a-f]{8}$/u, 'must be the loop id from an earlier answer');

/** Only the fields that a client must know in advance. Each answer contains the other fields. */
export const output = {
  calls: [],
  omits: [],
  adds: (z: Zod) => ({
    loop: z.string(),
    status: z.string(),
    result: z.string(),
    next_action: z.object({ type: z.string(), instructions: z.string() }),
  }),
} as const satisfies Output;

/** Opens the project if argus_init has not opened it. */
export async function openLoopContext(projectPath: string, sessionManager: SessionManager): Promise<LoopContext> {
  return createLoopContext(await sessionManager.getOrOpen(projectPath), sessionManager);
}

/** Works on a loop while an agent waits. Reports its output as progress. */
export function runWithProgress<T>(
  loopContext: LoopContext,
  context: CallContext,
  work: (watcher: LoopWatcher) => Promise<T>,
): Promise<T> {
  const startWork = (onLine: (line: string) => void) => {
    const tail = new OutputTail();
    const onOutput = (text: string) => {
      tail.add(text);
      onLine(tail.lastLine);
      return undefined;
    };
    return work({ signal: context.signal, onOutput, onNote: onLine });
  };
  return withProgress(context, startWork, (line) => cleanUntrustedText(loopContext, line));
}

/** Creates the answer after a step. Also collects the context for the next fix, or creates the report. */
export async function createFixAnswer(
  loopContext: LoopContext,
  loop: Loop,
  watcher: LoopWatcher,
  refusal?: string,
): Promise<FixAnswer> {
  const isOver = loop.decision.is_over;
  if (loop.decision.type === 'apply_fix') await loop.prepareFix(watcher);
  const report = isOver ? await loop.writeReport(watcher) : undefined;
  return formatFixAnswer(loopContext, loop.record, { refused: refusal, report });
}

export function formatFixAnswer(
  { session }: LoopContext,
  record: LoopRecord,
  { refused, report }: { refused?: string | undefined; report?: string | undefined } = {},
): FixAnswer {
  const next = createNextAction(record, session.root);
  return {
    ...(refused === undefined ? {} : { refused }),
    ...(refused === undefined ? createLoopView(record) : removeDetails(createLoopView(record))),
    ...(report === undefined ? {} : { report }),
    next_action:
      refused === undefined ? next : { ...next, instructions: `Nothing was run. ${refused} ${next.instructions}` },
  };
}

/** Shortens the view after a rejected call. The agent has seen the details before, and fix_status shows all of them. */
function removeDetails(view: LoopView): LoopView {
  const failure = view.failure === null ? null : { ...view.failure, output: '' };
  return { ...view, failure, known_solutions: [], context: [], research: null };
}

function createNextAction(record: LoopRecord, projectPath: string): FixAction {
  const { state, nextStep } = record;
  const { type, reason, approach, delay_seconds } = nextStep.decision;
  const baseArguments = { projectPath, loop: state.command_hash };
  switch (type) {
    case 'apply_fix':
      return {
        type: 'APPLY_FIX_THEN_ATTEMPT',
        instructions: `${reason} Edit the project's files, then call fix_attempt and describe the change in fix. Describe a change outside these files in outside, and put URLs found with research_query into sources. Do not change the failing tests.`,
        tool: 'fix_attempt',
        arguments: { ...baseArguments, approach: approach?.name ?? 'direct' },
      };
    case 'wait':
    case 'run':
      if (state.status === 'running') return { ...RUNNING_ACTION, arguments: baseArguments };
      return {
        type: 'WAIT_THEN_ATTEMPT',
        instructions: `${reason} Call fix_attempt: it waits${delay_seconds > 0 ? ` ${Math.ceil(delay_seconds)} s` : ''} by itself. No change is needed.`,
        tool: 'fix_attempt',
        arguments: baseArguments,
      };
    case 'provide_inputs':
      return {
        type: 'PROVIDE_INPUTS',
        instructions: `${reason} Write the answers into a file in .claude/inputs/ (argus-mcp generate-inputs creates it) and pass its path as inputs. Never invent credentials: ask the user for them.`,
        tool: 'fix_attempt',
        arguments: state.inputs === null ? baseArguments : { ...baseArguments, inputs: state.inputs },
      };
    case 'done':
      return {
        type: 'DONE_RECORDED',
        instructions: 'It works, and the fix is recorded. Describe the change to the user.',
        tool: 'fix_status',
        arguments: baseArguments,
      };
    default:
      if (state.status === 'suspicious' && state.attempts.length < state.max_attempts)
        return {
          type: 'APPLY_FIX_THEN_ATTEMPT',
          instructions: `${reason} Restore the tests, call fix_attempt and describe the restored tests in fix. If an expectation was wrong, change nothing and explain that in fix.`,
          tool: 'fix_attempt',
          arguments: baseArguments,
        };
      if (state.status === 'unverified')
        return {
          type: 'VERIFY_FIX',
          instructions: `${reason} Call fix_attempt with a command that verifies the fix in test. If no command can, describe in verified how you verified the fix.`,
          tool: 'fix_attempt',
          arguments: baseArguments,
        };
      if (state.status === 'cancelled') return { ...CANCELLED_ACTION, arguments: baseArguments };
      return {
        type: 'ESCALATE_TO_HUMAN',
        instructions: `${record.earlier === null ? '' : `${record.earlier} `}${reason} Stop and give the user the report. ${formatUserAdvice(record)}`,
        tool: 'fix_status',
        arguments: baseArguments,
      };
  }
}

/**
 * The action for a loop that seems to be running. Only a call that works on the loop can detect whether it is running
 * or was interrupted.
 */
const RUNNING_ACTION = {
  type: 'WAIT_THEN_ATTEMPT',
  instructions:
    'An attempt is running or was cut off. While it runs, fix_attempt returns LOOP_BUSY: call it again later. If it was cut off, fix_attempt repeats it.',
  tool: 'fix_attempt',
} as const;

const CANCELLED_ACTION = {
  type: 'ESCALATE_TO_HUMAN',
  instructions: 'The loop was cancelled. If the user wants to continue, call fix_attempt.',
  tool: 'fix_attempt',
} as const;

/** Returns advice about steps that only a user may do at a terminal. */
function formatUserAdvice({ state }: LoopRecord): string {
  if (state.circuit_breaker.state === 'OPEN')
    return 'A human resets the circuit: argus-mcp fix-problem --resume --reset-circuit.';
  if (state.status === 'suspicious') return 'A human decides: argus-mcp fix-problem --resume --accept, or --reject.';
  return '';
}
