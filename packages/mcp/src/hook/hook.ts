/**
 * `argus hook`: agents call it after each of their shell commands. It prints nothing unless it knows the failure. Most
 * calls return without loading the engine, and another process records the run. The hook never makes the agent's
 * command fail: problems become a note of `argus doctor` and a line in the log.
 */

import { writeSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { getSystemCode } from '../errors.ts';
import { resolveRealPath } from '../system/files/path-safety.ts';
import { io } from '../system/io.ts';
import { type CommandEvent, formatHookAnswer, hasFailureSummary, parseEvent } from './agent-events.ts';
import type { HookJob } from './background-job.ts';
import type { HookLocation } from './hook-location.ts';
import { findTestProgram, type RecognizedCommand, recognizeCommand } from './recognize-command.ts';
import type { Hint, HookState } from './state.ts';

/** With this argument, the hook starts itself as a second process for the remaining work, such as recording. */
const WORK_FLAG = '--work';

/** Maximum size of an event. Agents shorten their output to less than this. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024;
/**
 * Maximum wait for the next part of the event. Some agents never close the pipe, Codex starts the hooks of a session
 * with an open pipe that stays empty, and a person at a terminal sends nothing.
 */
const MAX_SILENCE_MS = 200;
/** The process that does the work exits after this time, even if something blocks it. */
const MAX_WORK_MS = 60_000;
/** Maximum output in a job, so that the job fits into the pipe before the other process reads it. */
const MAX_OUTPUT_CHARACTERS = 40_000;

/** Prints answers, and starts the work for which the agent does not wait. */
export interface HookHost {
  print(line: string): void;
  start(job: HookJob): Promise<void>;
  /** Called before the engine is loaded. Most calls never load it. */
  prepareEngine(): Promise<void>;
}

export async function runHook(args: readonly string[]): Promise<void> {
  // An unhandled error must not affect the agent either.
  process.on('uncaughtException', () => process.exit(0));
  const isWork = args[0] === WORK_FLAG;
  if (isWork) setTimeout(() => process.exit(0), MAX_WORK_MS).unref();
  await handleInput(() => readInput(process.stdin), { print, start: startWorker, prepareEngine }, isWork);
  process.exitCode = 0;
}

async function prepareEngine(): Promise<void> {
  const { tuneWasmCompiler } = await import('../system/v8.ts');
  tuneWasmCompiler('hook');
}

/** Answers an event, or does the work that another call of the hook started. Never rejects. */
export async function handleInput(read: () => Promise<string>, host: HookHost, isWork = false): Promise<void> {
  let place: HookLocation | undefined;
  try {
    const text = await read();
    if (text.trim() === '') return;
    if (isWork) {
      await host.prepareEngine();
      const { runJob } = await import('./background-job.ts');
      const job: HookJob = JSON.parse(text);
      const { findHookLocation } = await import('./hook-location.ts');
      place = await findHookLocation(job.kind === 'ready' ? job.folder : job.ended.recognized.folder);
      await runJob(job);
    } else {
      await answerEvent(text, host, (found) => {
        place = found;
      });
    }
  } catch (thrown) {
    const { logHookError } = await import('./hook-errors.ts');
    await logHookError(thrown, place);
  }
}

/**
 * Reads until the JSON object is complete or the input ends. Returns an empty text if no further part arrives within
 * `silenceMs` before that.
 */
export async function readInput(input: Readable, silenceMs = MAX_SILENCE_MS): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  let isAborted = false;
  const abort = () => {
    isAborted = true;
    input.destroy();
  };
  // On a busy machine, the time may be over before the process has looked at its pipe, so it looks once more.
  let last: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    last = setImmediate(abort);
  }, silenceMs);
  try {
    for await (const piece of input) {
      clearImmediate(last);
      timer.refresh();
      pieces.push(Buffer.from(piece));
      length += piece.length;
      if (length > MAX_INPUT_BYTES) throw new Error('the hook received more than 16 MB');
      const text = isEndOfObject(piece) ? decodePieces(pieces) : '';
      if (isObject(text)) return text;
    }
  } catch (thrown) {
    // On Windows, a pipe ends with the error EOF.
    if (!isAborted && getSystemCode(thrown) !== 'EOF') throw thrown;
  } finally {
    clearTimeout(timer);
    clearImmediate(last);
    input.destroy();
  }
  return isAborted ? '' : decodePieces(pieces);
}

