/**
 * A fix loop on a project. It executes what the rules (crates/core/src/fix_loop) allow, and saves everything to disk
 * after each step. The command line and the MCP tools both use it.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { FixApproach, FixDecision, FixError, FixState, FixVerdict } from 'argus-engine';
import { ArgusError, messageOf } from '../errors.ts';
import { detectTestCommand } from '../run/planning/test-command.ts';
import { endMarked, newMark } from '../run/processes.ts';
import { io } from '../system/io.ts';
import { visible } from '../text/untrusted.ts';
import type { AttemptRequest, AttemptResult } from './attempt/attempt.ts';
import { type CommandInput, commandInputFor, missingText, NO_INPUT, withoutSecrets } from './attempt/command-input.ts';
import { errorSource } from './attempt/error-source.ts';
import {
  type AttemptCases,
  casesOf,
  type HeardAttempt,
  recordAttempt,
  runHeard,
  runUnheard,
} from './attempt/recorded-attempt.ts';
import { understandRun } from './attempt/understand.ts';
import { findingsIn } from './context/findings.ts';
import { researchText } from './context/research.ts';
import { insightOf } from './insight.ts';
import { learn } from './learn.ts';
import { cleanText, type LoopContext, type Watcher } from './loop-context.ts';
import { briefMarkdown } from './report/brief.ts';
import { reportData } from './report/loop-view.ts';
import type { Insight, LoopRecord } from './report/record.ts';
import { reportMarkdown } from './report/report.ts';
import { isRejected, limitsKept } from './report/summary.ts';
import { changeSince, describeChange, explainRefusal, fixedDiff, suspicions, weakenings } from './snapshots/changes.ts';
import { snapshotsOf } from './snapshots/open.ts';
import type { Snapshots } from './snapshots/snapshots.ts';
import type { WantedFix } from './start-fields.ts';
import { fixFile } from './state/fix-file.ts';
import type { Lock } from './state/lock.ts';
import {
  existingFolder,
  folderToStart,
  newInsight,
  readInsight,
  readLog,
  readState,
  recordOf,
  stateOf,
} from './state/loop-files.ts';
import { LoopState } from './state/loop-state.ts';
import { mayBeginAnew, notOurs, putAside, undecided } from './state/past-loop.ts';
import type { StateFolder } from './state/state-folder.ts';

/** A change as its author describes it. */
export interface DeclaredFix {
  /** Null to use a description of the changes in the work tree. */
  description: string | null;
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
  readonly #lock: Lock;
  readonly #snapshots: Snapshots;
  readonly #notes: string[] = [];
  readonly #state: LoopState;
  #insight: Insight | null = null;
  /** Diff of all fixes, for the report. */
  #diff = '';

