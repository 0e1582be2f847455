/**
 * Runs tests and collects everything that the engine records: reports, output, and facts about git and containers.
 * session.ts stores it.
 */

import { createWriteStream, type Stats, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PrintedCounts, RecordRunParams, ReportInput } from 'argus-engine';
import type { Config } from '../config/schema.ts';
import { getRunConditions } from '../environment/project-environment.ts';
import { ArgusError } from '../errors.ts';
import { createTemporaryFolder } from '../system/files/temporary.ts';
import { io } from '../system/io.ts';
import { toShortLine } from '../text/untrusted-text.ts';
import type { ReportSource } from './adapters/adapter.ts';
import { canSucceedWithoutTests, findRejectedOption } from './adapters.ts';
import { createCacheNote, createNotRunNote, createRemoteTestsNote } from './advice/missing-cases.ts';
import { detectMissingDependency } from './advice/missing-dependencies.ts';
import type { ContainerFacts } from './containers.ts';
import { type Backpressure, type Execution, type ExecutionResult, execute, OutputTail } from './execute.ts';
import { createCiFacts, type PendingGitState, startReadingGit } from './git-state.ts';
import { describeUnbuiltModules, UpToDateGradleTasks } from './jvm-builds.ts';
import { planRun, planWithoutAdditions, type RunPlan } from './planning/plan.ts';
import { detectTestCommand } from './planning/test-command.ts';
import {
  cleanUpProcesses,
  createRunMark,
  createRunMarkVariable,
  endMarkedProcesses,
  formatProcesses,
  killMarkedProcesses,
  MAY_STILL_RUN_WARNING,
} from './processes.ts';
import { findRejection, removeAdditions } from './reporters.ts';
import { GoJsonConverter } from './reports/go-json.ts';
import { findFailedSummary, parsePrintedCounts } from './reports/printed-failures.ts';
import { PrintedReports } from './reports/printed-reports.ts';
import { BatsTimeRemover, prependComments, removeFileWithoutTap } from './reports/printed-tap.ts';
import {
  createAgeCheck,
  createGlobSources,
  determineRunner,
  findEmptyReports,
  findReports,
  readReporterNotes,
  type UnreadReports,
} from './reports/report-listener.ts';
import { ShuffleDetector } from './reports/shuffle.ts';

/** Long enough for a test suite. Ends a command that hangs unnoticed. */
export const DEFAULT_TIMEOUT_SECONDS = 1_800;

/** Note for a command that becomes a single case, because it wrote no report. */
const NO_REPORT_NOTE =
  'succeeded but wrote no test report. Either no test ran, or the reports are elsewhere (set test.report in argus.yaml).';

const INTERRUPTED_NOTE =
  'It was interrupted before its end. The failures up to then are recorded, and the run does not count as passed.';

const RERUN_NOTE = 'It ran again without these additions';
const OUTPUT_ONLY_NOTE = ', and only its output was read';

/** Options that allow a run without tests. */
const ALLOWS_NO_TESTS = /--pass-?with-?no-?tests|--no-tests[= ](?:pass|warn)|--permit-no-files|surefire\.failIfNo/iu;

/** Output of Maven, Go and cargo for a run with tests, and for a run without tests. */
const TESTS_PRINTED = /\bTests run: [1-9]|^running [1-9]/mu;
const NO_TESTS_PRINTED = /\bNo tests to run\b|\bmatched no packages\b|\bNo tests found\b|^running 0 tests$/mu;

interface RunRequest {
  root: string;
  config: Config;
  command?: string | undefined;
  filter?: string | undefined;
  /** Full name of the case that the filter selects, if known. */
  caseName?: string | undefined;
  timeoutSeconds?: number | undefined;
  idleTimeoutSeconds?: number | undefined;
  /** State of git in the root, if the caller already started to read it. */
  gitState?: PendingGitState | undefined;
}

export interface RunWatcher {
  signal?: AbortSignal | undefined;
  /** Called with the output for the terminal as it arrives. */
  onOutput?: ((text: string, stream: 'stdout' | 'stderr') => Backpressure) | undefined;
  /** Called with the last printed line at each piece of output. */
  onLine?: ((line: string) => void) | undefined;
  /** Called after the start of the command, so that the caller can prepare for its end. */
  onStart?: (() => void) | undefined;
  /** Replaces `execute`, the default. Tests play back a recording with it. */
  execute?: typeof execute | undefined;
}

