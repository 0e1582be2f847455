/**
 * Finds installed programs, and runs them with a time limit, limited output and cancellation. No shell is used unless
 * the caller requests it, and a program inside the folder `cwd` is never started. A missing program or a failure is a
 * result, not a thrown error.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { ArgusError, getErrorMessage, getSystemCode } from '../errors.ts';
import { isWithin, resolveRealPath } from './files/path-safety.ts';
import { getUserHomeFolder, io } from './io.ts';

/** Enough for programs that only read local files. Callers of slower programs pass a limit of their own. */
const DEFAULT_TIMEOUT_MS = 5_000;

/** Much more than any answer needs, and much less than a large log. */
const DEFAULT_MAX_BYTES = 512 * 1024;

const MAX_DRAIN_MS = 200;

/** How long to wait for the end of a process after it was killed. */
const MAX_KILL_WAIT_MS = 2_000;

export interface ProgramOptions {
  cwd: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
  maxBytes?: number;
  /** A variable with the value undefined is removed from the environment. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Input of the program. If undefined, the program has no input. */
  stdin?: string | Buffer;
  /** `latin1` preserves bytes that are not valid UTF-8, for example in file names, with a character for each byte. */
  encoding?: 'utf8' | 'latin1';
  /**
   * Receives the output as it arrives. The output is then not collected. If it returns false, the program is stopped.
   */
  onOutput?: (bytes: Buffer) => boolean;
  /** Runs the program in the shell. Only for a command line that a person wrote. */
  shell?: boolean;
}

export interface ProgramResult {
  stdout: string;
  /** True if the output was longer than `maxBytes`. */
  cut: boolean;
  exitCode: number | null;
  /** Why the output is incomplete, as a sentence without a period. Null if it is complete. */
  problem: string | null;
}

type StopReason = 'timeout' | 'enough' | 'cancelled';

/** Runs a program and returns its output. Rejects only with CANCELLED. */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  if (options.signal?.aborted) throw createCancelledError();
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES } = options;
  const file = options.shell ? program : locateProgram(program, options.cwd);
  if (file === undefined) return createFailedResult(`${program} is not installed`);
  let child: ChildProcess;
  try {
    child = startProgram(file, args, options);
  } catch (thrown) {
    return createFailedResult(formatStartError(program, thrown));
  }
  return await new Promise<ProgramResult>((resolve, reject) => {
    const output = new LimitedBuffer(maxBytes);
    const errorOutput = new LimitedBuffer(16 * 1024);
    let stopReason: StopReason | undefined;
    let unkillable: NodeJS.Timeout | undefined;
    const stopProgram = (reason: StopReason) => {
      stopReason ??= reason;
      killProcessGroup(child, 'SIGKILL', options.cwd);
      // A process that hangs in the kernel does not end even after SIGKILL.
      unkillable ??= setTimeout(() => finish(null), MAX_KILL_WAIT_MS);
    };
    const onAbort = () => stopProgram('cancelled');
    const timer = setTimeout(() => stopProgram('timeout'), timeoutMs);
    options.signal?.addEventListener('abort', onAbort, { once: true });
    const settle = (settled: () => void) => {
      clearTimeout(timer);
      clearTimeout(unkillable);
      options.signal?.removeEventListener('abort', onAbort);
      if (stopReason === 'cancelled') reject(createCancelledError());
      else settled();
    };
    child.stdout?.on('data', (bytes: Buffer) => {
      if (stopReason === 'enough') return;
      const wantsMore = options.onOutput === undefined ? output.add(bytes) : options.onOutput(bytes);
      if (!wantsMore) stopProgram('enough');
    });
    child.stderr?.on('data', (bytes: Buffer) => errorOutput.add(bytes));
    // A program that does not read its input closes the pipe. That is not an error.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.stdin);
    waitForExit(child, MAX_DRAIN_MS).then(
      ({ code }) => finish(code),
      (thrown) => settle(() => resolve(createFailedResult(formatStartError(program, thrown)))),
    );
    const finish = (exitCode: number | null) => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      settle(() => {
        const problem = formatProblem(program, stopReason, exitCode, errorOutput.text(), timeoutMs);
        resolve({ stdout: output.text(options.encoding), cut: stopReason === 'enough', exitCode, problem });
      });
    };
  });
}

/** Searches the PATH for a name. A path is used as it is. */
function locateProgram(program: string, cwd: string): string | undefined {
  return path.basename(program) === program ? findProgram(program, cwd) : program;
}

function createFailedResult(problem: string): ProgramResult {
  return { stdout: '', cut: false, exitCode: null, problem };
}

