/**
 * fix-problem: drives a loop from the terminal or a script. The options are in fix-program.ts, the work is in `fix/`.
 */

import { text as readText } from 'node:stream/consumers';
import { z } from 'zod';
import { enveloped, withoutEnvelope } from '../../answer.ts';
import { userConfig } from '../../config/user.ts';
import { ArgusError } from '../../errors.ts';
import { type DriveOptions, drive, type Stop } from '../../fix/drive.ts';
import { Loop } from '../../fix/loop.ts';
import { type LoopContext, loopContextOf, type Watcher } from '../../fix/loop-context.ts';
import { reportData } from '../../fix/report/loop-view.ts';
import { inputsMarkdown } from '../../fix/report/report.ts';
import type { WantedFix } from '../../fix/start-fields.ts';
import { startShape } from '../../fix/start-input.ts';
import { withCommands } from '../../format/commands.ts';
import { paint } from '../../format/terminal.ts';
import { SessionManager } from '../../sessions/session-manager.ts';
import { absolutePath, io } from '../../system/io.ts';
import { visible } from '../../text/untrusted.ts';
import { terminal } from '../recorder.ts';
import { cancelledBySignals } from '../terminal/cancel.ts';
import { passOn } from '../terminal/lines.ts';
import { startValues } from './start-options.ts';

/** Exit codes, which --help documents. */
const EXIT = { fixed: 0, notFixed: 1, error: 2, needsFix: 3, needsInputs: 4, cancelled: 130 } as const;

/** An agent reads, thinks and edits, so half an hour is a generous limit for a fix. */
const AGENT_TIMEOUT_SECONDS = 1_800;

/** Options of this program. Options that describe the goal of the loop are in start-options.ts. */
export interface FixOptions {
  /** False for no agent, even if the user's configuration has an agent. */
  agent?: string | false;
  agentTimeout?: number;
  research?: string;
  resume?: boolean;
  fix?: string;
  outside?: string;
  verified?: string;
  accept?: string | true;
  reject?: string | true;
  resetCircuit?: boolean;
  project: string;
  config?: string;
  json?: boolean;
}

/** The result of the command for its caller. */
interface Outcome {
  exitCode: number;
  /** Text for people. */
  text: string;
  /** Printed with --json. */
  data: object;
}

export async function fixProblem(error: string | undefined, options: FixOptions): Promise<void> {
  const sessionManager = new SessionManager({ recorder: terminal(), adopts: false });
  const watcher = terminalWatcher();
  const envelope = await enveloped(async () => {
    const session = await sessionManager.init(absolutePath(options.project), options.config, 'person');
    const given = error === '-' ? await readText(io().stdin) : error;
    // A human decides about an existing loop, so a decision implies --resume.
    const resume = options.resume === true || hasDecided(options);
    const agent = options.agent ?? (await userConfig(session.project)).fix?.agent ?? false;
    return fixed(loopContextOf(session, sessionManager), given, { ...options, resume, agent }, watcher);
  });
  await sessionManager.closeAll();
  if (envelope.success) {
    const { text, data, exitCode } = envelope.data;
    io().exitCode = exitCode;
    io().stdout.write(options.json ? `${JSON.stringify(data)}\n` : `${text.trimEnd()}\n`);
    return;
  }
  if (options.json) io().stdout.write(`${JSON.stringify(withoutEnvelope(envelope))}\n`);
  else io().stderr.write(`${envelope.error.code}: ${withCommands(envelope.error.message)}\n`);
  io().exitCode = envelope.error.code === 'CANCELLED' ? EXIT.cancelled : EXIT.error;
}

async function fixed(
  loopContext: LoopContext,
  error: string | undefined,
  options: FixOptions,
  watcher: Watcher,
): Promise<Outcome> {
  const wanted = wantedFix(error, options);
  const loop = await opened(loopContext, wanted, options);
  try {
    if (loop.continued)
      watcher.onNote?.(`going on with ${loop.folder.shown} (${loop.state.status.replaceAll('_', ' ')})`);
    await decide(loop, options);
    if (options.resume) loop.adjust(wanted);
    for (const note of loop.notes) watcher.onNote?.(note);
    const stop = await drive(loopContext, loop, driveOptions(loop, options), watcher);
    return await outcomeOf(loop, stop, watcher);
  } finally {
    loop.close();
  }
}