/** Runs the command and calls `record` with the collected run while its report files still exist. */
export async function runTests<T>(
  request: RunRequest,
  watcher: RunWatcher,
  record: (run: RecordRunParams) => Promise<T>,
): Promise<T> {
  const folder = createTemporaryFolder('run');
  try {
    return await record(await runAndCollect(request, watcher, folder.path));
  } finally {
    folder.remove();
  }
}

/** Returns the command of the call, otherwise the configured command, otherwise the detected command. */
export function chooseTestCommand(root: string, config: Config, requestedCommand?: string): string {
  const command = requestedCommand ?? config.test?.command ?? detectTestCommand(root)?.command;
  if (command !== undefined && /^\s*argus\s+run\b/u.test(command))
    throw new ArgusError('INVALID_INPUT', `'${toShortLine(command)}' already records a run. Start it in a shell.`);
  if (command?.trim()) return command;
  const advice = 'Pass command, or set test.command in argus.yaml.';
  throw new ArgusError('NO_TEST_COMMAND', `No test command was found in ${root}. ${advice}`);
}

async function runAndCollect(request: RunRequest, watcher: RunWatcher, dir: string): Promise<RecordRunParams> {
  const { root, config } = request;
  const configuredReports = config.test?.report;
  // Git reads the tree while the run is planned, before the command can change it.
  const gitState = request.gitState ?? startReadingGit(root);
  const plan = planRun({
    root,
    dir,
    env: io().env,
    command: chooseTestCommand(root, config, request.command),
    filter: request.filter,
    caseName: request.caseName,
    hasConfiguredReports: configuredReports !== undefined,
  });
  for (const [name, content] of Object.entries(plan.reporting.files ?? {}))
    writeFileSync(path.join(dir, name), content);

  await gitState.treeRead;
  const running = runPlan(plan, request, watcher, dir);
  // The other facts are read while the command runs.
  const environment = getRunConditions(root);
  const [finished, gitFacts] = await Promise.all([running, gitState.readFacts()]);
  const context = { git: gitFacts ?? createCiFacts(), environment };
  const rejection = mayHaveRejectedAdditions(plan, finished)
    ? findRejection(finished.output.tail.text, { addedArguments: plan.addedArguments, dir })
    : undefined;
  if (rejection === undefined) {
    checkOptions(plan, finished);
    return createRunRecord(plan, request, finished, context);
  }
  const plainPlan = planWithoutAdditions(plan, rejection, { dir, env: io().env });
  const rerun = await runPlan(plainPlan, request, watcher, dir);
  checkOptions(plainPlan, rerun);
  const outputOnlyNote = rerun.reports.length === 0 ? OUTPUT_ONLY_NOTE : '';
  const note = `${plan.runner ?? 'The command'} rejected the additions of Argus for a report (${toShortLine(rejection)}). ${RERUN_NOTE}${outputOnlyNote}.`;
  return createRunRecord(plainPlan, request, { ...rerun, notes: [note, ...rerun.notes] }, context);
}

/** Throws if the runner rejected an option of the command. Such a run says nothing about the tests. */
function checkOptions({ runner, displayCommand, reporting }: RunPlan, { executed, output, reports }: FinishedCommand) {
  // The report of Go is its output, which lists the packages even if no test ran.
  const hasNoTests = reports.length === 0 || reporting.translate === 'go-json';
  if (!hasNoTests || executed.exitCode === 0 || executed.timedOut) return;
  const line = findRejectedOption(runner, displayCommand, output.tail.text);
  if (line === undefined) return;
  const text = `${runner} ran no test, because it rejected an option of '${toShortLine(displayCommand)}': ${toShortLine(line)}.`;
  throw new ArgusError('INVALID_INPUT', `${text} Correct the command. The run was not recorded.`);
}

/** A finished command with its output and reports. */
interface FinishedCommand {
  executed: ExecutionResult;
  output: OutputCollector;
  reports: ReportInput[];
  unread: UnreadReports;
  /** Notes of reporters, and notes about processes that the command left running. */
  notes: string[];
}

