/**
 * Runs tests and collects everything that the engine records: reports, output, git and container facts. session.ts stores
 * it.
 */

import { createWriteStream, type Stats, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RecordRunParams, ReportInput } from 'argus-engine';
import type { Config } from '../config/schema.ts';
import { ArgusError } from '../errors.ts';
import { temporaryFolder } from '../system/files/temporary.ts';
import { io } from '../system/io.ts';
import { shortLine } from '../text/untrusted.ts';
import type { ReportSource } from './adapters/adapter.ts';
import { maySucceedEmpty } from './adapters.ts';
import { cachedNote } from './advice/cached.ts';
import { elsewhereNote } from './advice/elsewhere.ts';
import { missingOf } from './advice/missing.ts';
import { notRunNote } from './advice/not-run.ts';
import { conditions } from './conditions.ts';
import type { ContainerFacts } from './containers.ts';
import { type Executed, type Execution, execute, type Held, Tail } from './execute.ts';
import { ciFacts, type GitLook, lookAtGit } from './git-state.ts';
import { GradleTasksUpToDate, notBuilt } from './jvm-builds.ts';
import { refusalIn, withoutAdditions } from './planning/additions.ts';
import { type Plan, planRun, withoutRefused } from './planning/plan.ts';
import { detectTestCommand } from './planning/test-command.ts';
import { clearUp, endMarked, killMarked, markEntry, named, newMark, UNFINDABLE } from './processes.ts';
import { BatsTimes } from './reports/bats-times.ts';
import { failedSummary } from './reports/failed-summary.ts';
import { GoJsonText } from './reports/go-json.ts';
import { PrintedReports } from './reports/printed.ts';
import { removeWithoutTap } from './reports/printed-tap.ts';
import { ShuffleWatch } from './reports/shuffle.ts';
import { prependComments } from './reports/uncaught-errors.ts';
import { globSources, isSince, runnerThatWrote, type Unread, writtenReports } from './reports/written-reports.ts';

/** Long enough for a test suite, and an end for a hang that would otherwise go unnoticed. */
const DEFAULT_TIMEOUT_SECONDS = 1_800;

/** Note for a command whose only case is the command itself. */
const NO_REPORT =
  'ended well but wrote no test report: no test ran, or its reports lie elsewhere (test.report in argus.yaml names them).';

const INTERRUPTED =
  'It was interrupted before its end: the tests that had failed by then are recorded, and the run counts as no pass.';

const RAN_AGAIN = 'It ran once more as it was typed';
const ONLY_PRINTED = ', and only what it printed was read';

/** Options that allow a run without tests. */
const MAY_BE_EMPTY = /--pass-?with-?no-?tests|--no-tests[= ](?:pass|warn)|--permit-no-files|surefire\.failIfNo/iu;

/** Output of Maven and Go with and without tests. */
const TESTS_SAID = /\bTests run: [1-9]/u;
const NO_TESTS_SAID = /\bNo tests to run\b|\bmatched no packages\b|\bNo tests found\b/u;

export interface RunRequest {
  root: string;
  config: Config;
  command?: string | undefined;
  filter?: string | undefined;
  /** Case that the filter selects, if known. */
  caseName?: string | undefined;
  timeoutSeconds?: number | undefined;
  idleTimeoutSeconds?: number | undefined;
  /** State of git at the root, if it was read before. */
  look?: GitLook | undefined;
}

export interface RunWatcher {
  signal?: AbortSignal | undefined;
  /** Called with the output for the terminal as it arrives. */
  onOutput?: ((text: string, stream: 'stdout' | 'stderr') => Held) | undefined;
  /** Called with the last printed line at each piece of output. */
  onLine?: ((line: string) => void) | undefined;
  /** Called after the start of the command, so that the caller can prepare for its end. */
  onStart?: (() => void) | undefined;
  /** Runs the command in place of `execute`, which is the default. Tests play a recording with it. */
  execute?: typeof execute | undefined;
}

/** Runs the command and calls `record` with the collected run while its report files still exist. */
export async function runTests<T>(
  request: RunRequest,
  watcher: RunWatcher,
  record: (run: RecordRunParams) => Promise<T>,
): Promise<T> {
  const folder = temporaryFolder('run');
  try {
    return await record(await observedRun(request, watcher, folder.path));
  } finally {
    folder.remove();
  }
}