  private constructor(
    loopContext: LoopContext,
    folder: StateFolder,
    lock: Lock,
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
   * Starts a loop, or continues the loop that waits for this command. A finished loop is moved aside, unless a human
   * must still decide about it.
   */
  static async start(loopContext: LoopContext, wanted: WantedFix): Promise<Loop> {
    const test = wanted.test ?? detectedTest(loopContext, wanted);
    const started = new Date(io().now()).toISOString();
    const fresh = loopContext.rules.begin({ ...wanted, ...(test === undefined ? {} : { test }), started });
    const folder = await folderToStart(loopContext, fresh.command_hash);
    const lock = folder.lock();
    try {
      const snapshots = await snapshotsOf(loopContext.session.root, fresh.command_hash, folder.path);
      await snapshots.expire(io().now());
      const found = readState(loopContext, folder, fresh.command_hash);
      if (found !== undefined && found.command !== fresh.command) throw notOurs(folder);
      if (found !== undefined && !mayBeginAnew(found)) {
        const loop = new Loop(loopContext, folder, lock, snapshots, found, true);
        await loop.#goOn();
        loop.adjust(wanted);
        return loop;
      }
      const past = found === undefined ? null : await putAside(found, folder, snapshots);
      const loop = new Loop(loopContext, folder, lock, snapshots, fresh, false);
      if (past !== null) loop.#state.remember('remarks', [past]);
      if (test !== wanted.test) {
        loop.#state.remember('remarks', [`No verification was given: it is ${test}, which argus run would run.`]);
      }
      await loop.#begin();
      return loop;
    } catch (thrown) {
      lock.release();
      throw thrown;
    }
  }

  /** Reopens the loop with this command hash (default: the newest loop). */
  static async reopen(loopContext: LoopContext, commandHash: string | undefined): Promise<Loop> {
    const folder = await existingFolder(loopContext, commandHash);
    const lock = folder.lock();
    try {
      const state = stateOf(loopContext, folder, commandHash);
      const snapshots = await snapshotsOf(loopContext.session.root, state.command_hash, folder.path);
      const loop = new Loop(loopContext, folder, lock, snapshots, state, true);
      await loop.#goOn();
      return loop;
    } catch (thrown) {
      lock.release();
      throw thrown;
    }
  }

  /** Reads a loop without a lock, so that it does not disturb a running process. */
  static async look(loopContext: LoopContext, commandHash: string | undefined): Promise<LoopRecord> {
    const folder = await existingFolder(loopContext, commandHash);
    const state = stateOf(loopContext, folder, commandHash);
    const snapshots = await snapshotsOf(loopContext.session.root, state.command_hash, folder.path);
    const outlook = loopContext.rules.outlook(state);
    return recordOf({
      state,
      outlook,
      folder,
      snapshots,
      insight: readInsight(folder),
      notes: state.host.remarks,
      earlier: null,
      diff: outlook.decision.is_over ? await fixedDiff(loopContext, snapshots, state) : '',
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
    const said = this.#state.current.host.remarks;
    const notes = [...said, ...this.#notes, ...this.#snapshots.warnings, ...(this.#insight?.notes ?? [])];
    const [state, outlook, insight] = [this.#state.current, this.#state.outlook, this.#insight];
    const earlier = this.continued && !this.#state.hasAdvanced ? undecided(state) : null;
    const diff = this.#diff;
    return recordOf({ state, outlook, folder, snapshots: this.#snapshots, insight, notes, earlier, diff });
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
   * Runs work that starts programs with a mark. If this process is killed, the next process finds the programs by the
   * mark and ends them.
   */
  async marked<T>(work: (mark: string) => Promise<T>): Promise<T> {
    const mark = newMark();
    this.#state.keep({ mark });
    this.#state.write();
    const result = await work(mark);
    this.#state.keep({ mark: null });
    this.#state.write();
    return result;
  }

  /** Runs the command. In error mode, runs the verification. */
  async runAttempt(watcher: Watcher, input: CommandInput = NO_INPUT): Promise<FixDecision> {
    const number = this.#state.current.current_attempt;
    const snapshot = await this.#snapshots.take(String(number));
    const mark = newMark();
    const fed = input.digest === null ? {} : { used_inputs_digest: input.digest };
    this.#state.keep({ base: this.#state.current.host.base ?? snapshot, mark, ...fed });
    const started = this.#state.apply({
      type: 'attempt_started',
      timestamp: new Date(io().now()).toISOString(),
      snapshot,
    });
    if (started.type === 'refused') return started;
    const attempt = await this.#run(number, mark, watcher, input);
    try {
      for (const note of input.notes) this.note(note);
      this.#state.remember(
        'remarks',
        attempt.result.notes.map((note) => `Attempt ${number}: ${note}`),
      );
      const text = withoutSecrets(attempt.result.text, input);
      const cases = await casesOf(this.#context, { ...attempt, command: this.#command, text });
      const decision = await this.#finish({ ...attempt.result, text }, cases, snapshot, watcher);
      if (cases !== null && attempt.result.prompt === null) await this.#record(number, cases);
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
    const change = await changeSince(this.#context, this.#snapshots, this.#state.current);
    const { files, tried } = change;
    const outside = fix.outside === null ? null : cleanText(this.#context, fix.outside);
    // A description without any change is the reason for a suspicious result.
    const isReason = this.#state.current.status === 'suspicious' && change.digest === null && outside === null;
    const said = cleanText(this.#context, fix.description ?? '');
    const description = isReason ? said : said || describeChange(change, outside);
    const digest = tried === null ? change.digest : null;
    const approach = fix.approach ?? null;
    const declared = this.#state.advance({ type: 'fix_declared', description, digest, files, outside, approach });
    const { decision } = declared;
    if (decision.type === 'refused')
      return outside === null ? explainRefusal(decision, change, this.decision.type) : decision;
    await this.#noteWeakening(change.now);
    // In error mode, a fix belongs to the attempt that verifies it.
    const number =
      this.#state.current.mode === 'error' ? this.#state.current.current_attempt : this.#state.current.attempts.length;
    const diff = this.#context.rules.redact(change.diff);
    const text = fixFile({
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

  /** Waits for the backoff. Rejects with CANCELLED. */
  async wait({ signal, onNote }: Watcher): Promise<FixDecision> {
    const { delay_seconds, attempt } = this.decision;
    if (delay_seconds > 0) onNote?.(`waiting ${Math.round(delay_seconds * 10) / 10} s before attempt ${attempt}`);
    try {
      await sleep(delay_seconds * 1_000, undefined, signal ? { signal } : {});
    } catch {
      this.cancel();
      throw new ArgusError('CANCELLED', 'The loop was cancelled while it waited. It can be resumed.');
    }
    return this.#state.apply({ type: 'waited' });
  }

  /** Returns the input for the next run. */
  input(signal?: AbortSignal): Promise<CommandInput> {
    return commandInputFor(this.#context, this.#state.current, { signal });
  }

  /**
   * Looks for answers to the prompt that stopped the last run. With `auto`, the prompt is added to the inputs file.
   * Without `auto`, someone must have changed the answers. Returns null if there are new answers, otherwise the
   * reason.
   */
  async answerPrompt(signal?: AbortSignal): Promise<string | null> {
    const { auto, host: notes } = this.#state.current;
    const prompts = auto ? [this.#insight?.error.prompt ?? ''].filter(Boolean) : undefined;
    const input = await commandInputFor(this.#context, this.#state.current, { prompts, signal });
    if (auto) this.#state.keep({ inputs_regenerated_at: new Date(io().now()).toISOString() });
    this.#state.write();
    if (input.missing.length > 0) return missingText(input);
    if (input.digest === null)
      return 'There are no inputs for its prompts. Give them with --inputs FILE, or use --auto.';
    if (input.digest === notes.used_inputs_digest)
      return `The inputs in ${input.path} did not do the last time. Correct them.`;
    const decision = this.#state.apply({ type: 'inputs_provided', digest: input.digest, inputs: null });
    return decision.type === 'refused' ? decision.reason : null;
  }

  /** Takes over the options that may change during a loop. Notes the limits that may not change. */
  adjust(wanted: Partial<WantedFix>): void {
    this.#state.adjust(wanted);
    for (const note of limitsKept(this.#state.current, wanted)) this.note(note);
  }

  resetCircuit(): FixDecision {
    return this.#state.apply({ type: 'circuit_reset' });
  }

  /**
   * True if the work tree has changed since the suspicious run. In that case a human would accept other files than the
   * tested files.
   */
  async isOutdated(): Promise<boolean> {
    const { status } = this.#state.current;
    const change = () => changeSince(this.#context, this.#snapshots, this.#state.current);
    return status === 'suspicious' && (await change()).digest !== null;
  }

  /** Records that the author of the fix has verified it, because no command can. */
  async verified(how: string): Promise<FixDecision> {
    const until = await this.#snapshots.now();
    const weakened = await weakenings(this.#context, this.#snapshots, this.#state.current, until);
    const decision = this.#state.apply({
      type: 'fix_verified',
      how,
      timestamp: new Date(io().now()).toISOString(),
      weakened,
    });
    if (weakened.length > 0) this.#state.keep({ after: await this.#snapshots.take('verified') });
    this.#state.write();
    return decision;
  }

  /** Records that the agent changed nothing. The loop stops until someone changes something. */
  noChangeMade(): void {
    this.#state.apply({ type: 'no_change_made' });
  }

  humanDecided(verdict: FixVerdict, note: string | null): FixDecision {
    return this.#state.apply({ type: 'human_decided', verdict, note, timestamp: new Date(io().now()).toISOString() });
  }

  cancel(): void {
    if (!this.decision.is_over) this.#state.apply({ type: 'cancelled' });
  }

  /** Adds addresses from research on the web to the report. */
  addSources(sources: readonly string[]): void {
    this.#state.remember('research_sources', sources);
    this.#state.write();
  }

  /** Adds the result of research to the current error. */
  addResearch(text: string): void {
    const research = researchText(text, (text) => this.#context.rules.redact(text));
    if (research === '' || this.#insight === null) return;
    const findings = findingsIn(research);
    this.#insight = { ...this.#insight, research, findings };
    this.#writeInsight();
    this.addSources(findings.sources);
  }

  /** Collects the facts about the last error, and writes the brief. */
  async prepareFix(watcher: Watcher, research?: string): Promise<string> {
    await this.#findOut(watcher, research);
    const brief = briefMarkdown(this.record);
    this.folder.write('brief.md', brief);
    return brief;
  }

  /** Learns from a finished loop, and writes its report. */
  async report(watcher: Watcher): Promise<string> {
    const { status } = this.#state.current;
    if (status === 'escalated') await this.#findOut(watcher);
    if (status === 'success' || status === 'escalated') await this.#learn();
    this.#diff = await fixedDiff(this.#context, this.#snapshots, this.#state.current);
    const { earlier, ...record } = this.record;
    const markdown = reportMarkdown({ ...record, earlier: null });
    this.folder.write('report.md', markdown);
    this.folder.writeJson('report.json', reportData({ ...record, earlier: null }));
    return earlier === null ? markdown : `> ${earlier}\n\n${markdown}`;
  }

  /** Runs only once for each error. */
  async #findOut(watcher: Watcher, research?: string): Promise<void> {
    const attempt = this.#state.current.attempts.length;
    const asked = research !== undefined && this.#insight?.research === null;
    if (this.#insight?.attempt === attempt && this.#insight.query !== null && !asked) return;
    const error = this.#insight?.attempt === attempt ? this.#insight.error : this.#errorGiven();
    const year = new Date(io().now()).getFullYear();
    watcher.onNote?.('gathering context');
    const request = { attempt, error, state: this.#state.current, research, year };
    this.#insight = await this.marked((mark) => insightOf(this.#context, { ...request, mark }, watcher));
    this.#writeInsight();
    if (this.#insight.sources.length > 0) this.addSources(this.#insight.sources);
  }

  async #learn(): Promise<void> {
    const { learned_up_to: known } = this.#state.current.host;
    const loop = { state: this.#state.current, folder: this.folder, snapshots: this.#snapshots };
    const problems = await learn(this.#context, loop, known, (upTo) => {
      this.#state.keep({ learned_up_to: upTo });
      this.#state.write();
    });
    for (const problem of problems) this.note(problem);
  }

  async #begin(): Promise<void> {
    if (this.#state.current.mode === 'error') {
      this.#state.keep({ base: await this.#snapshots.take('0') });
      const error = this.#errorGiven();
      this.#keepSource(error);
      this.#insight = newInsight(0, error);
      this.#writeInsight();
    }
    this.#state.write();
  }

  /** Ends processes that a killed process left running. An interrupted attempt is repeated. */
  async #goOn(): Promise<void> {
    const { status, host, current_attempt: number } = this.#state.current;
    const { mark } = host;
    if (mark !== null) await endMarked(mark);
    this.#state.keep({ mark: null });
    if (status === 'running') {
      const log = this.folder.putAside(`attempt_${number}.log`);
      this.#state.remember('remarks', [
        `Attempt ${number} was cut off, and is made again${log === null ? '' : `; see ${log}`}.`,
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

  async #run(number: number, mark: string, watcher: Watcher, input: CommandInput): Promise<HeardAttempt> {
    watcher.onNote?.(`attempt ${number} of ${this.#state.current.max_attempts}: ${visible(this.#command)}`);
    try {
      const request: AttemptRequest = {
        command: this.#command,
        cwd: this.#context.session.root,
        timeoutSeconds: this.#state.current.timeout_seconds,
        logPath: this.folder.logPath(number),
        mark,
        redact: (text) => withoutSecrets(this.#context.rules.redact(text), input),
        input: input.input,
        // False for a verification, because a person cannot answer its questions.
        mayAsk: this.#state.current.mode === 'command',
        program: input.program,
        env: input.env,
        signal: watcher.signal,
        // Inputs that a person gave to the command are never shown, even if the command prints them.
        onOutput: (text) => watcher.onOutput?.(withoutSecrets(text, input)),
      };
      return await (input.digest === null ? runHeard(this.#context, request) : runUnheard(request));
    } catch (thrown) {
      this.#state.keep({ mark: null });
      this.cancel();
      if (!(thrown instanceof ArgusError) || thrown.code !== 'CANCELLED') throw thrown;
      const text = 'The attempt was cancelled and its processes were ended. The loop can be resumed.';
      throw new ArgusError('CANCELLED', text, { cause: thrown });
    }
  }

  async #finish(
    result: AttemptResult,
    cases: AttemptCases | null,
    snapshot: string,
    watcher: Watcher,
  ): Promise<FixDecision> {
    const { exitCode, timedOut, durationSeconds, startedAt } = result;
    const failed = exitCode !== 0;
    const number = this.#state.current.current_attempt;
    const error = failed ? await understandRun(this.#context, this.#state.current, result) : null;
    if (error) {
      this.#keepSource(error);
      this.#insight = newInsight(number, error);
      this.#writeInsight();
    }
    const weakened = failed ? [] : await suspicions(this.#context, this.#snapshots, this.#state.current, snapshot);
    this.#state.keep({ mark: null });
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
      this.#state.keep({ after: await this.#snapshots.take(`${number}-after`) });
      this.#state.write();
    }
    watcher.onNote?.(
      `attempt ${number}: exit code ${exitCode} after ${Math.round(durationSeconds * 10) / 10} s${error ? `, ${error.headline || error.error_type}` : ''}`,
    );
    return decision;
  }

  /** Records the attempt as a run. A green run with weakened tests is not recorded. */
  async #record(number: number, { run }: AttemptCases): Promise<void> {
    const isGreen = (this.#state.current.attempts.at(-1)?.weakened ?? []).length > 0;
    if (!this.#context.session.historyEnabled || isGreen) return;
    try {
      const kept = await recordAttempt(this.#context, this.folder, number, run);
      if (kept.notStored !== undefined) for (const warning of kept.warnings) this.note(warning);
    } catch (thrown) {
      this.note(`Attempt ${number} was not recorded: ${messageOf(thrown)}`);
    }
  }

  /** Notes weakened tests before the run, while the change can still be undone. */
  async #noteWeakening(now: string): Promise<void> {
    const [first] = await weakenings(this.#context, this.#snapshots, this.#state.current, now);
    if (first === undefined) return;
    this.note(
      `The tests are not what they were (${first.file}:${first.line}, ${first.kind.replaceAll('_', ' ')}): a green run will be suspicious, no success.`,
    );
  }

  /**
   * Returns the current error. A green run that a human rejected does not count, because the failure before it still
   * exists.
   */
  #errorGiven(): FixError {
    const last = this.#state.current.attempts.findLast((attempt) => !isRejected(attempt));
    const text =
      this.#state.current.mode === 'error' && last === undefined
        ? this.#state.current.error
        : readLog(this.folder, last?.number ?? 0);
    return this.#context.rules.understand({
      text: text ?? '',
      exit_code: last?.exit_code ?? null,
      timed_out: last?.timed_out ?? null,
    });
  }

  #keepSource(error: FixError): void {
    this.#state.keep({ error_source: errorSource(error, this.#state.current, this.#context.session.root) });
  }

  #writeInsight(): void {
    this.folder.writeJson('insight.json', this.#insight);
  }
}

/** Returns the project's test command as the default verification in error mode. */
function detectedTest({ session }: LoopContext, { error, command }: WantedFix): string | undefined {
  if (command !== undefined || error === undefined) return undefined;
  return session.config.test?.command ?? detectTestCommand(session.root)?.command;
}
