/**
 * What the hook remembers between its calls: lines of JSON in the user's data folder, added at the end, so that most
 * calls need no database. No text of a failure stands here but what may be said of it, which is redacted. The file stays
 * small: what is over is left out when it is written anew.
 */

import { closeSync, constants, fstatSync, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { textOf as readOrNothing } from '../system/files/read.ts';
import { isStrangers, lstat } from '../system/files/way.ts';
import { writeWholeFile } from '../system/files/whole-file.ts';

/** A failure that is known and what is to be said of it. */
export interface Earned {
  /** What it rests on, with its state: `fix-…:proved`. */
  of: string;
  kind: 'proved' | 'worked' | 'refuted';
  /** The errors, each without its case, as the engine signs them and as they were said. */
  families: string[];
  /** Where the errors say too little to be known elsewhere: the cases that they are known in. */
  cases?: string[];
  /** Words of that error, all of which stand in what is printed when it comes again. */
  words: string[];
  /** What is said, made fit to leave. */
  lines: string[];
  /** The run that earned it, or when it was. */
  since?: string;
}

/** Everything that is remembered, one line each. */
export type Line =
  /** `cases`: what failed, by the names that the engine has for it. */
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
  /** The tree of files that a message was said on. */
  | { t: 'on'; id: string; tree: string | null }
  | { t: 'came'; id: string; of: 'used' | 'wrong'; at: number }
  | { t: 'earned'; entries: Earned[] }
  /** What the databases were when what is earned was looked for. */
  | { t: 'stamp'; stamp: string }
  | { t: 'trouble'; at: number; reason: string }
  | { t: 'reset'; at: number };

const NAME = 'hook.jsonl';
/** Past this it is written anew. */
const COMPACT_BYTES = 128 * 1024;
/** No file of ours grows so large. */
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

  /** As it lies there; empty where nothing does. */
  static read(folder: string): HookState {
    const file = path.join(folder, NAME);
    return new HookState(file, textOf(file));
  }

  get lines(): readonly Line[] {
    return this.#lines;
  }

  /** The newest of a kind. */
  last<T extends Line['t']>(kind: T): Extract<Line, { t: T }> | undefined {
    return this.#lines.findLast((line): line is Extract<Line, { t: T }> => line.t === kind);
  }

  /** The failure of a command that no pass has ended: one on a commit is over when it passes on one. */
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
      // In one piece: what several processes add does not mix.
      writeSync(descriptor, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    } finally {
      closeSync(descriptor);
    }
    this.#lines.push(...lines);
  }

  /** Writes it anew without what is over, where it has grown. */
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

/** A line that was cut short, or that a later version wrote, is none. */
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
