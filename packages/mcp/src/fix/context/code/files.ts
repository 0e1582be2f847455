/**
 * Reads files of the project and only those: a path or a symbolic link that leads out of it is no file. No more of a
 * file is held than an answer can need.
 */

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { readPart } from '../../../system/files/read.ts';

/** Source files are smaller; of a larger one the beginning is read. */
const MAX_BYTES = 2 * 1024 * 1024;

export class ProjectFiles {
  readonly root: string;
  readonly #redact: (text: string) => string;
  readonly #texts = new Map<string, string | undefined>();

  /** `redact` is for what is shown of a file. */
  constructor(root: string, redact: (text: string) => string = (text) => text) {
    this.root = realpathSync(root);
    this.#redact = redact;
  }

  /** The text of a file by its path relative to the root, or undefined where there is none to read. */
  text(relative: string): string | undefined {
    if (!this.#texts.has(relative)) this.#texts.set(relative, this.#read(relative, MAX_BYTES));
    return this.#texts.get(relative);
  }

  /** Without secrets, each at its own number. */
  lines(relative: string): string[] | undefined {
    const text = this.text(relative);
    if (text === undefined) return undefined;
    const lines = aligned(this.#redact(text).split(/\r?\n/u), text.split(/\r?\n/u));
    // What follows the last newline is no line.
    return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
  }

  has(relative: string): boolean {
    return this.text(relative) !== undefined;
  }

  /** The path relative to the root with `/`, or undefined where it leads out of the project. */
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

  /** The file of this name in the folder of another one or the nearest above it. */
  nearest(from: string, name: string): string | undefined {
    const parts = path.posix.dirname(from).split('/');
    const folders = parts.map((_, up) => parts.slice(0, parts.length - up).join('/'));
    return [...folders, ''].map((folder) => path.posix.join(folder, name)).find((file) => this.has(file));
  }

  /** The end of a file that may be large. */
  tail(relative: string, bytes: number): string | undefined {
    return this.#read(relative, bytes, true);
  }

  #read(relative: string, most: number, end = false): string | undefined {
    const inside = this.inside(relative);
    if (inside === undefined) return undefined;
    try {
      const reading = { maxBytes: most, links: { within: this.root } };
      const bytes = readPart(path.join(this.root, inside), reading, end ? 'end' : 'beginning');
      // A NUL is in no text.
      return bytes.includes(0) ? undefined : bytes.toString('utf8');
    } catch {
      return undefined;
    }
  }
}

/** A secret of several lines has become one: from the first of them to the last nothing is shown. */
function aligned(redacted: readonly string[], lines: readonly string[]): string[] {
  const missing = lines.length - redacted.length;
  if (missing === 0) return [...redacted];
  const first = redacted.findIndex((line, index) => line !== lines[index]);
  const last = redacted.findLastIndex((line, index) => line !== lines[index + missing]);
  const hidden = Array.from({ length: missing + last - first }, () => '[REDACTED]');
  return [...redacted.slice(0, first + 1), ...hidden, ...redacted.slice(last + 1)];
}
