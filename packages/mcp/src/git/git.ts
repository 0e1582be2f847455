/**
 * The only place that starts git: with everything switched off that a repository could have started by being looked at.
 */

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

/** Settings of a user who has many. */
const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;

/** Names of all that is configured, or why they are not known. */
interface Settings {
  names: string[];
  problem: string | null;
}

const UNANSWERABLE =
  'The settings of this repository name a driver in bytes that are no UTF-8, which cannot be switched off; rename it';

const NONE: Settings = { names: [], problem: null };

/** One answer; several of one repository are cheaper from one `Git`. Rejects with CANCELLED only. */
export function runGit(root: string, args: GitArgs, options: GitOptions = {}): Promise<Asked> {
  return new Git(root).run(args, options);
}

/**
 * Git in one folder. It reads the names of settings once: make a new one for each piece of work. `timeoutMs`: for every
 * question that says no other.
 */
export class Git {
  readonly root: string;
  readonly #timeoutMs: number | undefined;
  #settings: Promise<Settings> | undefined;

  constructor(root: string, timeoutMs?: number) {
    this.root = root;
    this.#timeoutMs = timeoutMs;
  }

  /** Rejects with CANCELLED only. */
  async run(args: GitArgs, options: GitOptions = {}): Promise<Asked> {
    const { words, problem } = await this.#commandLine(args, options.signal);
    if (problem !== null) return { stdout: '', cut: false, exitCode: null, problem };
    return this.#ask(words, options);
  }

  /** The same where there is nothing to do without the whole answer: without its last newline, or thrown. */
  async text(args: GitArgs, options: GitOptions = {}): Promise<string> {
    const { stdout, cut, problem } = await this.run(args, options);
    if (problem !== null || cut) throw new GitError(problem ?? `git ${args[0]} answered more than can be read`);
    return stdout.endsWith('\n') ? stdout.slice(0, -1) : stdout;
  }

  /** Hands on the lines of a long answer as they come, until they are not wanted any more; throws where it breaks off. */
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

  /** What switches the configured drivers off, for a command line that a person runs; throws where they are not known. */
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

  /** Where they cannot be told, nothing is asked that might start them. */
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

/** Bytes of a path that `encoding: 'latin1'` kept apart, as people read them. */
export function asText(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

/** Git did not do what it was asked for; the message is its own first line. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

/** Git was asked, and what it would have said is not known. */
export function isTooSlow(problem: string | null): boolean {
  return /^git did not answer /u.test(problem ?? '');
}

/** There is a repository, and git refuses to look into it: it is another user's, or lies in the work tree of one. */
export function isRefusal(problem: string | null): boolean {
  return /dubious ownership|unsafe repository|cannot use bare repository/u.test(problem ?? '');
}
