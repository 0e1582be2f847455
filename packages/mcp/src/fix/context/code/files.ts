/**
 * Reads files of the project only. A path or a symbolic link that leads outside counts as missing. Only the needed part
 * of a file is kept in memory.
 */

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { readPart } from '../../../system/files/read.ts';

/** Source files are smaller. Only the beginning of a larger file is read. */
const MAX_BYTES = 2 * 1024 * 1024;

export class ProjectFiles {
  readonly root: string;
  readonly #redact: (text: string) => string;
  readonly #texts = new Map<string, string | undefined>();

  /** `redact` is applied to every shown part of a file. */
  constructor(root: string, redact: (text: string) => string = (text) => text) {
    this.root = realpathSync(root);
    this.#redact = redact;
  }

  /** Returns the text of a file by its path relative to the root. Undefined if it cannot be read. */
  text(relative: string): string | undefined {
    if (!this.#texts.has(relative)) this.#texts.set(relative, this.#read(relative, MAX_BYTES));
    return this.#texts.get(relative);
  }

  /** Returns the lines without secrets. Line numbers stay the same. */
  lines(relative: string): string[] | undefined {
    const text = this.text(relative);
    if (text === undefined) return undefined;
    const lines = aligned(this.#redact(text).split(/\r?\n/u), text.split(/\r?\n/u));
    // The text after the last newline is not a line.
    return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
  }

  has(relative: string): boolean {
    return this.text(relative) !== undefined;
  }

  /** Returns the path relative to the root with `/`. Undefined if it leads out of the project. */
  inside(file: string): string | undefined {
    try {
      const real = realpathSync(path.resolve(this.root, file));
      const relative = path.relative(this.root, real);
      if (relative === '' || relative.startsWith('..') || path.isAbsolute(relative)) return undefined;
      return relative.split(path.sep).join('/');
    } catch {
      return undefined;
    }
  }

  /** Returns the file with this name in the folder of `from`, or in the nearest folder above it. */
  nearest(from: string, name: string): string | undefined {
    const parts = path.posix.dirname(from).split('/');
    const folders = parts.map((_, up) => parts.slice(0, parts.length - up).join('/'));
    return [...folders, ''].map((folder) => path.posix.join(folder, name)).find((file) => this.has(file));
  }

  /** Returns the end of a file, which may be large. */
  tail(relative: string, bytes: number): string | undefined {
    return this.#read(relative, bytes, true);
  }

  #read(relative: string, most: number, end = false): string | undefined {
    const inside = this.inside(relative);
    if (inside === undefined) return undefined;
    try {
      const reading = { maxBytes: most, links: { within: this.root } };
      const bytes = readPart(path.join(this.root, inside), reading, end ? 'end' : 'beginning');
      // A file with a NUL byte is not a text.
      return bytes.includes(0) ? undefined : bytes.toString('utf8');
    } catch {
      return undefined;
    }
  }
}

/**
 * Restores the number of lines after redaction, because a secret of several lines becomes one line. No line between the
 * first and the last changed line is shown.
 */
function aligned(redacted: readonly string[], lines: readonly string[]): string[] {
  const missing = lines.length - redacted.length;
  if (missing === 0) return [...redacted];
  const first = redacted.findIndex((line, index) => line !== lines[index]);
  const last = redacted.findLastIndex((line, index) => line !== lines[index + missing]);
  const hidden = Array.from({ length: missing + last - first }, () => '[REDACTED]');
  return [...redacted.slice(0, first + 1), ...hidden, ...redacted.slice(last + 1)];
}