function startProgram(
  program: string,
  args: readonly string[],
  { cwd, env, stdin, shell = false }: ProgramOptions,
): ChildProcess {
  return spawn(program, args, {
    cwd,
    shell,
    env: { ...io().env, LC_ALL: 'C', ...env },
    // The program gets a separate process group, so that its child processes can be killed with it.
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
}

export interface ProcessExit {
  code: number | null;
  killedBy: NodeJS.Signals | null;
}

/**
 * Resolves when a process has exited and its output was read. A process that it started may keep the pipes open, so
 * reading ends after `drainMs`. Rejects if the process could not be started.
 */
export function waitForExit(child: ChildProcess, drainMs: number): Promise<ProcessExit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, killedBy) => {
      const stopReading = () => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve({ code, killedBy });
      };
      // If the event loop was blocked, the timer runs before the pipe is read. `setImmediate` runs after that read.
      const drained = setTimeout(() => setImmediate(stopReading), drainMs);
      child.once('close', () => {
        clearTimeout(drained);
        resolve({ code, killedBy });
      });
    });
  });
}

/** Sends a signal to a process and to the processes that it started. */
export function killProcessGroup(child: ChildProcess, signal: NodeJS.Signals, cwd: string): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') {
      const taskkill = findProgram('taskkill', cwd);
      if (taskkill === undefined) child.kill();
      else spawn(taskkill, ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
    } else {
      process.kill(-child.pid, signal);
    }
  } catch {
    // The group has already ended.
  }
}

/** The prefix of log lines that kubectl prints several times before the actual message. */
const KUBECTL_LOG_LINE = /^[EWIF]\d{4} \d\d:\d\d:/u;

function formatProblem(
  program: string,
  stopReason: StopReason | undefined,
  exitCode: number | null,
  stderr: string,
  timeoutMs: number,
): string | null {
  if (stopReason === 'timeout') return `${program} did not answer within ${timeoutMs / 1_000} s`;
  if (stopReason === 'enough' || exitCode === 0) return null;
  const firstLine = stderr.split('\n').find((line) => line.trim() !== '' && !KUBECTL_LOG_LINE.test(line));
  return (
    firstLine?.trim() ||
    `${program} ${exitCode === null ? 'was ended by a signal' : `ended with exit code ${exitCode}`}`
  );
}

function formatStartError(program: string, thrown: unknown): string {
  return getSystemCode(thrown) === 'ENOENT' ? `${program} is not installed` : `${program}: ${getErrorMessage(thrown)}`;
}

export function createCancelledError(): ArgusError {
  return new ArgusError('CANCELLED', 'The call was cancelled, and the programs that it had started were stopped.');
}

/** Collects the beginning of an output, up to a limit. */
class LimitedBuffer {
  readonly #parts: Buffer[] = [];
  #remainingBytes: number;

  constructor(remainingBytes: number) {
    this.#remainingBytes = remainingBytes;
  }

  /** Returns false if the limit is reached. */
  add(bytes: Buffer): boolean {
    this.#parts.push(bytes.subarray(0, this.#remainingBytes));
    this.#remainingBytes = Math.max(0, this.#remainingBytes - bytes.length);
    return this.#remainingBytes > 0;
  }

  text(encoding: BufferEncoding = 'utf8'): string {
    return Buffer.concat(this.#parts).toString(encoding);
  }
}

/*
 * Finds installed programs by name, but never a program inside the project. The check is needed because Windows
 * searches the current folder first, the PATH may contain `.`, and npx puts the project's `node_modules/.bin` first.
 */

/** Returns the absolute path of a program outside of `root`, or undefined. */
export function findProgram(name: string, root: string, searchPath = io().env.PATH): string | undefined {
  return findInPath([process.platform === 'win32' ? `${name}.exe` : name], root, searchPath);
}

/**
 * True if a program is installed. This includes programs that only a shell can start, such as npm's `.cmd` files on
 * Windows.
 */
export function isProgramInstalled(name: string, root: string, searchPath = io().env.PATH): boolean {
  const files = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  return findInPath(files, root, searchPath) !== undefined;
}

/**
 * Finds the first of these files in the PATH. Checks the file before the real path of its folder, because most folders
 * do not contain the file.
 */
function findInPath(names: readonly string[], root: string, searchPath: string | undefined): string | undefined {
  const folders = (searchPath ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const files = folders.flatMap((folder) => names.map((name) => path.join(folder, name)));
  return files.find((file) => isExecutableFile(file) && isOutsideProject(path.dirname(file), root));
}

function isOutsideProject(folder: string, root: string): boolean {
  if (folder.split(/[\\/]/u).includes('node_modules')) return false;
  const real = resolveRealPath(folder);
  const project = resolveRealPath(root);
  // A project that contains the home folder cannot have come from a repository, so its folders are trusted.
  return !isWithin(real, project) || isWithin(resolveRealPath(getHomeOrOutside(project)), project);
}

/** Returns the home folder, or a folder outside the project if there is no home folder. */
function getHomeOrOutside(project: string): string {
  try {
    return getUserHomeFolder() || path.dirname(project);
  } catch {
    return path.dirname(project);
  }
}

function isExecutableFile(file: string): boolean {
  try {
    // Checked first, because most folders do not contain the file, and `existsSync` is faster than catching an error.
    if (!existsSync(file)) return false;
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
