/** Adds to failures the source line that raised them. */

import path from 'node:path';
import { textOf } from '../system/files/read.ts';
import { isSecretFile } from '../system/files/secret-files.ts';

/** Larger files are mostly generated bundles, whose lines do not help. */
const MAX_FILE_BYTES = 1024 * 1024;

const MAX_LINE_CHARS = 160;

interface Placed {
  place?: string;
  testPlace?: string;
}

/** Reads each file once. */
export class SourceLines {
  readonly #root: string;
  readonly #redact: (text: string) => string;
  readonly #files = new Map<string, string[]>();

  /** `redact`: removes secrets from a line. */
  constructor(root: string, redact: (text: string) => string) {
    this.#root = root;
    this.#redact = redact;
  }

  /** Adds the source line at the place in the project's code, or otherwise at the place in the test. */
  added<T extends Placed>(failure: T): T & { sourceLine?: string } {
    const line = this.#at(failure.place ?? failure.testPlace ?? '');
    return line === undefined ? failure : { ...failure, sourceLine: line };
  }

  #at(place: string): string | undefined {
    const [, file, number] = /^(.+?):(\d+)$/u.exec(place) ?? [];
    if (file === undefined || path.isAbsolute(file) || isSecretFile(file)) return undefined;
    const line = this.#linesOf(file)[Number(number) - 1]?.trim();
    if (!line) return undefined;
    const shown = line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS - 1)}…` : line;
    return this.#redact(shown);
  }

  #linesOf(file: string): string[] {
    const known = this.#files.get(file);
    if (known !== undefined) return known;
    const text = textOf(path.join(this.#root, file), { maxBytes: MAX_FILE_BYTES, links: { within: this.#root } });
    const read = text?.split('\n') ?? [];
    this.#files.set(file, read);
    return read;
  }
}
