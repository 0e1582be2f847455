/**
 * A fix loop on a project. It does what the rules (crates/core/src/fix_loop) allow, and saves everything to disk after
 * each step. The command line and the MCP tools use it.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { FixApproach, FixDecision, FixError, FixState, FixVerdict } from 'argus-engine';
import { ArgusError, getErrorMessage } from '../errors.ts';
import { detectTestCommand } from '../run/planning/test-command.ts';
import { createRunMark, endMarkedProcesses } from '../run/processes.ts';
import { io } from '../system/io.ts';
import type { ProcessLock } from '../system/process-lock.ts';
import { removeInvisibleCharacters } from '../text/untrusted-text.ts';
import { analyzeRun, detectErrorSource } from './attempt/analyze-run.ts';
import type { AttemptRequest, AttemptResult } from './attempt/attempt.ts';
import {
  type CommandInput,
  formatMissingAnswers,
  NO_INPUT,
  redactInputSecrets,
  resolveCommandInput,
} from './attempt/command-input.ts';
import {
  type AttemptCases,
  type FinishedAttempt,
  readCases,
  recordAttempt,
  runWithoutReporter,
  runWithReporter,
} from './attempt/recorded-attempt.ts';
import { cleanResearchText, parseFindings } from './context/research.ts';
import { collectInsight } from './insight.ts';
import { learnFixes } from './learn.ts';
import { cleanUntrustedText, type LoopContext, type LoopWatcher } from './loop-context.ts';
import { formatBrief } from './report/brief.ts';
import { describeUnchangedLimits, type Insight, isRejected, type LoopRecord } from './report/loop-record.ts';
import { createReportData } from './report/loop-view.ts';
import { formatReport } from './report/report.ts';
import {
  computeChange,
  describeChange,
  explainRefusal,
  findSuspiciousChanges,
  findWeakenings,
  readFixesDiff,
} from './snapshots/changes.ts';
import { openSnapshots } from './snapshots/git-snapshots.ts';
import type { Snapshots } from './snapshots/snapshots.ts';
import type { FixGoal } from './start-fields.ts';
import { formatFixFile } from './state/fix-file.ts';
import {
  createEmptyInsight,
  createLoopRecord,
  findExistingFolder,
  openFolderToStart,
  readEndOfLog,
  readInsight,
  readState,
  requireState,
} from './state/loop-files.ts';
import {
  archiveLoop,
  canRestart,
  createForeignLoopError,
  formatPendingDecision,
  LoopState,
} from './state/loop-state.ts';
import type { StateFolder } from './state/state-folder.ts';

/** A change as its author describes it. */
export interface DeclaredFix {
  /** Null to use a description that is generated from the changes in the work tree. */
  description: string | null;
  /** Description of a change outside the project's files. Null if there is none. */
  outside: string | null;
  approach?: FixApproach | undefined;
  /** Output of the agent. */
  output?: string | undefined;
}

export class Loop {
  readonly folder: StateFolder;
  /** True if the loop existed before this call. */
  readonly continued: boolean;
  readonly #context: LoopContext;
  readonly #lock: ProcessLock;
  readonly #snapshots: Snapshots;
  readonly #notes: string[] = [];
  readonly #state: LoopState;
  #insight: Insight | null = null;
  /** Diff of all fixes, for the report. */
  #diff = '';

  private constructor(
    loopContext: LoopContext,
    folder: StateFolder,
    lock: ProcessLock,
    snapshots: Snapshots,
    state: FixState,
    continued: boolean,
  ) {
    this.#context = loopContext;
    this.folder = folder;
    this.#lock = lock;
    this.#snapshots = snapshots;
    this.#state = new LoopState(loopContext, folder, state);
    this.continued = continued;
    if (continued) this.#insight = readInsight(folder);
  }

