/**
 * Finds the errors that Node printed on its way out. node-tap's report does not say why a file of tests could not be
 * loaded; as comments before it they do. Reading them: crates/report.
 */

import { existsSync, writeFileSync } from 'node:fs';
import { LIMITS } from 'argus-engine';
import { readBytes } from '../../system/files/read.ts';

/** `/srv/shop/a.js:12`, `node:internal/modules/cjs/loader:1210`: what an error begins with. */
const PLACE = /^\S+:\d+$/u;
const END = /^Node\.js v\d/u;

const MAX_LINES = 500;
const MAX_ERRORS = 64;

/** Takes the lines of one stream, in order. */
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

  /** Each as lines of comments. */
  comments(): string[] {
    return this.#errors;
  }
}

/** Puts the comments before a report of TAP; one that was not written stays none. */
export function prependComments(file: string, comments: readonly string[]): void {
  if (comments.length === 0 || !existsSync(file)) return;
  const report = readBytes(file, { maxBytes: LIMITS.MAX_REPORT_BYTES, links: 'refused' });
  if (report.length > 0) writeFileSync(file, Buffer.concat([Buffer.from(comments.join('')), report]));
}