async function opened(loopContext: LoopContext, wanted: WantedFix, { resume }: FixOptions): Promise<Loop> {
  if (!resume) return Loop.start(loopContext, wanted);
  if (wanted.command === undefined && wanted.error === undefined) return Loop.reopen(loopContext, undefined);
  // A resumed loop keeps its own description of the goal.
  const { command_hash } = loopContext.rules.begin({ ...wanted, desired: wanted.desired || '-', started: '-' });
  return Loop.reopen(loopContext, command_hash);
}

function wantedFix(error: string | undefined, options: FixOptions): WantedFix {
  const given = { ...startValues(options), ...(error === undefined ? {} : { error }) };
  const wanted = z.strictObject(startShape(z)).parse({ desired: '', ...given });
  if (!wanted.desired.trim() && !options.resume) {
    throw new ArgusError('INVALID_INPUT', '--desired is required: say in a few words what should happen instead.');
  }
  if (wanted.command !== undefined && wanted.test !== undefined) {
    throw new ArgusError('INVALID_INPUT', '--test belongs to error mode; with --command the command verifies itself.');
  }
  return wanted;
}

/**
 * Applies the decisions of a human before the loop continues. Throws, without running anything, if a decision does not
 * apply.
 */
async function decide(loop: Loop, options: FixOptions): Promise<void> {
  const { accept, reject, resetCircuit } = options;
  if (accept !== undefined && (await loop.isOutdated())) {
    const advice = 'Go back to what ran, or call --reject: then what is there now is run.';
    throw new ArgusError(
      'INVALID_INPUT',
      `The work tree is not as it was in the run that would be accepted. ${advice}`,
    );
  }
  const decisions = [
    ...(resetCircuit ? [loop.resetCircuit()] : []),
    ...(accept === undefined ? [] : [loop.humanDecided('accept', noteOf(accept))]),
    ...(reject === undefined ? [] : [loop.humanDecided('reject', noteOf(reject))]),
  ];
  const refused = decisions.find(({ type }) => type === 'refused');
  if (refused !== undefined) throw new ArgusError('INVALID_INPUT', refused.reason);
}

function hasDecided({ accept, reject, resetCircuit }: FixOptions): boolean {
  return accept !== undefined || reject !== undefined || resetCircuit === true;
}

function noteOf(given: string | true): string | null {
  return given === true ? null : given;
}

/** Resuming means that something was changed, unless an agent is configured to make the change. */
function driveOptions(loop: Loop, options: FixOptions): DriveOptions {
  const { fix = null, outside = null, research, verified } = options;
  const agent = options.agent === false ? undefined : options.agent;
  const says = fix !== null || outside !== null;
  const goesOn = loop.continued && (says || agent === undefined);
  return {
    agent,
    agentTimeoutSeconds: options.agentTimeout ?? AGENT_TIMEOUT_SECONDS,
    research,
    verified,
    fix: goesOn ? { description: fix, outside } : undefined,
    isFixSaid: says || !hasDecided(options),
  };
}

async function outcomeOf(loop: Loop, stop: Stop, watcher: Watcher): Promise<Outcome> {
  const text = await textOf(loop, stop, watcher);
  const exitCode = exitCodeOf(loop, stop);
  const data = { exit_status: exitCode, stopped: stop, ...reportData(loop.record) };
  if (stop === 'needs_fix')
    watcher.onNote?.('change something, then: argus fix-problem --resume [--fix TEXT] [--outside TEXT]');
  return { exitCode, text, data };
}

async function textOf(loop: Loop, stop: Stop, watcher: Watcher): Promise<string> {
  if (stop === 'needs_fix') return loop.prepareFix(watcher);
  if (stop === 'needs_inputs') return inputsMarkdown(loop.record);
  return loop.report(watcher);
}

function exitCodeOf(loop: Loop, stop: Stop): number {
  if (stop === 'needs_fix') return EXIT.needsFix;
  if (stop === 'needs_inputs') return EXIT.needsInputs;
  const result = loop.decision.result;
  if (result === 'unverified') return EXIT.needsFix;
  return result === 'success' ? EXIT.fixed : EXIT.notFixed;
}

/** Progress goes to stderr, because stdout belongs to the report. */
function terminalWatcher(): Watcher {
  let atLineStart = true;
  return {
    signal: cancelledBySignals(EXIT.cancelled),
    onOutput(text) {
      if (text !== '') atLineStart = text.endsWith('\n');
      return passOn(io().stderr, text);
    },
    onNote(line) {
      io().stderr.write(`${atLineStart ? '' : '\n'}${paint.dim(`argus: ${withCommands(visible(line))}`)}\n`);
      atLineStart = true;
    },
  };
}