async function runPlan(plan: RunPlan, request: RunRequest, watcher: RunWatcher, dir: string): Promise<FinishedCommand> {
  const { root, config } = request;
  const output = new OutputCollector(plan, watcher, dir, root);
  const idleSeconds = getIdleTimeoutSeconds(request);
  const execution = {
    command: plan.command,
    cwd: root,
    env: { ...io().env, ...plan.reporting.env },
    timeoutMs: getTimeoutSeconds(request) * 1_000,
    idleMs: idleSeconds === undefined ? undefined : idleSeconds * 1_000,
    interrupt: watcher.signal,
    onOutput: (text: string, stream: 'stdout' | 'stderr') => output.add(text, stream),
    onStart: () => setImmediate(() => watcher.onStart?.()),
  };
  const { executed, notes: processNotes } = await executeAndCleanUp(execution, watcher.execute);
  await output.end(executed);
  const isNew = createAgeCheck(executed.startedAt);
  const unread: UnreadReports = [];
  const isFromThisRun = (file: string, stats: Stats) =>
    isNew(file, stats) || output.upToDate?.hasWritten(path.relative(root, file)) === true;
  const written = await findReports(getReportSources(plan, config), root, isFromThisRun, unread);
  const isPrinted = written.length === 0 && config.test?.report === undefined;
  const reports = isPrinted ? output.createPrintedReports() : [...written, ...output.createDoctestReports()];
  // If Argus ended the process, missing reports are expected.
  if (!executed.timedOut && !executed.interrupted)
    unread.push(...findEmptyReports(plan.reporting.reports), ...(isPrinted ? output.findUnreadTests() : []));
  const notes = [...readReporterNotes(dir), ...processNotes];
  return { executed, output, reports, unread, notes };
}

function getTimeoutSeconds({ timeoutSeconds, config }: RunRequest): number {
  return timeoutSeconds ?? config.test?.timeout ?? DEFAULT_TIMEOUT_SECONDS;
}

/** Undefined by default, because a build can print nothing for a long time. */
function getIdleTimeoutSeconds({ idleTimeoutSeconds, config }: RunRequest): number | undefined {
  return idleTimeoutSeconds ?? config.test?.idleTimeout;
}

function getReportSources(plan: RunPlan, { test }: Config): readonly ReportSource[] {
  return test?.report === undefined ? plan.reporting.reports : createGlobSources(test.report);
}

async function createRunRecord(
  plan: RunPlan,
  request: RunRequest,
  finished: FinishedCommand,
  context: Pick<RecordRunParams, 'git' | 'environment'>,
): Promise<RecordRunParams> {
  const { root, config, filter } = request;
  const { executed, output, reports, unread } = finished;
  const hasSucceeded = executed.exitCode === 0 && !executed.interrupted;
  const summary = hasSucceeded ? findFailedSummary(output.tail.text) : undefined;
  const exitCode = summary === undefined ? executed.exitCode : 1;
  const failed = exitCode !== 0 && !executed.interrupted;
  const { containers, notes } = failed ? await readContainers(request, executed) : { containers: [], notes: [] };
  const expectsTests = !executed.interrupted && needsTests(plan, request, finished);
  const isUnreported = (plan.runner !== null || config.test?.report !== undefined) && reports.length === 0;
  if (executed.interrupted) notes.push(INTERRUPTED_NOTE);
  else if (summary !== undefined) notes.push(createQuietFailureNote(summary));
  else if (isUnreported && !failed && !expectsTests && unread.length === 0)
    notes.push(`${plan.runner ?? 'The command'} ${NO_REPORT_NOTE}`);
  const silentSeconds = executed.idleTimedOut ? getIdleTimeoutSeconds(request) : undefined;
  if (silentSeconds !== undefined) notes.push(`The command printed nothing for ${silentSeconds} s and was stopped.`);
  else if (executed.timedOut)
    notes.push(`It was stopped, because its time limit of ${getTimeoutSeconds(request)} s was reached.`);
  const missingNote = failed ? detectMissingDependency(output.tail.text, root) : undefined;
  if (missingNote !== undefined) notes.push(missingNote);
  const placeNote =
    reports.length === 0 && missingNote === undefined ? createRemoteTestsNote(plan.command, root) : undefined;
  if (placeNote !== undefined) notes.push(placeNote);
  const isJvmBuild = plan.runner === 'maven' || plan.runner === 'gradle';
  const unbuiltNote = failed && isJvmBuild && reports.length > 0 ? describeUnbuiltModules(output.tail.text) : undefined;
  if (unbuiltNote !== undefined) notes.push(unbuiltNote);
  for (const note of [createCacheNote(output.tail.text), createNotRunNote(output.tail.text)])
    if (note) notes.push(note);
  return {
    command: plan.displayCommand,
    runner: determineRunner(plan.reporting.reports, reports, plan.runner),
    startedAt: executed.startedAt,
    durationMs: executed.durationMs,
    exitCode,
    signal: executed.signal,
    timedOut: executed.timedOut,
    interrupted: executed.interrupted,
    silentMs: silentSeconds === undefined ? null : silentSeconds * 1_000,
    ...context,
    reports,
    unread,
    outputTail: plan.runner === 'pytest' ? removePytestHeader(output.tail.text) : output.tail.text,
    containers,
    notes: [...(plan.reporting.notes ?? []), ...notes, ...finished.notes],
    expectsTests,
    printed: readPrintedCounts(plan, finished),
    filter: filter ?? plan.commandFilter ?? null,
    shuffle: output.shuffle.end(),
  };
}

