/**
 * Runs git. No other file starts git, and every setting by which a repository could start a program is disabled here.
 */

import { StringDecoder } from 'node:string_decoder';
import { io } from '../system/io.ts';
import { type ProgramOptions, type ProgramResult, runProgram } from '../system/programs.ts';
import {
  createDriverOptions,
  createFixedOptions,
  createGitEnvironment,
  GIT_COMMANDS,
  type GitCommand,
  isUndecodableDriver,
} from './settings.ts';

export type GitOptions = Pick<
  ProgramOptions,
  'signal' | 'timeoutMs' | 'maxBytes' | 'env' | 'stdin' | 'encoding' | 'onOutput'
>;

type LinesOptions = Pick<GitOptions, 'signal' | 'timeoutMs' | 'stdin'>;

/** A command of git and its arguments. */
export type GitArgs = readonly [GitCommand, ...string[]];

/** Enough for a user with many settings. */
const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;

/** Names of all settings of a repository, or the reason why they are not known. */
interface SettingNames {
  names: string[];
  problem: string | null;
}

const UNDECODABLE_DRIVER_PROBLEM =
  'The settings of this repository name a driver that is not valid UTF-8, so it cannot be disabled; rename it';

const NO_SETTINGS: SettingNames = { names: [], problem: null };

/** Runs git once. For several calls in a repository, a shared `Git` is faster. Rejects only with CANCELLED. */
export function runGit(root: string, args: GitArgs, options: GitOptions = {}): Promise<ProgramResult> {
  return new Git(root).run(args, options);
}

/**
 * Runs git in a folder. An instance reads the names of settings once, so create a new instance for each piece of work.
 * `timeoutMs` is the default for calls without their own limit.
 */
export class Git {
  readonly root: string;
  readonly #timeoutMs: number | undefined;
  #settings: Promise<SettingNames> | undefined;

  constructor(root: string, timeoutMs?: number) {
    this.root = root;
    this.#timeoutMs = timeoutMs;
  }

  /** Runs a command. Rejects only with CANCELLED. */
  async run(args: GitArgs, options: GitOptions = {}): Promise<ProgramResult> {
    const { words, problem } = await this.#createCommandLine(args, options.signal);
    if (problem !== null) return { stdout: '', cut: false, exitCode: null, problem };
    return this.#runProgram(words, options);
  }

  /**
   * Like `run`, but returns the output without its last newline. Throws `GitError` if git fails or the output is
   * incomplete.
   */
  async readText(args: GitArgs, options: GitOptions = {}): Promise<string> {
    const { stdout, cut, problem } = await this.run(args, options);
    if (problem !== null || cut) throw new GitError(problem ?? `the output of git ${args[0]} is too large`);
    return stdout.endsWith('\n') ? stdout.slice(0, -1) : stdout;
  }

  /** Passes the lines of a long output to `takeLine` until it returns false. Throws `GitError` if git fails. */
  async forEachLine(args: GitArgs, takeLine: (line: string) => boolean, options: LinesOptions = {}): Promise<void> {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    const onOutput = (bytes: Buffer) => {
      const lines = (rest + decoder.write(bytes)).split('\n');
      rest = lines.pop() ?? '';
      return lines.every(takeLine);
    };
    const { problem } = await this.run(args, { ...options, onOutput });
    if (problem !== null) throw new GitError(problem);
  }

  async hasSetting(setting: string): Promise<boolean> {
    return (await this.#getSettings(undefined)).names.includes(setting);
  }

  /**
   * Returns the options that disable the configured drivers, for a command line that a person runs. Throws `GitError`
   * if the drivers are not known.
   */
  async readDriverOptions(): Promise<string[]> {
    const { names, problem } = await this.#getSettings(undefined);
    if (problem !== null) throw new GitError(problem);
    return createDriverOptions(names);
  }

  async #createCommandLine(
    [command, ...rest]: GitArgs,
    signal: AbortSignal | undefined,
  ): Promise<{ words: string[]; problem: string | null }> {
    const { drivers, always } = GIT_COMMANDS[command];
    const { names, problem } = drivers ? await this.#getSettings(signal) : NO_SETTINGS;
    return { words: [...createFixedOptions(), ...createDriverOptions(names), command, ...always, ...rest], problem };
  }

  #getSettings(signal: AbortSignal | undefined): Promise<SettingNames> {
    this.#settings ??= this.#readSettings(signal);
    return this.#settings;
  }

  /**
   * Reads the names of the settings. Returns a problem if they cannot be read. In that case, git is not run, because it
   * could start a driver.
   */
  async #readSettings(signal: AbortSignal | undefined): Promise<SettingNames> {
    const args = [...createFixedOptions(), 'config', '--list', '--name-only', '-z'];
    const { stdout, cut, problem } = await this.#runProgram(args, { signal, maxBytes: MAX_SETTINGS_BYTES });
    if (cut) return { names: [], problem: 'The settings of this repository are too large' };
    const names = [...new Set(stdout.split('\0'))];
    if (names.some(isUndecodableDriver)) return { names: [], problem: UNDECODABLE_DRIVER_PROBLEM };
    return { names, problem };
  }

  #runProgram(words: readonly string[], options: GitOptions): Promise<ProgramResult> {
    const env = { ...createGitEnvironment(io().env), ...options.env };
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs;
    return runProgram('git', words, {
      ...options,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      cwd: this.root,
      env,
    });
  }
}

/** Converts a path that was read with `encoding: 'latin1'` to readable text. */
export function decodePath(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

/** Thrown if git fails. The message is the first line of git's error output. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

/** True if git did not answer in time, so that the result is not known. */
export function isTimeout(problem: string | null): boolean {
  return /^git did not answer /u.test(problem ?? '');
}

/**
 * True if git refuses to open a repository, because it belongs to another user or is a bare repository inside a work
 * tree.
 */
export function isRefusedRepository(problem: string | null): boolean {
  return /dubious ownership|unsafe repository|cannot use bare repository/u.test(problem ?? '');
}