/** Returns the command of the call, else of the configuration, else the detected command. */
export function testCommand(root: string, config: Config, given?: string): string {
  const command = given ?? config.test?.command ?? detectTestCommand(root)?.command;
  if (command !== undefined && /^\s*argus\s+run\b/u.test(command))
    throw new ArgusError('INVALID_INPUT', `'${shortLine(command)}' records a run of its own. Start it in a shell.`);
  if (command?.trim()) return command;
  const advice = 'Pass command, or set test.command in argus.yaml.';
  throw new ArgusError('NO_TEST_COMMAND', `No test command was found in ${root}. ${advice}`);
}

async function observedRun(request: RunRequest, watcher: RunWatcher, dir: string): Promise<RecordRunParams> {
  const { root, config } = request;
  const ownReports = config.test?.report;
  // Git reads the tree while the run is planned, before the command can change it.
  const look = request.look ?? lookAtGit(root);
  const plan = planRun({
    root,
    dir,
    env: io().env,
    command: testCommand(root, config, request.command),
    filter: request.filter,
    caseName: request.caseName,
    ownReports: ownReports !== undefined,
  });
  for (const [name, content] of Object.entries(plan.reporting.files ?? {}))
    writeFileSync(path.join(dir, name), content);

  await look.treeSeen;
  const observing = observe(plan, request, watcher, dir);
  // The other facts are collected while the command runs.
  const environment = conditions(root);
  const [observed, facts] = await Promise.all([observing, look.facts()]);
  const around = { git: facts ?? ciFacts(), environment };
  const complaint = mayBeRefused(plan, observed)
    ? refusalIn(observed.output.tail.text, { added: plan.added, dir })
    : undefined;
  if (complaint === undefined) return recordOf(plan, request, observed, around);
  const bare = withoutRefused(plan, complaint, { dir, env: io().env });
  const again = await observe(bare, request, watcher, dir);
  const onlyPrinted = again.reports.length === 0 ? ONLY_PRINTED : '';
  const note = `${plan.runner ?? 'The command'} did not take what Argus adds for a report (${shortLine(complaint)}). ${RAN_AGAIN}${onlyPrinted}.`;
  return recordOf(bare, request, { ...again, left: [note, ...again.left] }, around);
}

/** A finished command with its output and reports. */
interface Observed {
  executed: Executed;
  output: Output;
  reports: ReportInput[];
  unread: Unread;
  /** Notes on processes that it left running. */
  left: string[];
}

async function observe(plan: Plan, request: RunRequest, watcher: RunWatcher, dir: string): Promise<Observed> {
  const { root, config } = request;
  const output = new Output(plan, watcher, dir, root);
  const idleSeconds = idleTimeoutOf(request);
  const execution = {
    command: plan.command,
    cwd: root,
    env: { ...io().env, ...plan.reporting.env },
    timeoutMs: timeoutOf(request) * 1_000,
    idleMs: idleSeconds === undefined ? undefined : idleSeconds * 1_000,
    interrupt: watcher.signal,
    onOutput: (text: string, stream: 'stdout' | 'stderr') => output.add(text, stream),
    onStart: () => setImmediate(() => watcher.onStart?.()),
  };
  const { executed, left } = await executeWhole(execution, watcher.execute);
  await output.end(executed);
  const isNew = isSince(executed.startedAt);
  const unread: Unread = [];
  const isOfThisRun = (file: string, stats: Stats) =>
    isNew(file, stats) || output.upToDate?.wrote(path.relative(root, file)) === true;
  const written = await writtenReports(sourcesOf(plan, config), root, isOfThisRun, unread);
  const reports = written.length > 0 || config.test?.report !== undefined ? written : output.printedReports();
  return { executed, output, reports, unread, left };
}

function timeoutOf({ timeoutSeconds, config }: RunRequest): number {
  return timeoutSeconds ?? config.test?.timeout ?? DEFAULT_TIMEOUT_SECONDS;
}

/** Undefined by default, because a build can be silent for a long time. */
function idleTimeoutOf({ idleTimeoutSeconds, config }: RunRequest): number | undefined {
  return idleTimeoutSeconds ?? config.test?.idleTimeout;
}

function sourcesOf(plan: Plan, { test }: Config): readonly ReportSource[] {
  return test?.report === undefined ? plan.reporting.reports : globSources(test.report);
}

