/**
 * The state of the hook between calls. It consists of lines of JSON that are appended to a file in the user's data
 * folder, so that most calls need no database. The only text about failures is the redacted text of messages.
 * Compaction removes finished entries, so that the file stays small.
 */

import { closeSync, constants, fstatSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { RunError } from 'argus-engine';
import { getSystemCode } from '../errors.ts';
import { writeFileAtomically } from '../system/files/atomic-file.ts';
import { belongsToOtherUser, tryLstat } from '../system/files/path-safety.ts';
import { tryReadText as readOrNothing } from '../system/files/read.ts';
import { removeOldFiles } from './failure-marks.ts';

/** A known failure and the message about it. */
export interface Hint {
  /** Id of the fix or incident that the hint describes, with its state, such as `fix-…:proved`. */
  of: string;
  kind: 'proved' | 'worked' | 'refuted';
  /** Hashes that identify the errors in any case: the fields `family` and `sentence` of `RunError`. */
  families: string[];
  /**
   * The cases to which the hint is limited, because the errors alone contain too little information. Undefined if there
   * is no limit.
   */
  cases?: string[];
  /** Words that the output always contains if the error occurs. */
  words: string[];
  /** Lines of the message, already sanitized. */
  lines: string[];
  /** The commit that is the fix, if it is the only possible one. */
  commit?: string;
  /** Id of the run that proves or refutes the fix, or the time in ISO 8601 at which the solution first worked. */
  since?: string;
}

/** An entry of the state, stored as a line. `t` is the kind. */
export type StateLine =
  /** A failure of a command. `cases` has the failed cases, with the names that the engine uses. */
  | { t: 'failed'; key: string; at: number; tree: string | null; clean: boolean; families: string[]; cases?: string[] }
  /** A pass of a command. */
  | { t: 'passed'; key: string; at: number; tree: string | null; clean: boolean }
  /**
   * A passed command of a test runner, for which no run of all tests was recorded. `tree` is the tree that was tested,
   * and `key` a hash of the command.
   */
  | { t: 'ran'; at: number; tree: string | null; runner: string; key: string }
  /** The files at the start of a session of an agent. */
  | { t: 'began'; session: string; at: number; tree: string | null }
  /** A printed message. */
  | {
      t: 'said';
      id: string;
      session: string;
      key: string;
      family: string;
      kind: Hint['kind'];
      at: number;
      tokens: number;
    }
  /** Hash of the files in the work tree when a message was printed. */
  | { t: 'on'; id: string; tree: string | null }
  /** The outcome of a message: whether the failure was gone (`used`) or still there (`wrong`) after a change. */
  | { t: 'came'; id: string; of: 'used' | 'wrong'; at: number }
  /** All hints of the last search. */
  | { t: 'earned'; entries: Hint[] }
  /** The stamp of the databases at the last search for known facts. */
  | { t: 'stamp'; stamp: string }
  /** An error of the hook, which `argus doctor` shows. */
  | { t: 'trouble'; at: number; reason: string }
  /** The user reset the score. Earlier messages no longer count. */
  | { t: 'reset'; at: number };

const STATE_FILE = 'hook.jsonl';
const CALLS_FOLDER = 'hook-calls';
/**
 * Marks of tool calls are removed after this time. If the hook is configured twice, both hooks get the event of a call
 * at about the same time.
 */
const MAX_CALL_AGE_MS = 10 * 60 * 1_000;
/** The file is compacted from this size on. */
const MIN_COMPACTION_BYTES = 128 * 1024;
/** Maximum size that is read. Compaction keeps the file far below this size. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_KEPT_FAILURES = 100;
const MAX_CASES_OF_FAILURE = 40;
const MAX_KEPT_MESSAGES = 60;

export class HookState {
  readonly #file: string;
  readonly #lines: StateLine[];
  readonly #bytes: number;

  private constructor(file: string, text: string) {
    this.#file = file;
    this.#bytes = text.length;
    this.#lines = text.split('\n').flatMap(parseLine);
  }

  /** Reads the state. The state is empty if there is no file. */
  static read(folder: string): HookState {
    const file = path.join(folder, STATE_FILE);
    return new HookState(file, readStateText(file));
  }

  get lines(): readonly StateLine[] {
    return this.#lines;
  }

  /** Returns the newest line of a kind. */
  findLast<T extends StateLine['t']>(kind: T): Extract<StateLine, { t: T }> | undefined {
    return this.#lines.findLast((line): line is Extract<StateLine, { t: T }> => line.t === kind);
  }

  /**
   * Returns the failure of a command if it is still open. A failure of committed files ends only with a pass of
   * committed files.
   */
  findOpenFailure(key: string): Extract<StateLine, { t: 'failed' }> | undefined {
    let open: Extract<StateLine, { t: 'failed' }> | undefined;
    for (const line of this.#lines) {
      if (line.t === 'failed' && line.key === key) {
        const cases = [...new Set([...(open?.cases ?? []), ...(line.cases ?? [])])].slice(0, MAX_CASES_OF_FAILURE);
        open = { ...line, clean: line.clean || open?.clean === true, cases };
      } else if (line.t === 'passed' && line.key === key && (line.clean || open?.clean === false)) open = undefined;
    }
    return open;
  }

  /** Returns the newest pass of a command. */
  findLastPass(key: string): Extract<StateLine, { t: 'passed' }> | undefined {
    return this.#lines.findLast(
      (line): line is Extract<StateLine, { t: 'passed' }> => line.t === 'passed' && line.key === key,
    );
  }

  append(...lines: StateLine[]): void {
    mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);
    const descriptor = openSync(this.#file, flags, 0o600);
    try {
      if (!fstatSync(descriptor).isFile()) return;
      // A single write, so that lines of several processes are not mixed.
      writeSync(descriptor, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    } finally {
      closeSync(descriptor);
    }
    this.#lines.push(...lines);
  }

  /**
   * True for the first event of a tool call. An event can arrive twice at the same time, because agent hosts read each
   * other's files, and a plugin and a file may contain the same hook.
   */
  claimToolCall(call: string): boolean {
    const folder = path.join(path.dirname(this.#file), CALLS_FOLDER);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    try {
      writeFileSync(path.join(folder, call), '', { flag: 'wx', mode: 0o600 });
    } catch (thrown) {
      if (getSystemCode(thrown) === 'EEXIST') return false;
      throw thrown;
    }
    removeOldFiles(folder, MAX_CALL_AGE_MS);
    return true;
  }

  /** Rewrites a large file without finished entries. */
  compact(): void {
    if (this.#bytes < MIN_COMPACTION_BYTES) return;
    const fresh = new HookState(this.#file, readStateText(this.#file));
    writeFileAtomically(
      this.#file,
      fresh
        .#selectKept()
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
  }

  #selectKept(): StateLine[] {
    const keys = new Set(this.#lines.flatMap((line) => (line.t === 'failed' ? [line.key] : [])));
    const isOpen = new Set([...keys].filter((key) => this.findOpenFailure(key) !== undefined));
    const passes = new Set<StateLine | undefined>([...isOpen].map((key) => this.findLastPass(key)));
    const failed = new Set(
      this.#lines.filter((line) => line.t === 'failed' && isOpen.has(line.key)).slice(-MAX_KEPT_FAILURES),
    );
    const said = new Set(this.#lines.flatMap((line) => (line.t === 'said' ? [line.id] : [])).slice(-MAX_KEPT_MESSAGES));
    const last = new Set<StateLine | undefined>([
      this.findLast('ran'),
      this.findLast('began'),
      this.findLast('earned'),
      this.findLast('stamp'),
      this.findLast('trouble'),
      this.findLast('reset'),
    ]);
    return this.#lines.filter((line) => {
      if (line.t === 'failed') return failed.has(line);
      if (line.t === 'passed') return passes.has(line);
      if (line.t === 'said' || line.t === 'on' || line.t === 'came') return said.has(line.id);
      return last.has(line);
    });
  }
}

/** Parses a line. Returns an empty list for a line that is incomplete or that a newer version wrote. */
function parseLine(text: string): StateLine[] {
  if (!text.startsWith('{"t":')) return [];
  try {
    const line: StateLine = JSON.parse(text);
    return [line];
  } catch {
    return [];
  }
}

function readStateText(file: string): string {
  const stats = tryLstat(file);
  if (stats === undefined || belongsToOtherUser(stats)) return '';
  return readOrNothing(file, { maxBytes: MAX_BYTES, links: 'refused' }) ?? '';
}

/**
 * Selects the hints about an error: those with the same signature or the same sentence. If these alone contain too
 * little information, the case must match too.
 */
export function selectMatchingHints(
  entries: readonly Hint[],
  { family, sentence, caseName, isOfTest }: RunError,
): Hint[] {
  return entries.filter(({ families, cases }) => {
    const isSame = families.includes(family) || (sentence !== undefined && families.includes(sentence));
    return isSame && (cases === undefined ? !isOfTest : cases.includes(caseName));
  });
}

/**
 * True if an error with these words may be in the output. This cheap check rules an error out only if a word is
 * missing.
 */
export function mayContainError(printed: string, words: readonly string[]): boolean {
  const text = printed.toLowerCase();
  return words.every((word) => text.includes(word));
}
