/** Schemas and answers of the three tools of the fix loop, with the next step. `fix/` implements the loop. */

import type { Loop } from '../../fix/loop.ts';
import { cleanText, type LoopContext, loopContextOf, type Watcher } from '../../fix/loop-context.ts';
import { type LoopView, viewOf } from '../../fix/report/loop-view.ts';
import type { LoopRecord } from '../../fix/report/record.ts';
import { Tail } from '../../run/execute.ts';
import type { SessionManager } from '../../sessions/session-manager.ts';
import type { Zod } from '../../system/zod.ts';
import type { Output } from './output.ts';
import { withProgress } from './progress.ts';
import type { CallContext } from './tool.ts';

export type FixActionType =
  | 'APPLY_FIX_THEN_ATTEMPT'
  | 'WAIT_THEN_ATTEMPT'
  | 'PROVIDE_INPUTS'
  | 'VERIFY_FIX'
  | 'ESCALATE_TO_HUMAN'
  | 'DONE_RECORDED';

export interface FixAction {
  type: FixActionType;
  instructions: string;
  tool: string;
  /** Complete arguments. An agent may add fields that the instructions name. */
  arguments: Record<string, unknown>;
}

export interface FixAnswer extends LoopView {
  /** The reason why the call was refused. */
  refused?: string;
  /** The report as Markdown, once the loop is over. */
  report?: string;
  next_action: FixAction;
}

export const projectPath = (z: Zod) => z.string().min(1).describe('Absolute path of the project');
export const loop = (z: Zod) => z.string().regex(/^[0-9a-f]{8}$/u, 'must be as an earlier answer gave it');

/** Only the fields that a client must know in advance, because each answer contains the rest. */
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

/** The project need not be opened by argus_init. */
export async function placeAt(projectPath: string, sessionManager: SessionManager): Promise<LoopContext> {
  return loopContextOf(await sessionManager.getOrOpen(projectPath), sessionManager);
}

/** Does work on a loop while an agent waits, and reports its output as progress. */
export function watched<T>(
  loopContext: LoopContext,
  context: CallContext,
  work: (watcher: Watcher) => Promise<T>,
): Promise<T> {
  const begun = (onLine: (line: string) => void) => {
    const tail = new Tail();
    const onOutput = (text: string) => {
      tail.add(text);
      onLine(tail.lastLine);
      return undefined;
    };
    return work({ signal: context.signal, onOutput, onNote: onLine });
  };
  return withProgress(context, begun, (line) => cleanText(loopContext, line));
}

/** Builds the answer after a step. It also gathers the context for the next fix, or writes the report. */
export async function answerOf(
  loopContext: LoopContext,
  loop: Loop,
  watcher: Watcher,
  refused?: string,
): Promise<FixAnswer> {
  const over = loop.decision.is_over;
  if (loop.decision.type === 'apply_fix') await loop.prepareFix(watcher);
  const report = over ? await loop.report(watcher) : undefined;
  return answerFrom(loopContext, loop.record, { refused, report });
}

export function answerFrom(
  { session }: LoopContext,
  record: LoopRecord,
  { refused, report }: { refused?: string | undefined; report?: string | undefined } = {},
): FixAnswer {
  const next = nextAction(record, session.root);
  return {
    ...(refused === undefined ? {} : { refused }),
    ...(refused === undefined ? viewOf(record) : inShort(viewOf(record))),
    ...(report === undefined ? {} : { report }),
    next_action:
      refused === undefined ? next : { ...next, instructions: `Nothing was run. ${refused} ${next.instructions}` },
  };
}

/** Shortens the view after a refused call, because the agent has seen it before and fix_status shows all of it. */
function inShort(view: LoopView): LoopView {
  const failure = view.failure === null ? null : { ...view.failure, output: '' };
  return { ...view, failure, known_solutions: [], context: [], research: null };
}

function nextAction(record: LoopRecord, projectPath: string): FixAction {
  const { state, outlook } = record;
  const { type, reason, approach, delay_seconds } = outlook.decision;
  const base = { projectPath, loop: state.command_hash };
  switch (type) {
    case 'apply_fix':
      return {
        type: 'APPLY_FIX_THEN_ATTEMPT',
        instructions: `${reason} Edit the project's files, then call fix_attempt, with fix: what you changed. A change outside of them goes into outside; addresses you found with research_query into sources. Leave the failing tests as they are.`,
        tool: 'fix_attempt',
        arguments: { ...base, approach: approach?.name ?? 'direct' },
      };
    case 'wait':
    case 'run':
      if (state.status === 'running') return { ...RUNS, arguments: base };
      return {
        type: 'WAIT_THEN_ATTEMPT',
        instructions: `${reason} Call fix_attempt: it waits${delay_seconds > 0 ? ` ${Math.ceil(delay_seconds)} s` : ''} by itself. Nothing need be changed.`,
        tool: 'fix_attempt',
        arguments: base,
      };
    case 'provide_inputs':
      return {
        type: 'PROVIDE_INPUTS',
        instructions: `${reason} Write the answers into .claude/inputs/ (argus-mcp generate-inputs makes the file) and pass its path as inputs. Never invent credentials: ask the user for those.`,
        tool: 'fix_attempt',
        arguments: state.inputs === null ? base : { ...base, inputs: state.inputs },
      };
    case 'done':
      return {
        type: 'DONE_RECORDED',
        instructions: 'It works, and what was learned is recorded. Tell the user what was changed.',
        tool: 'fix_status',
        arguments: base,
      };
    default:
      if (state.status === 'suspicious' && state.attempts.length < state.max_attempts)
        return {
          type: 'APPLY_FIX_THEN_ATTEMPT',
          instructions: `${reason} Call fix_attempt, with fix: what you restored; or, with nothing changed, why the expectation was wrong.`,
          tool: 'fix_attempt',
          arguments: base,
        };
      if (state.status === 'unverified')
        return {
          type: 'VERIFY_FIX',
          instructions: `${reason} Call fix_attempt, with test: a command that verifies it; where none can, with verified: how you did.`,
          tool: 'fix_attempt',
          arguments: base,
        };
      if (state.status === 'cancelled') return { ...CANCELLED, arguments: base };
      return {
        type: 'ESCALATE_TO_HUMAN',
        instructions: `${record.earlier === null ? '' : `${record.earlier} `}${reason} Stop, and give the user the report. ${humanAdvice(record)}`,
        tool: 'fix_status',
        arguments: base,
      };
  }
}

/**
 * The action for a loop that looks busy. Only a call that works on the loop can tell whether it runs or was cut off.
 */
const RUNS = {
  type: 'WAIT_THEN_ATTEMPT',
  instructions:
    'An attempt was begun. While it runs, fix_attempt answers LOOP_BUSY: ask again later. If it was cut off, fix_attempt makes it again.',
  tool: 'fix_attempt',
} as const;

const CANCELLED = {
  type: 'ESCALATE_TO_HUMAN',
  instructions: 'The loop was cancelled. If the user wants it to go on, call fix_attempt: it goes on where it was.',
  tool: 'fix_attempt',
} as const;

/** Advice for steps that only a person may do at a terminal. */
function humanAdvice({ state }: LoopRecord): string {
  if (state.circuit_breaker.state === 'OPEN')
    return 'A human resets the circuit: argus-mcp fix-problem --resume --reset-circuit.';
  if (state.status === 'suspicious') return 'A human decides: argus-mcp fix-problem --resume --accept, or --reject.';
  return '';
}