/**
 * Returns null unless a runner wrote a report itself. With a cache, the output contains the summary of tests that did
 * not run, and a configured report may contain other tests.
 */
function readPrintedCounts({ reporting }: RunPlan, { reports, output }: FinishedCommand): PrintedCounts | null {
  const printed = output.tail.text;
  const isReplayed = createCacheNote(printed) !== undefined;
  return isReplayed ? null : parsePrintedCounts(printed, determineRunner(reporting.reports, reports));
}

function createQuietFailureNote(summary: string): string {
  return `The exit code is 0, but the output contains "${toShortLine(summary)}", so the run counts as failed. In a pipe, the exit code comes from the last program.`;
}

async function readContainers({ root, config }: RunRequest, { startedAt }: ExecutionResult): Promise<ContainerFacts> {
  if (!config.containers?.length && config.kubernetes === undefined) return { containers: [], notes: [] };
  const { readContainerFacts } = await import('./containers.ts');
  return readContainerFacts(root, config, startedAt);
}

/** Removes the header. In a run without tests, the header would become the headline of the failure. */
function removePytestHeader(text: string): string {
  return text.replaceAll(/^(?:platform \S+ -- |(?:rootdir|cachedir|configfile|plugins): ).*\n/gmu, '');
}

/**
 * Returns true if a run without tests counts as failed. Returns false if an option allows such a run, or if the runner
 * itself would have failed.
 */
function needsTests(plan: RunPlan, request: RunRequest, { executed, reports, output }: FinishedCommand): boolean {
  const runner = determineRunner(plan.reporting.reports, reports, plan.runner);
  if (runner === null || ALLOWS_NO_TESTS.test(plan.displayCommand)) return false;
  const printed = output.tail.text;
  const filter = request.filter ?? plan.commandFilter;
  const isFilteredBuild = filter !== undefined && plan.reporting.reports.some(({ kind }) => kind === 'glob');
  // A run without a report and without such a message may have run tests, for example with `cargo test --quiet`.
  const isCertain =
    reports.length > 0 || ((NO_TESTS_PRINTED.test(printed) || isFilteredBuild) && !TESTS_PRINTED.test(printed));
  return isCertain && (filter !== undefined || canSucceedWithoutTests(runner) || executed.exitCode !== 0);
}

/** Returns true if the command may have rejected the added options: it failed and wrote no report. */
function mayHaveRejectedAdditions(plan: RunPlan, { executed, reports }: FinishedCommand): boolean {
  const hasAdditions = plan.addedArguments.length > 0 || plan.reporting.env !== undefined;
  return hasAdditions && reports.length === 0 && executed.exitCode !== 0 && !executed.timedOut;
}

/** Runs the command. If the command fails or is ended early, processes that it left running are ended too. */
async function executeAndCleanUp(
  execution: Execution,
  run = execute,
): Promise<{ executed: ExecutionResult; notes: string[] }> {
  const mark = createRunMark();
  const env = { ...execution.env, ...createRunMarkVariable(mark) };
  try {
    const executed = await run({ ...execution, env, onKill: () => killMarkedProcesses(mark) });
    const wasEndedEarly = executed.timedOut || executed.interrupted;
    const { notes } = await cleanUpProcesses(mark, executed.exitCode === 0 && !wasEndedEarly);
    return { executed, notes: executed.timedOut ? [...notes, MAY_STILL_RUN_WARNING] : notes };
  } catch (thrown) {
    const { left } = await endMarkedProcesses(mark);
    if (left.length === 0 || !(thrown instanceof ArgusError)) throw thrown;
    throw new ArgusError(thrown.code, `${thrown.message} Still running: ${formatProcesses(left)}.`, { cause: thrown });
  }
}

