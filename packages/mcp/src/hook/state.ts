/**
 * The state of the hook between calls: lines of JSON that are appended to a file in the data folder of the user, so
 * that most calls need no database. The only text about failures is the redacted text of messages. Compaction removes
 * finished entries, so that the file stays small.
 */

import { closeSync, constants, fstatSync, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { textOf as readOrNothing } from '../system/files/read.ts';
import { isStrangers, lstat } from '../system/files/way.ts';
import { writeWholeFile } from '../system/files/whole-file.ts';

/** A known failure and the message about it. */
export interface Earned {
  /** The id of its source with its state, for example `fix-…:proved`. */
  of: string;
  kind: 'proved' | 'worked' | 'refuted';
  /** The errors without their cases, as signatures and as sentences. */
  families: string[];
  /** The cases to which the entry is limited, if the errors contain too little information on their own. */
  cases?: string[];
  /** Words that the output always contains when the error occurs. */
  words: string[];
  /** The lines of the message, sanitized for output. */
  lines: string[];
  /** The run that is the evidence, or its time. */
  since?: string;
}

/** An entry of the state, stored as one line. */
export type Line =
  /** `cases` has the failed cases, with the names that the engine uses. */
  | { t: 'failed'; key: string; at: number; tree: string | null; clean: boolean; families: string[]; cases?: string[] }
  | { t: 'passed'; key: string; at: number; tree: string | null; clean: boolean }
  | {
      t: 'said';
      id: string;
      session: string;
      key: string;
      family: string;
      kind: Earned['kind'];
      at: number;
      tokens: number;
    }
  /** The tree of files on which a message was printed. */
  | { t: 'on'; id: string; tree: string | null }
  | { t: 'came'; id: string; of: 'used' | 'wrong'; at: number }
  | { t: 'earned'; entries: Earned[] }
  /** Stamp of the databases at the last search for known facts. */
  | { t: 'stamp'; stamp: string }
  | { t: 'trouble'; at: number; reason: string }
  | { t: 'reset'; at: number };

const NAME = 'hook.jsonl';
/** Size from which on the file is compacted. */
const COMPACT_BYTES = 128 * 1024;
/** Maximum size that is read. The hook never writes a file of this size. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FAILED = 100;
const MAX_CASES = 40;
const MAX_SAID = 60;

export class HookState {
  readonly #file: string;
  readonly #lines: Line[];
  readonly #bytes: number;

  private constructor(file: string, text: string) {
    this.#file = file;
    this.#bytes = text.length;
    this.#lines = text.split('\n').flatMap(parse);
  }

  /** Reads the state. It is empty if there is no file. */
  static read(folder: string): HookState {
    const file = path.join(folder, NAME);
    return new HookState(file, textOf(file));
  }

  get lines(): readonly Line[] {
    return this.#lines;
  }

  /** The newest line of a kind. */
  last<T extends Line['t']>(kind: T): Extract<Line, { t: T }> | undefined {
    return this.#lines.findLast((line): line is Extract<Line, { t: T }> => line.t === kind);
  }

  /** The open failure of a command. A failure on a commit ends only with a pass on a commit. */
  failure(key: string): Extract<Line, { t: 'failed' }> | undefined {
    let open: Extract<Line, { t: 'failed' }> | undefined;
    for (const line of this.#lines) {
      if (line.t === 'failed' && line.key === key) {
        const cases = [...new Set([...(open?.cases ?? []), ...(line.cases ?? [])])].slice(0, MAX_CASES);
        open = { ...line, clean: line.clean || open?.clean === true, cases };
      } else if (line.t === 'passed' && line.key === key && (line.clean || open?.clean === false)) open = undefined;
    }
    return open;
  }

  /** The newest pass of a command. */
  lastPass(key: string): Extract<Line, { t: 'passed' }> | undefined {
    return this.#lines.findLast(
      (line): line is Extract<Line, { t: 'passed' }> => line.t === 'passed' && line.key === key,
    );
  }

  add(...lines: Line[]): void {
    mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);
    const descriptor = openSync(this.#file, flags, 0o600);
    try {
      if (!fstatSync(descriptor).isFile()) return;
      // A single write, so that lines of several processes do not mix.
      writeSync(descriptor, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    } finally {
      closeSync(descriptor);
    }
    this.#lines.push(...lines);
  }

  /** Rewrites a large file without finished entries. */
  compact(): void {
    if (this.#bytes < COMPACT_BYTES) return;
    const fresh = new HookState(this.#file, textOf(this.#file));
    writeWholeFile(
      this.#file,
      fresh
        .#kept()
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
  }

  #kept(): Line[] {
    const keys = new Set(this.#lines.flatMap((line) => (line.t === 'failed' ? [line.key] : [])));
    const isOpen = new Set([...keys].filter((key) => this.failure(key) !== undefined));
    const passes = new Set<Line | undefined>([...isOpen].map((key) => this.lastPass(key)));
    const failed = new Set(
      this.#lines.filter((line) => line.t === 'failed' && isOpen.has(line.key)).slice(-MAX_FAILED),
    );
    const said = new Set(this.#lines.flatMap((line) => (line.t === 'said' ? [line.id] : [])).slice(-MAX_SAID));
    const last = new Set<Line | undefined>([
      this.last('earned'),
      this.last('stamp'),
      this.last('trouble'),
      this.last('reset'),
    ]);
    return this.#lines.filter((line) => {
      if (line.t === 'failed') return failed.has(line);
      if (line.t === 'passed') return passes.has(line);
      if (line.t === 'said' || line.t === 'on' || line.t === 'came') return said.has(line.id);
      return last.has(line);
    });
  }
}

/** Returns nothing for a line that is incomplete or that a later version wrote. */
function parse(text: string): Line[] {
  if (!text.startsWith('{"t":')) return [];
  try {
    const line: Line = JSON.parse(text);
    return [line];
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  const stats = lstat(file);
  if (stats === undefined || isStrangers(stats)) return '';
  return readOrNothing(file, { maxBytes: MAX_BYTES, links: 'refused' }) ?? '';
}
