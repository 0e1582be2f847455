/**
 * `argus hook`: the hook of an agent after each of its shell commands. It is silent unless it knows the failure. Most
 * calls return without the engine, and another process records the run. The hook never fails the agent: problems become
 * a note for `argus doctor` and a line in the log.
 */

import { writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { systemCodeOf } from '../errors.ts';
import { realOr } from '../system/files/way.ts';
import { io } from '../system/io.ts';
import { answerText, type CommandEvent, readEvent } from './agents.ts';
import { type Recognised, recognise } from './commands.ts';
import type { HookPlace } from './place.ts';
import type { Earned, HookState } from './state.ts';
import type { Job } from './work.ts';

/** Marks a call that does the work of another call. */
const WORKING = '--work';

/** Maximum size of an event. Agents shorten their output to less. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024;
/** Maximum wait for the event, because some agents never close the pipe, and a person at a terminal sends nothing. */
const MAX_WAIT_MS = 5_000;
/** Maximum output in a job, so that it fits into a pipe before the other process reads it. */
const MAX_OUTPUT_CHARACTERS = 40_000;

/** Prints answers and starts the work that the agent does not wait for. */
export interface HookHost {
  print(line: string): void;
  start(job: Job): Promise<void>;
}

export async function hook(args: readonly string[]): Promise<void> {
  // An unhandled error must not affect the agent either.
  process.on('uncaughtException', () => process.exit(0));
  await takeEvent(() => readInput(process.stdin), { print, start }, args[0] === WORKING);
  process.exitCode = 0;
}

/** Answers an event, or does the work that another hook started. Never rejects. */
export async function takeEvent(read: () => Promise<string>, host: HookHost, isWork = false): Promise<void> {
  let place: HookPlace | undefined;
  try {
    const text = await read();
    if (text.trim() === '') return;
    if (isWork) {
      const { work } = await import('./work.ts');
      const job: Job = JSON.parse(text);
      const { placeOf } = await import('./place.ts');
      place = await placeOf(job.kind === 'ready' ? job.folder : job.ended.recognised.folder);
      await work(job);
    } else {
      await respond(text, host, (found) => {
        place = found;
      });
    }
  } catch (thrown) {
    const { noteTrouble } = await import('./trouble.ts');
    await noteTrouble(thrown, place);
  }
}

/** Reads up to the end of the JSON object or of the input. Returns an empty text after a timeout. */
export async function readInput(input: Readable, waitMs = MAX_WAIT_MS): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  let isGivenUp = false;
  const timer = setTimeout(() => {
    isGivenUp = true;
    input.destroy();
  }, waitMs);
  try {
    for await (const piece of input) {
      pieces.push(Buffer.from(piece));
      length += piece.length;
      if (length > MAX_INPUT_BYTES) throw new Error('the hook was handed more than 16 MB');
      const text = isEndOfObject(piece) ? textOf(pieces) : '';
      if (isObject(text)) return text;
    }
  } catch (thrown) {
    // On Windows, EOF is the end of a pipe.
    if (!isGivenUp && systemCodeOf(thrown) !== 'EOF') throw thrown;
  } finally {
    clearTimeout(timer);
    input.destroy();
  }
  return isGivenUp ? '' : textOf(pieces);
}

/** Removes a byte order mark, because PowerShell puts it before the input of a program. */
function textOf(pieces: readonly Buffer[]): string {
  return Buffer.concat(pieces)
    .toString('utf8')
    .replace(/^\uFEFF/u, '');
}

/** Avoids parsing text that cannot be complete yet. */
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
    if (systemCodeOf(thrown) === 'EAGAIN') process.stdout.write(line);
  }
}