async function recordOf(
  plan: Plan,
  request: RunRequest,
  observed: Observed,
  around: Pick<RecordRunParams, 'git' | 'environment'>,
): Promise<RecordRunParams> {
  const { root, config, filter } = request;
  const { executed, output, reports, unread, left } = observed;
  const isQuiet = executed.exitCode === 0 && !executed.interrupted && reports.length === 0;
  const summary = isQuiet ? failedSummary(output.tail.text) : undefined;
  const exitCode = summary === undefined ? executed.exitCode : 1;
  const failed = exitCode !== 0 && !executed.interrupted;
  const { containers, notes } = failed ? await containersOf(request, executed) : { containers: [], notes: [] };
  const expectsTests = !executed.interrupted && mustHaveTests(plan, request, observed);
  const isUnreported = (plan.runner !== null || config.test?.report !== undefined) && reports.length === 0;
  if (executed.interrupted) notes.push(INTERRUPTED);
  else if (summary !== undefined) notes.push(failedQuietly(summary));
  else if (isUnreported && !failed && !expectsTests) notes.push(`${plan.runner ?? 'The command'} ${NO_REPORT}`);
  const silentSeconds = executed.fellSilent ? idleTimeoutOf(request) : undefined;
  if (silentSeconds !== undefined) notes.push(`The command had printed nothing for ${silentSeconds} s and was ended.`);
  else if (executed.timedOut)
    notes.push(`Its time of ${timeoutOf(request)} s was over, and it was ended before its end.`);
  const lack = failed ? missingOf(output.tail.text, root) : undefined;
  if (lack !== undefined) notes.push(lack);
  const elsewhere = reports.length === 0 && lack === undefined ? elsewhereNote(plan.command, root) : undefined;
  if (elsewhere !== undefined) notes.push(elsewhere);
  const isBuild = plan.runner === 'maven' || plan.runner === 'gradle';
  const unbuilt = failed && isBuild && reports.length > 0 ? notBuilt(output.tail.text) : undefined;
  if (unbuilt !== undefined) notes.push(unbuilt);
  for (const note of [cachedNote(output.tail.text), notRunNote(output.tail.text)]) if (note) notes.push(note);
  return {
    command: plan.shown,
    runner: runnerThatWrote(plan.reporting.reports, reports, plan.runner),
    startedAt: executed.startedAt,
    durationMs: executed.durationMs,
    exitCode,
    signal: executed.signal,
    timedOut: executed.timedOut,
    interrupted: executed.interrupted,
    silentMs: silentSeconds === undefined ? null : silentSeconds * 1_000,
    ...around,
    reports,
    unread,
    outputTail: plan.runner === 'pytest' ? withoutPytestHeader(output.tail.text) : output.tail.text,
    containers,
    notes: [...(plan.reporting.notes ?? []), ...notes, ...left],
    expectsTests,
    filter: filter ?? plan.ownFilter ?? null,
    shuffle: output.shuffle.end(),
  };
}

function failedQuietly(summary: string): string {
  return `The command ended with exit code 0, but it printed "${shortLine(summary)}", so the run counts as failed. Behind a pipe, the exit code is that of the last program.`;
}

async function containersOf({ root, config }: RunRequest, { startedAt }: Executed): Promise<ContainerFacts> {
  if (!config.containers?.length && config.kubernetes === undefined) return { containers: [], notes: [] };
  const { containerFacts } = await import('./containers.ts');
  return containerFacts(root, config, startedAt);
}

/** Removes the header, which would become the headline of a run without tests. */
function withoutPytestHeader(text: string): string {
  return text.replaceAll(/^(?:platform \S+ -- |(?:rootdir|cachedir|configfile|plugins): ).*\n/gmu, '');
}

/**
 * Returns true if a run without tests counts as failed. False if an option allows such a run, or if the runner itself
 * would have failed.
 */
function mustHaveTests(plan: Plan, request: RunRequest, { executed, reports, output }: Observed): boolean {
  const runner = runnerThatWrote(plan.reporting.reports, reports, plan.runner);
  if (runner === null || MAY_BE_EMPTY.test(plan.shown)) return false;
  const printed = output.tail.text;
  const filter = request.filter ?? plan.ownFilter;
  const isFilteredBuild = filter !== undefined && plan.reporting.reports.some(({ kind }) => kind === 'glob');
  // Without a report and a message, tests may still have run.
  const isTold = reports.length > 0 || NO_TESTS_SAID.test(printed) || (isFilteredBuild && !TESTS_SAID.test(printed));
  return isTold && (filter !== undefined || maySucceedEmpty(runner) || executed.exitCode !== 0);
}

