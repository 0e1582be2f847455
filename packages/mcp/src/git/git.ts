/** The only place that starts git. Every setting by which a repository could start a program is switched off. */

import { StringDecoder } from 'node:string_decoder';
import { type Asked, type AskOptions, ask } from '../system/ask.ts';
import { io } from '../system/io.ts';
import {
  COMMANDS,
  driverSettings,
  fixedSettings,
  type GitCommand,
  gitEnvironment,
  isUnanswerable,
} from './settings.ts';

export type GitOptions = Pick<
  AskOptions,
  'signal' | 'timeoutMs' | 'maxBytes' | 'env' | 'stdin' | 'encoding' | 'onOutput'
>;

export type LinesOptions = Pick<GitOptions, 'signal' | 'timeoutMs' | 'stdin'>;

/** A command and its arguments. */
export type GitArgs = readonly [GitCommand, ...string[]];

/** Enough for a user with many settings. */
const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;

/** The names of all settings, or the reason why they are not known. */
interface Settings {
  names: string[];
  problem: string | null;
}

const UNANSWERABLE =
  'The settings of this repository name a driver in bytes that are no UTF-8, which cannot be switched off; rename it';

const NONE: Settings = { names: [], problem: null };

/** Runs git once. For several calls in a repository a shared `Git` is faster. Rejects only with CANCELLED. */
export function runGit(root: string, args: GitArgs, options: GitOptions = {}): Promise<Asked> {
  return new Git(root).run(args, options);
}

/**
 * Runs git in one folder. It reads the names of settings once, so each piece of work should create a new instance.
 * `timeoutMs` is the default for calls without their own limit.
 */
export class Git {
  readonly root: string;
  readonly #timeoutMs: number | undefined;
  #settings: Promise<Settings> | undefined;

  constructor(root: string, timeoutMs?: number) {
    this.root = root;
    this.#timeoutMs = timeoutMs;
  }

  /** Rejects only with CANCELLED. */
  async run(args: GitArgs, options: GitOptions = {}): Promise<Asked> {
    const { words, problem } = await this.#commandLine(args, options.signal);
    if (problem !== null) return { stdout: '', cut: false, exitCode: null, problem };
    return this.#ask(words, options);
  }

  /** Like `run`, but returns the output without its last newline. Throws `GitError` if the output is incomplete. */
  async text(args: GitArgs, options: GitOptions = {}): Promise<string> {
    const { stdout, cut, problem } = await this.run(args, options);
    if (problem !== null || cut) throw new GitError(problem ?? `git ${args[0]} answered more than can be read`);
    return stdout.endsWith('\n') ? stdout.slice(0, -1) : stdout;
  }

  /** Passes the lines of a long output to `wanted` until it returns false. Throws `GitError` if git fails. */
  async eachLine(args: GitArgs, wanted: (line: string) => boolean, options: LinesOptions = {}): Promise<void> {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    const onOutput = (bytes: Buffer) => {
      const lines = (rest + decoder.write(bytes)).split('\n');
      rest = lines.pop() ?? '';
      return lines.every(wanted);
    };
    const { problem } = await this.run(args, { ...options, onOutput });
    if (problem !== null) throw new GitError(problem);
  }

  async isSet(setting: string): Promise<boolean> {
    return (await this.#found(undefined)).names.includes(setting);
  }

  /**
   * The options that switch the configured drivers off, for a command line that a person runs. Throws `GitError` if the
   * drivers are not known.
   */
  async driverSettings(): Promise<string[]> {
    const { names, problem } = await this.#found(undefined);
    if (problem !== null) throw new GitError(problem);
    return driverSettings(names);
  }

  async #commandLine(
    [command, ...rest]: GitArgs,
    signal: AbortSignal | undefined,
  ): Promise<{ words: string[]; problem: string | null }> {
    const { drivers, always } = COMMANDS[command];
    const { names, problem } = drivers ? await this.#found(signal) : NONE;
    return { words: [...fixedSettings(), ...driverSettings(names), command, ...always, ...rest], problem };
  }

  #found(signal: AbortSignal | undefined): Promise<Settings> {
    this.#settings ??= this.#find(signal);
    return this.#settings;
  }

  /** Returns a problem if the settings cannot be read, so that git is not run in a way that might start a driver. */
  async #find(signal: AbortSignal | undefined): Promise<Settings> {
    const args = [...fixedSettings(), 'config', '--list', '--name-only', '-z'];
    const { stdout, cut, problem } = await this.#ask(args, { signal, maxBytes: MAX_SETTINGS_BYTES });
    if (cut) return { names: [], problem: 'The settings of this repository are more than can be read' };
    const names = [...new Set(stdout.split('\0'))];
    if (names.some(isUnanswerable)) return { names: [], problem: UNANSWERABLE };
    return { names, problem };
  }

  #ask(words: readonly string[], options: GitOptions): Promise<Asked> {
    const env = { ...gitEnvironment(io().env), ...options.env };
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs;
    return ask('git', words, { ...options, ...(timeoutMs === undefined ? {} : { timeoutMs }), cwd: this.root, env });
  }
}

/** Converts a path that was read with `encoding: 'latin1'` to readable text. */
export function asText(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

/** Git failed. The message is the first line of its error output. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

/** True when git did not answer in time, so the result is not known. */
export function isTooSlow(problem: string | null): boolean {
  return /^git did not answer /u.test(problem ?? '');
}

/**
 * True when there is a repository that git refuses to open, because it belongs to another user or is a bare repository
 * inside a work tree.
 */
export function isRefusal(problem: string | null): boolean {
  return /dubious ownership|unsafe repository|cannot use bare repository/u.test(problem ?? '');
}