/** Joins the pieces. Removes a byte order mark, which PowerShell puts before the input of a program. */
function decodePieces(pieces: readonly Buffer[]): string {
  return Buffer.concat(pieces)
    .toString('utf8')
    .replace(/^\uFEFF/u, '');
}

/** A cheap check, so that an incomplete text is not parsed. */
function isEndOfObject(piece: Buffer): boolean {
  return piece.subarray(-MAX_END_BYTES).toString('latin1').trimEnd().endsWith('}');
}

const MAX_END_BYTES = 16;

function isObject(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

function print(line: string): void {
  try {
    writeSync(1, line);
  } catch (thrown) {
    if (getSystemCode(thrown) === 'EAGAIN') process.stdout.write(line);
  }
}

async function answerEvent(text: string, host: HookHost, onPlace: OnPlace): Promise<void> {
  const event = parseEvent(text);
  if (event?.kind === 'start') return handleSessionStart(event, host, onPlace);
  if (event?.kind === 'stop') return handleStop(event, host, onPlace);
  if (event === undefined) return;
  const recognized = await recognizeCommand(event.command, resolveRealPath(event.cwd));
  if (recognized === undefined) return;
  const ending = await determineEnding(event, recognized);
  if (ending === 'unknown') return;
  if (ending === 'passed') {
    const { hasFailureMark } = await import('./failure-marks.ts');
    if (!hasFailureMark(recognized)) return notePass(recognized, onPlace);
  }
  const known = await findState(recognized.folder, onPlace);
  if (known === undefined) return;
  const { place, state } = known;
  const key = await createCommandKey(recognized, place);
  const { output, exitCode, timedOut, durationMs, session } = event;
  const ended = {
    event: { output: output.slice(-MAX_OUTPUT_CHARACTERS), exitCode, timedOut, durationMs },
    recognized,
    ending,
    isCertain: event.ending === ending && recognized.exitCodeMeaning[ending],
    at: io().now(),
  };
  if (ending === 'passed' && state.findOpenFailure(key) === undefined) return;
  if (event.call !== undefined && !state.claimToolCall(await hashText(`${session}\0${event.call}`))) return;
  const { readGitFacts } = await import('../run/git-state.ts');
  // Read the git state now, because the agent continues and may edit files when this process exits.
  const gitState = readGitFacts(recognized.folder);
  if (ending === 'passed') {
    const git = await gitState;
    await noteTestedTree(state, recognized, git?.tree ?? null);
    return host.start({ kind: 'ended', ended, session, key, git });
  }
  const found = await findHookMessage(state, place, { ...event, output }, ended, host);
  if (found !== undefined) {
    const answer = formatHookAnswer(event.answer, found.text);
    if (answer !== undefined) host.print(`${answer}\n`);
    state.append({
      t: 'said',
      id: found.id,
      session,
      key,
      family: found.family,
      kind: found.kind,
      at: ended.at,
      tokens: found.tokens,
    });
  }
  await host.start({ kind: 'ended', ended, session, key, git: await gitState, said: found?.id });
}

/** Notes the pass of a test runner that was not failing, for which no run is recorded. */
async function notePass(recognized: RecognizedCommand, onPlace: OnPlace): Promise<void> {
  if (findTestProgram(recognized.command) === undefined) return;
  const found = await findState(recognized.folder, onPlace);
  if (found === undefined) return;
  const { readTreeId } = await import('../run/git-state.ts');
  await noteTestedTree(found.state, recognized, await readTreeId(recognized.folder));
}

/** Notes for the receipt which files passed their tests. */
async function noteTestedTree(state: HookState, { command }: RecognizedCommand, tree: string | null): Promise<void> {
  const runner = findTestProgram(command);
  if (runner === undefined) return;
  const { computeDigest } = await import('../git/changes.ts');
  state.append({ t: 'ran', at: io().now(), tree, runner, key: computeDigest(command) });
}

/** Prints the receipt for the user at the end of a turn, unless the agent changed no file. */
async function handleStop({ cwd, session }: SessionEvent, host: HookHost, onPlace: OnPlace): Promise<void> {
  const folder = resolveRealPath(cwd);
  const found = await findState(folder, onPlace);
  if (found === undefined) return;
  const { readGitFacts } = await import('../run/git-state.ts');
  const git = await readGitFacts(folder);
  const began = found.state.findLast('began');
  const isUnchanged = began?.session === session ? began.tree === git?.tree : git?.dirty === false;
  if (git === null || isUnchanged) return;
  await host.prepareEngine();
  const [{ withHookSession }, { readReceipt }, { formatUserMessage }] = await Promise.all([
    import('./background-job.ts'),
    import('./receipt.ts'),
    import('./agent-events.ts'),
  ]);
  const { state, line } = await withHookSession(folder, (opened) => readReceipt(opened, git, found.state));
  if (state !== 'unknown') host.print(`${formatUserMessage(line)}\n`);
}

interface SessionEvent {
  cwd: string;
  session: string;
}

/** Called with the place of a project that has a memory, where errors of the hook are noted. */
type OnPlace = (place: HookLocation) => void;

/** Finds the memory and the state of the hook. Undefined if the project has no memory. */
async function findState(
  folder: string,
  onPlace: OnPlace,
): Promise<{ place: HookLocation; state: HookState } | undefined> {
  const [{ findHookLocation }, { HookState }] = await Promise.all([import('./hook-location.ts'), import('./state.ts')]);
  const place = await findHookLocation(folder);
  if (place === undefined) return undefined;
  onPlace(place);
  return { place, state: HookState.read(place.folder) };
}

/**
 * Handles the start of a session. Prints nothing, but notes the files for the receipt, and starts the search for known
 * facts before the first failure.
 */
async function handleSessionStart({ cwd, session }: SessionEvent, host: HookHost, onPlace: OnPlace): Promise<void> {
  const folder = resolveRealPath(cwd);
  const found = await findState(folder, onPlace);
  if (found === undefined) return;
  const { place, state } = found;
  const { readTreeId } = await import('../run/git-state.ts');
  state.append({ t: 'began', session, at: io().now(), tree: await readTreeId(folder) });
  state.compact();
  const { computeMemoryStamp } = await import('./hook-location.ts');
  if (state.findLast('stamp')?.stamp !== computeMemoryStamp(place)) await host.start({ kind: 'ready', folder });
}

/**
 * Returns the ending that the agent reported, if the exit code of the line is the exit code of the command. Otherwise,
 * reads from the output only whether the command failed. A pass is never read from the output, because it would prove a
 * fix.
 */
async function determineEnding(
  { ending, output }: CommandEvent,
  { exitCodeMeaning }: RecognizedCommand,
): Promise<CommandEvent['ending']> {
  if (ending !== 'unknown' && exitCodeMeaning[ending]) return ending;
  return hasFailureSummary(output) ? 'failed' : 'unknown';
}

interface HookMessage {
  id: string;
  text: string;
  family: string;
  kind: Hint['kind'];
  tokens: number;
}

/**
 * Returns the message about a failure, if something is known. Loads the engine only if the output contains the words of
 * a known failure.
 */
async function findHookMessage(
  state: HookState,
  place: HookLocation,
  { output, session, answer }: CommandEvent,
  ended: Extract<HookJob, { kind: 'ended' }>['ended'],
  host: HookHost,
): Promise<HookMessage | undefined> {
  const [{ computeScore, wasPrinted }, { computeMemoryStamp }] = await Promise.all([
    import('./score.ts'),
    import('./hook-location.ts'),
  ]);
  if (answer.form === 'none' || computeScore(state).muted) return undefined;
  const isCurrent = state.findLast('stamp')?.stamp === computeMemoryStamp(place);
  const entries = isCurrent ? (state.findLast('earned')?.entries ?? []) : undefined;
  if (entries !== undefined) {
    const { mayContainError } = await import('./state.ts');
    if (!entries.some(({ words }) => mayContainError(output, words))) return undefined;
  }
  await host.prepareEngine();
  const { findMatchingHint } = await import('./hints/find-match.ts');
  const match = await findMatchingHint(place, ended, isCurrent);
  if (match === undefined || wasPrinted(state, session, match.family)) return undefined;
  return { id: crypto.randomUUID(), ...match };
}

/** Starts another process for the rest of the work. The job is written to the pipe before this process exits. */
async function startWorker(job: HookJob): Promise<void> {
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'hook.mjs'), WORK_FLAG], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
  });
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  await new Promise<void>((resolve) => {
    child.stdin.on('close', () => resolve());
    child.stdin.end(JSON.stringify(job), () => resolve());
  });
  child.unref();
}

/**
 * Returns an id for a command in a folder, with the variables that the line sets, because a pass with other variables
 * proves no fix. The id is a hash, so that the text of the command is not stored.
 */
async function createCommandKey(
  { command, folder, variables }: RecognizedCommand,
  { project }: HookLocation,
): Promise<string> {
  return hashText(
    [resolveRealPath(folder).slice(project.top.length), command, ...(variables === '' ? [] : [variables])].join('\0'),
  );
}

async function hashText(text: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
