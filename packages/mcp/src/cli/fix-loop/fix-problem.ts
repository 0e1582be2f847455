/**
 * The command `fix-problem`: runs a fix loop from the terminal or a script. The options are in fix-program.ts, the code
 * of the loop is in `fix/`.
 */

import { text as readText } from 'node:stream/consumers';
import { z } from 'zod';
import { runInEnvelope, unwrapEnvelope } from '../../answer.ts';
import { loadUserConfig } from '../../config/user.ts';
import { ArgusError } from '../../errors.ts';
import { type DriveOptions, driveLoop, type StopReason } from '../../fix/drive.ts';
import { Loop } from '../../fix/loop.ts';
import { createLoopContext, type LoopContext, type LoopWatcher } from '../../fix/loop-context.ts';
import { createReportData } from '../../fix/report/loop-view.ts';
import { formatInputsReport } from '../../fix/report/report.ts';
import { createStartShape, type FixGoal } from '../../fix/start-fields.ts';
import { paint, toCommandLineText } from '../../format/terminal.ts';
import { SessionManager } from '../../sessions/session-manager.ts';
import { io, toAbsolutePath } from '../../system/io.ts';
import { removeInvisibleCharacters } from '../../text/untrusted-text.ts';
import { abortOnSignals } from '../terminal/exit.ts';
import { writeWithBackpressure } from '../terminal/lines.ts';
import { getTerminalRecorder } from '../terminal/output.ts';

/** Exit codes, which --help documents. */
const EXIT = { fixed: 0, notFixed: 1, error: 2, needsFix: 3, needsInputs: 4, cancelled: 130 } as const;

/** An agent reads, reasons and edits files, so half an hour is a generous limit for a fix. */
const DEFAULT_AGENT_TIMEOUT_SECONDS = 1_800;