async function respond(text: string, host: HookHost, onPlace: (place: HookPlace) => void): Promise<void> {
  const event = readEvent(text);
  if (event?.kind === 'start') return onStart(event.cwd, host, onPlace);
  if (event === undefined) return;
  const recognised = await recognise(event.command, realOr(event.cwd));
  if (recognised === undefined) return;
  const ending = await endingOf(event, recognised);
  if (ending === 'unknown') return;
  if (ending === 'passed') {
    const { isRemembered } = await import('./remembered.ts');
    if (!isRemembered(recognised)) return;
  }
  const [{ placeOf }, { HookState }] = await Promise.all([import('./place.ts'), import('./state.ts')]);
  const place = await placeOf(recognised.folder);
  if (place === undefined) return;
  onPlace(place);
  const state = HookState.read(place.folder);
  const key = await keyOf(recognised, place);
  const { output, exitCode, timedOut, durationMs, session } = event;
  const ended = {
    event: { output: output.slice(-MAX_OUTPUT_CHARACTERS), exitCode, timedOut, durationMs },
    recognised,
    ending,
    isTold: event.ending === ending && recognised.tells[ending],
    at: io().now(),
  };
  if (ending === 'passed' && state.failure(key) === undefined) return;
  const { gitFacts } = await import('../run/git-state.ts');
  // The agent continues when this process ends and may edit files.
  const look = gitFacts(recognised.folder);
  if (ending === 'passed') return host.start({ kind: 'ended', ended, session, key, git: await look });
  const found = await lookUp(state, place, { ...event, output }, ended);
  if (found !== undefined) {
    const said = answerText(event.answer, found.text);
    if (said !== undefined) host.print(`${said}\n`);
    state.add({
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
  await host.start({ kind: 'ended', ended, session, key, git: await look, said: found?.id });
}

/**
 * Handles the start of a session. It prints nothing, but starts the search for known facts before the first failure.
 */
async function onStart(cwd: string, host: HookHost, onPlace: (place: HookPlace) => void): Promise<void> {
  const [{ placeOf, stampOf }, { HookState }] = await Promise.all([import('./place.ts'), import('./state.ts')]);
  const place = await placeOf(realOr(cwd));
  if (place === undefined) return;
  onPlace(place);
  if (HookState.read(place.folder).last('stamp')?.stamp !== stampOf(place))
    await host.start({ kind: 'ready', folder: realOr(cwd) });
}

/**
 * The exit code if it is that of the command. Otherwise only a failure is read from the output, because a pass would
 * prove a fix.
 */
async function endingOf({ ending, output }: CommandEvent, { tells }: Recognised): Promise<CommandEvent['ending']> {
  if (ending !== 'unknown' && tells[ending]) return ending;
  const { saysFailed } = await import('./ending.ts');
  return saysFailed(output) ? 'failed' : 'unknown';
}

interface Found {
  id: string;
  text: string;
  family: string;
  kind: Earned['kind'];
  tokens: number;
}

/**
 * Returns the message for a failure, if there is any. Uses the engine only if the output contains the words of a known
 * failure.
 */
async function lookUp(
  state: HookState,
  place: HookPlace,
  { output, session, answer }: CommandEvent,
  ended: Extract<Job, { kind: 'ended' }>['ended'],
): Promise<Found | undefined> {
  const [{ scoreOf, wasSaid }, { stampOf }] = await Promise.all([import('./score.ts'), import('./place.ts')]);
  if (answer.form === 'none' || scoreOf(state).muted) return undefined;
  const isCurrent = state.last('stamp')?.stamp === stampOf(place);
  const entries = isCurrent ? (state.last('earned')?.entries ?? []) : undefined;
  if (entries !== undefined) {
    const { mayHold } = await import('./earned/matching.ts');
    if (!entries.some(({ words }) => mayHold(output, words))) return undefined;
  }
  const { matchOf } = await import('./earned/answer.ts');
  const match = await matchOf(place, ended, isCurrent);
  if (match === undefined || wasSaid(state, session, match.family)) return undefined;
  return { id: crypto.randomUUID(), ...match };
}

/** Starts another process for the rest of the work. The job is in the pipe before this process ends. */
async function start(job: Job): Promise<void> {
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, [io().program, 'hook', WORKING], {
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

/** Id of a command in a folder. It is a hash, so that the text of the command is not stored. */
async function keyOf({ command, folder }: Recognised, { project }: HookPlace): Promise<string> {
  const { createHash } = await import('node:crypto');
  const where = realOr(folder).slice(project.top.length);
  return createHash('sha256').update(`${where}\0${command}`).digest('hex').slice(0, 16);
}