/** Returns true if the command may have rejected the added options: it failed and wrote no report. */
function mayBeRefused(plan: Plan, { executed, reports }: Observed): boolean {
  const isAdded = plan.added.length > 0 || plan.reporting.env !== undefined;
  return isAdded && reports.length === 0 && executed.exitCode !== 0 && !executed.timedOut;
}

/** Runs the command. If it fails or is ended early, processes that it left running are ended too. */
async function executeWhole(execution: Execution, run = execute): Promise<{ executed: Executed; left: string[] }> {
  const mark = newMark();
  const env = { ...execution.env, ...markEntry(mark) };
  try {
    const executed = await run({ ...execution, env, onKill: () => killMarked(mark) });
    const isCutOff = executed.timedOut || executed.interrupted;
    const { notes } = await clearUp(mark, executed.exitCode === 0 && !isCutOff);
    return { executed, left: executed.timedOut ? [...notes, UNFINDABLE] : notes };
  } catch (thrown) {
    const { left } = await endMarked(mark);
    if (left.length === 0 || !(thrown instanceof ArgusError)) throw thrown;
    throw new ArgusError(thrown.code, `${thrown.message} Still running: ${named(left)}.`, { cause: thrown });
  }
}

/** Passes on the output in its usual form, and collects the data that reports need. */
class Output {
  readonly tail = new Tail();
  readonly shuffle: ShuffleWatch;
  readonly upToDate: GradleTasksUpToDate | undefined;
  readonly #watcher: RunWatcher;
  readonly #ours: (text: string) => string;
  readonly #goText: GoJsonText | undefined;
  readonly #file: ReturnType<typeof createWriteStream> | undefined;
  readonly #batsTimes: BatsTimes | undefined;
  readonly #printed: PrintedReports;
  readonly #reportOfTap: string | undefined;
  /** Set if the output is only TAP. */
  readonly #copyOfTap: string | undefined;

  constructor({ runner, reporting, added }: Plan, watcher: RunWatcher, dir: string, root: string) {
    this.#watcher = watcher;
    this.shuffle = new ShuffleWatch(runner);
    this.#ours = (text) => withoutAdditions(text, { added, dir });
    this.#printed = new PrintedReports(dir, root);
    if (runner === 'gradle') this.upToDate = new GradleTasksUpToDate(root);
    if (reporting.translate === 'bats-times') this.#batsTimes = new BatsTimes();
    if (reporting.goPrinting) this.#goText = new GoJsonText(reporting.goPrinting);
    const isKept = reporting.translate === 'go-json' || reporting.translate === 'copy';
    const reportPath = reporting.reports.find((report) => report.kind === 'file')?.path;
    if (runner === 'tap') this.#reportOfTap = reportPath;
    if (reporting.translate === 'copy') this.#copyOfTap = reportPath;
    if (isKept && reportPath !== undefined) this.#file = createWriteStream(reportPath);
  }

  add(text: string, stream: 'stdout' | 'stderr'): Held {
    this.#printed.add(text, stream);
    this.upToDate?.add(text);
    if (stream !== 'stdout') {
      this.#goText?.addError(text);
      return this.#show(text, stream);
    }
    const shown = (this.#goText ?? this.#batsTimes)?.add(text) ?? text;
    this.#file?.write(this.#goText?.takeReport() ?? text);
    return this.#show(shown, stream);
  }

  async end({ exitCode, timedOut, interrupted }: Executed): Promise<void> {
    if (this.#batsTimes) this.#show(this.#batsTimes.end(), 'stdout');
    if (this.#goText) this.#show(this.#goText.end(timedOut || interrupted ? null : exitCode), 'stdout');
    const file = this.#file;
    if (this.#goText) file?.write(this.#goText.takeReport(true));
    if (file) await new Promise<void>((resolve) => file.end(resolve));
    if (this.#copyOfTap !== undefined) removeWithoutTap(this.#copyOfTap);
    if (this.#reportOfTap !== undefined) prependComments(this.#reportOfTap, this.#printed.uncaughtErrors());
  }

  /** Returns reports from the output. Only for runs without written reports, which would have the same tests. */
  printedReports(): ReportInput[] {
    return this.#printed.end();
  }

  #show(raw: string, stream: 'stdout' | 'stderr'): Held {
    const text = this.#ours(raw);
    if (text === '') return undefined;
    this.tail.add(text);
    this.shuffle.add(text);
    this.#watcher.onLine?.(this.tail.lastLine);
    return this.#watcher.onOutput?.(text, stream);
  }
}