/** Options of this command. The options that describe the goal of the loop are defined in fix-program.ts. */
export interface FixOptions {
  /** The given options that describe the goal, by field name. */
  start: Record<string, unknown>;
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

/** The result of the command. */
interface CommandOutcome {
  exitCode: number;
  /** Text for people. */
  text: string;
  /** Printed with --json. */
  data: object;
}

export async function fixProblem(error: string | undefined, options: FixOptions): Promise<void> {
  const sessionManager = new SessionManager({ recorder: getTerminalRecorder(), adoptsForeign: false });
  const watcher = createTerminalWatcher();
  const envelope = await runInEnvelope(async () => {
    const session = await sessionManager.init(toAbsolutePath(options.project), options.config, 'person');
    const given = error === '-' ? await readText(io().stdin) : error;
    // A decision of a person concerns an existing loop, so a decision implies --resume.
    const resume = options.resume === true || hasDecision(options);
    const agent = options.agent ?? (await loadUserConfig(session.project)).fix?.agent ?? false;
    return runLoop(createLoopContext(session, sessionManager), given, { ...options, resume, agent }, watcher);
  });
  await sessionManager.closeAll();
  if (envelope.success) {
    const { text, data, exitCode } = envelope.data;
    io().exitCode = exitCode;
    io().stdout.write(options.json ? `${JSON.stringify(data)}\n` : `${text.trimEnd()}\n`);
    return;
  }
  if (options.json) io().stdout.write(`${JSON.stringify(unwrapEnvelope(envelope))}\n`);
  else io().stderr.write(`${envelope.error.code}: ${toCommandLineText(envelope.error.message)}\n`);
  io().exitCode = envelope.error.code === 'CANCELLED' ? EXIT.cancelled : EXIT.error;
}

async function runLoop(
  loopContext: LoopContext,
  error: string | undefined,
  options: FixOptions,
  watcher: LoopWatcher,
): Promise<CommandOutcome> {
  const wanted = parseGoal(error, options);
  const loop = await openLoop(loopContext, wanted, options);
  try {
    if (loop.continued)
      watcher.onNote?.(`resuming ${loop.folder.projectRelativePath} (${loop.state.status.replaceAll('_', ' ')})`);
    await applyDecisions(loop, options);
    if (options.resume) loop.adjust(wanted);
    for (const note of loop.notes) watcher.onNote?.(note);
    const stop = await driveLoop(loopContext, loop, createDriveOptions(loop, options), watcher);
    return await createOutcome(loop, stop, watcher);
  } finally {
    loop.close();
  }
}

async function openLoop(loopContext: LoopContext, wanted: FixGoal, { resume }: FixOptions): Promise<Loop> {
  if (!resume) return Loop.start(loopContext, wanted);
  if (wanted.command === undefined && wanted.error === undefined) return Loop.reopen(loopContext, undefined);
  // A resumed loop keeps its stored description of the goal, so `desired` has a dummy value here.
  const { command_hash } = loopContext.rules.begin({ ...wanted, desired: wanted.desired || '-', started: '-' });
  return Loop.reopen(loopContext, command_hash);
}

function parseGoal(error: string | undefined, options: FixOptions): FixGoal {
  const given = { ...options.start, ...(error === undefined ? {} : { error }) };
  const wanted = z.strictObject(createStartShape(z)).parse({ desired: '', ...given });
  if (!wanted.desired.trim() && !options.resume) {
    throw new ArgusError('INVALID_INPUT', '--desired is required: describe the expected result in a few words.');
  }
  if (wanted.command !== undefined && wanted.test !== undefined) {
    throw new ArgusError(
      'INVALID_INPUT',
      '--test is only for error mode; with --command, the command verifies itself.',
    );
  }
  return wanted;
}

/**
 * Applies the decisions of a person before the loop continues. If a decision does not apply, throws an error without
 * running anything.
 */
async function applyDecisions(loop: Loop, options: FixOptions): Promise<void> {
  const { accept, reject, resetCircuit } = options;
  if (accept !== undefined && (await loop.isOutdated())) {
    const advice = 'Restore the files of that run, or use --reject to run the current files.';
    throw new ArgusError('INVALID_INPUT', `The work tree has changed since the run that would be accepted. ${advice}`);
  }
  const decisions = [
    ...(resetCircuit ? [loop.resetCircuit()] : []),
    ...(accept === undefined ? [] : [loop.recordDecision('accept', toNote(accept))]),
    ...(reject === undefined ? [] : [loop.recordDecision('reject', toNote(reject))]),
  ];
  const refused = decisions.find(({ type }) => type === 'refused');
  if (refused !== undefined) throw new ArgusError('INVALID_INPUT', refused.reason);
}

function hasDecision({ accept, reject, resetCircuit }: FixOptions): boolean {
  return accept !== undefined || reject !== undefined || resetCircuit === true;
}

function toNote(given: string | true): string | null {
  return given === true ? null : given;
}

/** Resuming a loop means that the user has changed something, unless an agent is configured to make the change. */
function createDriveOptions(loop: Loop, options: FixOptions): DriveOptions {
  const { fix = null, outside = null, research, verified } = options;
  const agent = options.agent === false ? undefined : options.agent;
  const describesChange = fix !== null || outside !== null;
  const resumesAfterChange = loop.continued && (describesChange || agent === undefined);
  return {
    agent,
    agentTimeoutSeconds: options.agentTimeout ?? DEFAULT_AGENT_TIMEOUT_SECONDS,
    research,
    verified,
    fix: resumesAfterChange ? { description: fix, outside } : undefined,
    claimsChange: describesChange || !hasDecision(options),
  };
}

async function createOutcome(loop: Loop, stop: StopReason, watcher: LoopWatcher): Promise<CommandOutcome> {
  const text = await createText(loop, stop, watcher);
  const exitCode = toExitCode(loop, stop);
  const data = { exit_status: exitCode, stopped: stop, ...createReportData(loop.record) };
  if (stop === 'needs_fix')
    watcher.onNote?.('change something, then: argus fix-problem --resume [--fix TEXT] [--outside TEXT]');
  return { exitCode, text, data };
}

async function createText(loop: Loop, stop: StopReason, watcher: LoopWatcher): Promise<string> {
  if (stop === 'needs_fix') return loop.prepareFix(watcher);
  if (stop === 'needs_inputs') return formatInputsReport(loop.record);
  return loop.writeReport(watcher);
}

function toExitCode(loop: Loop, stop: StopReason): number {
  if (stop === 'needs_fix') return EXIT.needsFix;
  if (stop === 'needs_inputs') return EXIT.needsInputs;
  const result = loop.decision.result;
  if (result === 'unverified') return EXIT.needsFix;
  return result === 'success' ? EXIT.fixed : EXIT.notFixed;
}

/** Progress is written to stderr, because stdout is for the report. */
function createTerminalWatcher(): LoopWatcher {
  let atLineStart = true;
  return {
    signal: abortOnSignals(EXIT.cancelled),
    onOutput(text) {
      if (text !== '') atLineStart = text.endsWith('\n');
      return writeWithBackpressure(io().stderr, text);
    },
    onNote(line) {
      io().stderr.write(
        `${atLineStart ? '' : '\n'}${paint.dim(`argus: ${toCommandLineText(removeInvisibleCharacters(line))}`)}\n`,
      );
      atLineStart = true;
    },
  };
}
