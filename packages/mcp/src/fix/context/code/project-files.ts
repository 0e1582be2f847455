/**
 * Reads files of the project. A path or symbolic link that leads out of the project counts as a missing file. The
 * number of bytes that are read is limited.
 */

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { readPart } from '../../../system/files/read.ts';

/** Source files are smaller. Of a larger file, only the beginning is read. */
const MAX_BYTES = 2 * 1024 * 1024;

export class ProjectFiles {
  readonly root: string;
  readonly #redact: (text: string) => string;
  readonly #texts = new Map<string, string | undefined>();

  /** `readLines` applies `redact`, but `readText` and `readTail` do not. */
  constructor(root: string, redact: (text: string) => string = (text) => text) {
    this.root = realpathSync(root);
    this.#redact = redact;
  }

  /**
   * Returns the text of a file, or undefined if the file is missing or unreadable. The path is relative to the project.
   */
  readText(relative: string): string | undefined {
    if (!this.#texts.has(relative)) this.#texts.set(relative, this.#read(relative, MAX_BYTES));
    return this.#texts.get(relative);
  }

  /** Returns the redacted lines of a file. Redaction does not change line numbers. */
  readLines(relative: string): string[] | undefined {
    const text = this.readText(relative);
    if (text === undefined) return undefined;
    const lines = restoreLineNumbers(this.#redact(text).split(/\r?\n/u), text.split(/\r?\n/u));
    // An empty string after the last newline is not a line.
    return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
  }

  has(relative: string): boolean {
    return this.readText(relative) !== undefined;
  }

  /** Returns the path relative to the root, with `/`, or undefined if the path leads out of the project. */
  toRelativePath(file: string): string | undefined {
    try {
      const real = realpathSync(path.resolve(this.root, file));
      const relative = path.relative(this.root, real);
      if (relative === '' || relative.startsWith('..') || path.isAbsolute(relative)) return undefined;
      return relative.split(path.sep).join('/');
    } catch {
      return undefined;
    }
  }

  /** Finds a file with this name in the folder of `from` or in the nearest folder above. */
  findNearest(from: string, name: string): string | undefined {
    const parts = path.posix.dirname(from).split('/');
    const folders = parts.map((_, up) => parts.slice(0, parts.length - up).join('/'));
    return [...folders, ''].map((folder) => path.posix.join(folder, name)).find((file) => this.has(file));
  }

  /** Returns the end of a large file. */
  readTail(relative: string, bytes: number): string | undefined {
    return this.#read(relative, bytes, true);
  }

  #read(relative: string, maxBytes: number, end = false): string | undefined {
    const inside = this.toRelativePath(relative);
    if (inside === undefined) return undefined;
    try {
      const reading = { maxBytes, links: { within: this.root } };
      const bytes = readPart(path.join(this.root, inside), reading, end ? 'end' : 'beginning');
      // Text files contain no NUL.
      return bytes.includes(0) ? undefined : bytes.toString('utf8');
    } catch {
      return undefined;
    }
  }
}

/** Inserts lines where the redactor joined the lines of a long secret, so that later lines keep their numbers. */
function restoreLineNumbers(redacted: readonly string[], lines: readonly string[]): string[] {
  const missing = lines.length - redacted.length;
  if (missing === 0) return [...redacted];
  const first = redacted.findIndex((line, index) => line !== lines[index]);
  const last = redacted.findLastIndex((line, index) => line !== lines[index + missing]);
  const hidden = Array.from({ length: missing + last - first }, () => '[REDACTED]');
  return [...redacted.slice(0, first + 1), ...hidden, ...redacted.slice(last + 1)];
}
