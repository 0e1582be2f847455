/**
 * Finds errors that Node printed before it ended. The report of node-tap does not contain the reason why a test file
 * could not be loaded. These errors are added to it as comments, which crates/report reads.
 */

import { existsSync, writeFileSync } from 'node:fs';
import { LIMITS } from 'argus-engine';
import { readBytes } from '../../system/files/read.ts';

/** The first line of an error, for example `/srv/shop/a.js:12` or `node:internal/modules/cjs/loader:1210`. */
const PLACE = /^\S+:\d+$/u;
const END = /^Node\.js v\d/u;

const MAX_LINES = 500;
const MAX_ERRORS = 64;

/** Collects errors from the lines of a single stream, given in order. */
export class UncaughtErrors {
  readonly #errors: string[] = [];
  #open: string[] | undefined;

  line(line: string): void {
    if (PLACE.test(line)) this.#open = [];
    if (this.#open === undefined || this.#open.length === MAX_LINES) return;
    this.#open.push(line);
    if (!END.test(line)) return;
    if (this.#errors.length < MAX_ERRORS) this.#errors.push(this.#open.map((part) => `# ${part}\n`).join(''));
    this.#open = undefined;
  }

  /** Each error as lines of comments. */
  comments(): string[] {
    return this.#errors;
  }
}

/** Adds the comments at the start of a TAP report. A missing report is not created. */
export function prependComments(file: string, comments: readonly string[]): void {
  if (comments.length === 0 || !existsSync(file)) return;
  const report = readBytes(file, { maxBytes: LIMITS.MAX_REPORT_BYTES, links: 'refused' });
  if (report.length > 0) writeFileSync(file, Buffer.concat([Buffer.from(comments.join('')), report]));
}
