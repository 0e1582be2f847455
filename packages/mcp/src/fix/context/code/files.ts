/**
 * Reads files of the project only: a path or symbolic link that leads out of the project counts as a missing file.
 * Sizes are bounded.
 */

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { readPart } from '../../../system/files/read.ts';

/** Source files are smaller; only the beginning of a larger file is read. */
const MAX_BYTES = 2 * 1024 * 1024;

export class ProjectFiles {
  readonly root: string;
  readonly #redact: (text: string) => string;
  readonly #texts = new Map<string, string | undefined>();

  /** `redact` applies to `lines`. */
  constructor(root: string, redact: (text: string) => string = (text) => text) {
    this.root = realpathSync(root);
    this.#redact = redact;
  }

  /** The text of a file by its relative path; undefined if it is missing or unreadable. */
  text(relative: string): string | undefined {
    if (!this.#texts.has(relative)) this.#texts.set(relative, this.#read(relative, MAX_BYTES));
    return this.#texts.get(relative);
  }

  /** Redacted lines that keep their numbers. */
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

  /** The path relative to the root, with `/`; undefined if it leads out of the project. */
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

  /** The file of this name in the folder of `from` or the nearest folder above it. */
  nearest(from: string, name: string): string | undefined {
    const parts = path.posix.dirname(from).split('/');
    const folders = parts.map((_, up) => parts.slice(0, parts.length - up).join('/'));
    return [...folders, ''].map((folder) => path.posix.join(folder, name)).find((file) => this.has(file));
  }

  /** The end of a large file. */
  tail(relative: string, bytes: number): string | undefined {
    return this.#read(relative, bytes, true);
  }

  #read(relative: string, most: number, end = false): string | undefined {
    const inside = this.inside(relative);
    if (inside === undefined) return undefined;
    try {
      const reading = { maxBytes: most, links: { within: this.root } };
      const bytes = readPart(path.join(this.root, inside), reading, end ? 'end' : 'beginning');
      // A text contains no NUL.
      return bytes.includes(0) ? undefined : bytes.toString('utf8');
    } catch {
      return undefined;
    }
  }
}

/** The redactor joins the lines of a long secret, so the missing lines are filled in to keep the numbers. */
function aligned(redacted: readonly string[], lines: readonly string[]): string[] {
  const missing = lines.length - redacted.length;
  if (missing === 0) return [...redacted];
  const first = redacted.findIndex((line, index) => line !== lines[index]);
  const last = redacted.findLastIndex((line, index) => line !== lines[index + missing]);
  const hidden = Array.from({ length: missing + last - first }, () => '[REDACTED]');
  return [...redacted.slice(0, first + 1), ...hidden, ...redacted.slice(last + 1)];
}