  /**
   * Starts a loop, or continues the loop that waits for this command. A finished loop is archived first, unless a
   * person must still decide about it.
   */
  static async start(loopContext: LoopContext, wanted: FixGoal): Promise<Loop> {
    const test = wanted.test ?? detectVerification(loopContext, wanted);
    const started = new Date(io().now()).toISOString();
    const fresh = loopContext.rules.begin({ ...wanted, ...(test === undefined ? {} : { test }), started });
    const folder = await openFolderToStart(loopContext, fresh.command_hash);
    const lock = folder.createAndLock();
    try {
      const snapshots = await openSnapshots(loopContext.session.root, fresh.command_hash, folder.path);
      await snapshots.removeExpired(io().now());
      const found = readState(loopContext, folder, fresh.command_hash);
      if (found !== undefined && found.command !== fresh.command) throw createForeignLoopError(folder);
      if (found !== undefined && !canRestart(found)) {
        const loop = new Loop(loopContext, folder, lock, snapshots, found, true);
        await loop.#resume();
        loop.adjust(wanted);
        return loop;
      }
      const archiveNote = found === undefined ? null : await archiveLoop(found, folder, snapshots);
      const loop = new Loop(loopContext, folder, lock, snapshots, fresh, false);
      if (archiveNote !== null) loop.#state.addNotes('remarks', [archiveNote]);
      if (test !== wanted.test) {
        loop.#state.addNotes('remarks', [
          `No verification command was given, so ${test} verifies the fix, as in argus run.`,
        ]);
      }
      await loop.#begin();
      return loop;
    } catch (thrown) {
      lock.release();
      throw thrown;
    }
  }

  /** Reopens the loop with this command hash. The default is the newest loop. */
  static async reopen(loopContext: LoopContext, commandHash: string | undefined): Promise<Loop> {
    const folder = await findExistingFolder(loopContext, commandHash);
    const lock = folder.createAndLock();
    try {
      const state = requireState(loopContext, folder, commandHash);
      const snapshots = await openSnapshots(loopContext.session.root, state.command_hash, folder.path);
      const loop = new Loop(loopContext, folder, lock, snapshots, state, true);
      await loop.#resume();
      return loop;
    } catch (thrown) {
      lock.release();
      throw thrown;
    }
  }

  /** Reads a loop without a lock, so that a process that runs the loop is not disturbed. */
  static async readRecord(loopContext: LoopContext, commandHash: string | undefined): Promise<LoopRecord> {
    const folder = await findExistingFolder(loopContext, commandHash);
    const state = requireState(loopContext, folder, commandHash);
    const snapshots = await openSnapshots(loopContext.session.root, state.command_hash, folder.path);
    const nextStep = loopContext.rules.nextStep(state);
    return createLoopRecord({
      state,
      nextStep,
      folder,
      snapshots,
      insight: readInsight(folder),
      notes: state.host.remarks,
      earlier: null,
      diff: nextStep.decision.is_over ? await readFixesDiff(loopContext, snapshots, state) : '',
    });
  }

  get state(): FixState {
    return this.#state.current;
  }

  get decision(): FixDecision {
    return this.#state.decision;
  }

  get record(): LoopRecord {
    const { folder } = this;
    const remarks = this.#state.current.host.remarks;
    const notes = [...remarks, ...this.#notes, ...this.#snapshots.warnings, ...(this.#insight?.notes ?? [])];
    const [state, nextStep, insight] = [this.#state.current, this.#state.nextStep, this.#insight];
    const earlier = this.continued && !this.#state.hasAdvanced ? formatPendingDecision(state) : null;
    const diff = this.#diff;
    return createLoopRecord({ state, nextStep, folder, snapshots: this.#snapshots, insight, notes, earlier, diff });
  }

  /** Messages of this call. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  close(): void {
    this.#lock.release();
  }

  /** Adds a message to the report of this call. */
  note(text: string): void {
    if (!this.#notes.includes(text)) this.#notes.push(text);
  }

  /**
   * Runs a function that starts programs with a mark. If this process is killed, the next process finds the programs by
   * the mark and ends them.
   */
  async runWithMark<T>(work: (mark: string) => Promise<T>): Promise<T> {
    const mark = createRunMark();
    this.#state.setNotes({ mark });
    this.#state.write();
    const result = await work(mark);
    this.#state.setNotes({ mark: null });
    this.#state.write();
    return result;
  }

  /** Runs the command. In error mode, runs the verification. */
  async runAttempt(watcher: LoopWatcher, input: CommandInput = NO_INPUT): Promise<FixDecision> {
    const number = this.#state.current.current_attempt;
    const snapshot = await this.#snapshots.take(String(number));
    const mark = createRunMark();
    const usedInputs = input.digest === null ? {} : { used_inputs_digest: input.digest };
    this.#state.setNotes({ base: this.#state.current.host.base ?? snapshot, mark, ...usedInputs });
    const started = this.#state.apply({
      type: 'attempt_started',
      timestamp: new Date(io().now()).toISOString(),
      snapshot,
    });
    if (started.type === 'refused') return started;
    const attempt = await this.#run(number, mark, watcher, input);
    try {
      for (const note of input.notes) this.note(note);
      this.#state.addNotes(
        'remarks',
        attempt.result.notes.map((note) => `Attempt ${number}: ${note}`),
      );
      const text = redactInputSecrets(attempt.result.text, input);
      const cases = await readCases(this.#context, { ...attempt, command: this.#command, text });
      const decision = await this.#finishAttempt({ ...attempt.result, text }, cases, snapshot, watcher);
      if (cases !== null && attempt.result.prompt === null) await this.#recordRun(number, cases);
      return decision;
    } finally {
      attempt.close();
    }
  }

  /**
   * Declares what was changed since the last attempt. The rules judge the changes in the work tree, not the
   * description.
   */
  async declareFix(fix: DeclaredFix): Promise<FixDecision> {
    const change = await computeChange(this.#context, this.#snapshots, this.#state.current);
    const { files, tried } = change;
    const outside = fix.outside === null ? null : cleanUntrustedText(this.#context, fix.outside);
    // If nothing changed, the description is the reason for the suspicious result.
    const isReason = this.#state.current.status === 'suspicious' && change.digest === null && outside === null;
    const givenDescription = cleanUntrustedText(this.#context, fix.description ?? '');
    const description = isReason ? givenDescription : givenDescription || describeChange(change, outside);
    const digest = tried === null ? change.digest : null;
    const approach = fix.approach ?? null;
    const declared = this.#state.computeAdvance({
      type: 'fix_declared',
      description,
      digest,
      files,
      outside,
      approach,
    });
    const { decision } = declared;
    if (decision.type === 'refused')
      return outside === null ? explainRefusal(decision, change, this.decision.type) : decision;
    await this.#noteWeakening(change.now);
    // In error mode, a fix belongs to the attempt that verifies it.
    const number =
      this.#state.current.mode === 'error' ? this.#state.current.current_attempt : this.#state.current.attempts.length;
    const diff = this.#context.rules.redact(change.diff);
    const text = formatFixFile({
      number,
      description,
      outside,
      files,
      output: fix.output,
      diff,
      findings: this.#insight?.findings ?? null,
    });
    this.folder.write(`attempt_${number}_fix.md`, text);
    this.#state.accept(declared);
    return decision;
  }

  /** Waits for the backoff. Rejects with CANCELLED if the caller aborts. */
  async wait({ signal, onNote }: LoopWatcher): Promise<FixDecision> {
    const { delay_seconds, attempt } = this.decision;
    if (delay_seconds > 0) onNote?.(`waiting ${Math.round(delay_seconds * 10) / 10} s before attempt ${attempt}`);
    try {
      await sleep(delay_seconds * 1_000, undefined, signal ? { signal } : {});
    } catch {
      this.cancel();
      throw new ArgusError('CANCELLED', 'The loop was cancelled while it waited. You can resume it.');
    }
    return this.#state.apply({ type: 'waited' });
  }

  /** Returns the input for the next run. */
  resolveInput(signal?: AbortSignal): Promise<CommandInput> {
    return resolveCommandInput(this.#context, this.#state.current, { signal });
  }

  /**
   * Looks for answers to the prompt that stopped the last run. With `auto`, adds the prompt to the inputs file. Without
   * `auto`, the user must have changed the answers. Returns null if there are new answers, otherwise the reason why
   * there are none.
   */
  async answerPrompt(signal?: AbortSignal): Promise<string | null> {
    const { auto, host: notes } = this.#state.current;
    const prompts = auto ? [this.#insight?.error.prompt ?? ''].filter(Boolean) : undefined;
    const input = await resolveCommandInput(this.#context, this.#state.current, { prompts, signal });
    if (auto) this.#state.setNotes({ inputs_regenerated_at: new Date(io().now()).toISOString() });
    this.#state.write();
    if (input.missing.length > 0) return formatMissingAnswers(input);
    if (input.digest === null) return 'The command has no inputs for its prompts. Pass --inputs FILE, or use --auto.';
    if (input.digest === notes.used_inputs_digest)
      return `The inputs in ${input.path} did not work in the last attempt. Correct them.`;
    const decision = this.#state.apply({ type: 'inputs_provided', digest: input.digest, inputs: null });
    return decision.type === 'refused' ? decision.reason : null;
  }

  /** Applies options that may change during a loop. Adds a note for each requested limit that may not change. */
  adjust(wanted: Partial<FixGoal>): void {
    this.#state.adjust(wanted);
    for (const note of describeUnchangedLimits(this.#state.current, wanted)) this.note(note);
  }

  resetCircuit(): FixDecision {
    return this.#state.apply({ type: 'circuit_reset' });
  }

  /**
   * True if the work tree has changed since the suspicious run. In that case, a person would accept other files than
   * those that were tested.
   */
  async isOutdated(): Promise<boolean> {
    const { status } = this.#state.current;
    const change = () => computeChange(this.#context, this.#snapshots, this.#state.current);
    return status === 'suspicious' && (await change()).digest !== null;
  }

  /** Records that the author of the fix has verified it, because no command can verify it. */
  async confirmFix(how: string): Promise<FixDecision> {
    const until = await this.#snapshots.saveTemporarily();
    const weakened = await findWeakenings(this.#context, this.#snapshots, this.#state.current, until);
    const decision = this.#state.apply({
      type: 'fix_verified',
      how,
      timestamp: new Date(io().now()).toISOString(),
      weakened,
    });
    if (weakened.length > 0) this.#state.setNotes({ after: await this.#snapshots.take('verified') });
    this.#state.write();
    return decision;
  }

  /** Records that the agent changed nothing. The loop stops until someone changes something. */
  recordNoChange(): void {
    this.#state.apply({ type: 'no_change_made' });
  }

  recordDecision(verdict: FixVerdict, note: string | null): FixDecision {
    return this.#state.apply({ type: 'human_decided', verdict, note, timestamp: new Date(io().now()).toISOString() });
  }

  cancel(): void {
    if (!this.decision.is_over) this.#state.apply({ type: 'cancelled' });
  }

  /** Adds URLs from research on the web to the report. */
  addSources(sources: readonly string[]): void {
    this.#state.addNotes('research_sources', sources);
    this.#state.write();
  }

  /** Adds the result of research to the insight about the current error. */
  addResearch(text: string): void {
    const research = cleanResearchText(text, (text) => this.#context.rules.redact(text));
    if (research === '' || this.#insight === null) return;
    const findings = parseFindings(research);
    this.#insight = { ...this.#insight, research, findings };
    this.#writeInsight();
    this.addSources(findings.sources);
  }

  /** Collects the facts about the last error, and writes the brief. */
  async prepareFix(watcher: LoopWatcher, research?: string): Promise<string> {
    await this.#collectInsight(watcher, research);
    const brief = formatBrief(this.record);
    this.folder.write('brief.md', brief);
    return brief;
  }

  /** Learns from a finished loop, and writes its report. */
  async writeReport(watcher: LoopWatcher): Promise<string> {
    const { status } = this.#state.current;
    if (status === 'escalated') await this.#collectInsight(watcher);
    if (status === 'success' || status === 'escalated') await this.#learn();
    this.#diff = await readFixesDiff(this.#context, this.#snapshots, this.#state.current);
    const { earlier, ...record } = this.record;
    const markdown = formatReport({ ...record, earlier: null });
    this.folder.write('report.md', markdown);
    this.folder.writeJson('report.json', createReportData({ ...record, earlier: null }));
    return earlier === null ? markdown : `> ${earlier}\n\n${markdown}`;
  }

  /** Collects the insight about the last error, at most once for each error. */
  async #collectInsight(watcher: LoopWatcher, research?: string): Promise<void> {
    const attempt = this.#state.current.attempts.length;
    const asked = research !== undefined && this.#insight?.research === null;
    if (this.#insight?.attempt === attempt && this.#insight.query !== null && !asked) return;
    const error = this.#insight?.attempt === attempt ? this.#insight.error : this.#analyzeCurrentError();
    const year = new Date(io().now()).getFullYear();
    watcher.onNote?.('gathering context');
    const request = { attempt, error, state: this.#state.current, research, year };
    this.#insight = await this.runWithMark((mark) => collectInsight(this.#context, { ...request, mark }, watcher));
    this.#writeInsight();
    if (this.#insight.sources.length > 0) this.addSources(this.#insight.sources);
  }

  async #learn(): Promise<void> {
    const { learned_up_to: known } = this.#state.current.host;
    const loop = { state: this.#state.current, folder: this.folder, snapshots: this.#snapshots };
    const problems = await learnFixes(this.#context, loop, known, (upTo) => {
      this.#state.setNotes({ learned_up_to: upTo });
      this.#state.write();
    });
    for (const problem of problems) this.note(problem);
  }

  async #begin(): Promise<void> {
    if (this.#state.current.mode === 'error') {
      this.#state.setNotes({ base: await this.#snapshots.take('0') });
      const error = this.#analyzeCurrentError();
      this.#storeErrorSource(error);
      this.#insight = createEmptyInsight(0, error);
      this.#writeInsight();
    }
    this.#state.write();
  }

  /**
   * Continues after an earlier process. Ends programs that a killed process left running, and repeats an interrupted
   * attempt.
   */
  async #resume(): Promise<void> {
    const { status, host, current_attempt: number } = this.#state.current;
    const { mark } = host;
    if (mark !== null) await endMarkedProcesses(mark);
    this.#state.setNotes({ mark: null });
    if (status === 'running') {
      const log = this.folder.renameInterruptedFile(`attempt_${number}.log`);
      this.#state.addNotes('remarks', [
        `Attempt ${number} was cut off and is repeated${log === null ? '' : `; see ${log}`}.`,
      ]);
    }
    const isIdle = this.#state.current.escalation === 'no_change_made';
    if (status === 'running' || status === 'cancelled' || isIdle) this.#state.apply({ type: 'resumed' });
  }

  /** The command that an attempt runs. */
  get #command(): string {
    const { mode, command, test } = this.#state.current;
    return (mode === 'command' ? command : test) ?? '';
  }

  async #run(number: number, mark: string, watcher: LoopWatcher, input: CommandInput): Promise<FinishedAttempt> {
    watcher.onNote?.(
      `attempt ${number} of ${this.#state.current.max_attempts}: ${removeInvisibleCharacters(this.#command)}`,
    );
    try {
      const request: AttemptRequest = {
        command: this.#command,
        cwd: this.#context.session.root,
        timeoutSeconds: this.#state.current.timeout_seconds,
        logPath: this.folder.getLogPath(number),
        mark,
        redact: (text) => redactInputSecrets(this.#context.rules.redact(text), input),
        input: input.input,
        // False for a verification, because nobody can answer its prompts.
        mayAsk: this.#state.current.mode === 'command',
        program: input.program,
        env: input.env,
        signal: watcher.signal,
        // Inputs that the user gave to the command are never shown, even if the command prints them.
        onOutput: (text) => watcher.onOutput?.(redactInputSecrets(text, input)),
      };
      return await (input.digest === null ? runWithReporter(this.#context, request) : runWithoutReporter(request));
    } catch (thrown) {
      this.#state.setNotes({ mark: null });
      this.cancel();
      if (!(thrown instanceof ArgusError) || thrown.code !== 'CANCELLED') throw thrown;
      const text = 'The attempt was cancelled and its processes were stopped. You can resume the loop.';
      throw new ArgusError('CANCELLED', text, { cause: thrown });
    }
  }

  async #finishAttempt(
    result: AttemptResult,
    cases: AttemptCases | null,
    snapshot: string,
    watcher: LoopWatcher,
  ): Promise<FixDecision> {
    const { exitCode, timedOut, durationSeconds, startedAt } = result;
    const failed = exitCode !== 0;
    const number = this.#state.current.current_attempt;
    const error = failed ? await analyzeRun(this.#context, this.#state.current, result) : null;
    if (error) {
      this.#storeErrorSource(error);
      this.#insight = createEmptyInsight(number, error);
      this.#writeInsight();
    }
    const weakened = failed
      ? []
      : await findSuspiciousChanges(this.#context, this.#snapshots, this.#state.current, snapshot);
    this.#state.setNotes({ mark: null });
    const decision = this.#state.apply({
      type: 'attempt_finished',
      exit_code: exitCode,
      timed_out: timedOut,
      duration_seconds: durationSeconds,
      timestamp: new Date(startedAt).toISOString(),
      error,
      weakened,
      ran: cases?.ran ?? null,
    });
    // Every change after this snapshot belongs to the next fix.
    if (this.#state.current.status !== 'success') {
      this.#state.setNotes({ after: await this.#snapshots.take(`${number}-after`) });
      this.#state.write();
    }
    watcher.onNote?.(
      `attempt ${number}: exit code ${exitCode} after ${Math.round(durationSeconds * 10) / 10} s${error ? `, ${error.headline || error.error_type}` : ''}`,
    );
    return decision;
  }

  /** Records the attempt as a run, unless it succeeded with weakened tests. */
  async #recordRun(number: number, { run }: AttemptCases): Promise<void> {
    const isSuspicious = (this.#state.current.attempts.at(-1)?.weakened ?? []).length > 0;
    if (!this.#context.session.historyEnabled || isSuspicious) return;
    try {
      const kept = await recordAttempt(this.#context, this.folder, number, run);
      if (kept.notStored !== undefined) for (const warning of kept.warnings) this.note(warning);
    } catch (thrown) {
      this.note(`Attempt ${number} was not recorded: ${getErrorMessage(thrown)}`);
    }
  }

  /** Adds a note about weakened tests before the run, while the change can still be undone. */
  async #noteWeakening(now: string): Promise<void> {
    const [first] = await findWeakenings(this.#context, this.#snapshots, this.#state.current, now);
    if (first === undefined) return;
    this.note(
      `The tests were changed (${first.file}:${first.line}, ${first.kind.replaceAll('_', ' ')}), so a green run will be suspicious, not a success.`,
    );
  }

  /**
   * Analyzes the current error. A successful run that a person rejected does not count, because the failure before it
   * still exists.
   */
  #analyzeCurrentError(): FixError {
    const last = this.#state.current.attempts.findLast((attempt) => !isRejected(attempt));
    const text =
      this.#state.current.mode === 'error' && last === undefined
        ? this.#state.current.error
        : readEndOfLog(this.folder, last?.number ?? 0);
    return this.#context.rules.understand({
      text: text ?? '',
      exit_code: last?.exit_code ?? null,
      timed_out: last?.timed_out ?? null,
    });
  }

  #storeErrorSource(error: FixError): void {
    this.#state.setNotes({ error_source: detectErrorSource(error, this.#state.current, this.#context.session.root) });
  }

  #writeInsight(): void {
    this.folder.writeJson('insight.json', this.#insight);
  }
}

/** Returns the project's test command, which is the default verification in error mode. */
function detectVerification({ session }: LoopContext, { error, command }: FixGoal): string | undefined {
  if (command !== undefined || error === undefined) return undefined;
  return session.config.test?.command ?? detectTestCommand(session.root)?.command;
}