/** Passes on the output as it would be without Argus, and collects the data that reports need. */
class OutputCollector {
  readonly tail = new OutputTail();
  readonly shuffle: ShuffleDetector;
  readonly upToDate: UpToDateGradleTasks | undefined;
  readonly #watcher: RunWatcher;
  readonly #removeAdditions: (text: string) => string;
  readonly #goText: GoJsonConverter | undefined;
  readonly #file: ReturnType<typeof createWriteStream> | undefined;
  readonly #batsTimes: BatsTimeRemover | undefined;
  readonly #runner: string | null;
  readonly #printed: PrintedReports;
  readonly #tapReport: string | undefined;
  /** The file with a copy of the output. Set only if the output is TAP. */
  readonly #tapCopy: string | undefined;

  constructor({ runner, reporting, addedArguments }: RunPlan, watcher: RunWatcher, dir: string, root: string) {
    this.#watcher = watcher;
    this.#runner = runner;
    this.shuffle = new ShuffleDetector(runner);
    this.#removeAdditions = (text) => removeAdditions(text, { addedArguments, dir });
    this.#printed = new PrintedReports(dir, root);
    if (runner === 'gradle') this.upToDate = new UpToDateGradleTasks(root);
    if (reporting.translate === 'bats-times') this.#batsTimes = new BatsTimeRemover();
    if (reporting.goOutputOptions) this.#goText = new GoJsonConverter(reporting.goOutputOptions);
    const isKept = reporting.translate === 'go-json' || reporting.translate === 'copy';
    const reportPath = reporting.reports.find((report) => report.kind === 'file')?.path;
    if (runner === 'tap') this.#tapReport = reportPath;
    if (reporting.translate === 'copy') this.#tapCopy = reportPath;
    if (isKept && reportPath !== undefined) this.#file = createWriteStream(reportPath);
  }

  add(text: string, stream: 'stdout' | 'stderr'): Backpressure {
    this.#printed.add(text, stream);
    this.upToDate?.add(text);
    if (stream !== 'stdout') {
      this.#goText?.addError(text);
      return this.#show(text, stream);
    }
    const converted = (this.#goText ?? this.#batsTimes)?.add(text) ?? text;
    this.#file?.write(this.#goText?.takeReport() ?? text);
    return this.#show(converted, stream);
  }

  async end({ exitCode, timedOut, interrupted }: ExecutionResult): Promise<void> {
    if (this.#batsTimes) this.#show(this.#batsTimes.end(), 'stdout');
    if (this.#goText) this.#show(this.#goText.end(timedOut || interrupted ? null : exitCode), 'stdout');
    const file = this.#file;
    if (this.#goText) file?.write(this.#goText.takeReport(true));
    if (file) await new Promise<void>((resolve) => file.end(resolve));
    if (this.#tapCopy !== undefined) removeFileWithoutTap(this.#tapCopy);
    if (this.#tapReport !== undefined) prependComments(this.#tapReport, this.#printed.getUncaughtErrors());
  }

  /**
   * Returns reports that are created from the output. Use it only if the run wrote no reports, because those have the
   * same tests.
   */
  createPrintedReports(): ReportInput[] {
    return this.#printed.end();
  }

  /** Returns the report of the doctests that the command ran before nextest. */
  createDoctestReports(): ReportInput[] {
    return this.#runner === 'nextest' ? this.#printed.endDoctests() : [];
  }

  /** Returns tests that the output announces and does not report. Call it after [`createPrintedReports`]. */
  findUnreadTests(): UnreadReports {
    return this.#printed.findUnreadTests();
  }

  #show(raw: string, stream: 'stdout' | 'stderr'): Backpressure {
    const text = this.#removeAdditions(raw);
    if (text === '') return undefined;
    this.tail.add(text);
    this.shuffle.add(text);
    this.#watcher.onLine?.(this.tail.lastLine);
    return this.#watcher.onOutput?.(text, stream);
  }
}
