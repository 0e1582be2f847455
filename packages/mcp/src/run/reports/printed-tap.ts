/** Finds TAP in the output of a command and writes each TAP document to a file. crates/report reads it. */

import { appendFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { textOf } from '../../system/files/read.ts';

/**
 * Prefix that pnpm, Yarn, Turborepo, Lerna and others print before each line of a package, for example
 * `packages/cart test: ` or `[cart]: `.
 */
const VERSION = /^(.{0,200}?\s|)TAP version 1[34]$/u;

/** A document without a version starts with its plan, for example from Bats or Mocha. */
const PLAN = /^1\.\.\d+(?:\s*#.*)?$/u;
const RESULT = /^(?:not )?ok \d+\b/u;

/** Maximum size of a document. */
const MAX_DOCUMENT_CHARACTERS = 32 * 1024 * 1024;

/** A line of any TAP document. Only outputs up to this number of bytes are searched for it. */
const TAP_LINE = /^\s*(?:TAP version \d|\d+\.\.\d|(?:not )?ok\b)/mu;
const MAX_SEARCHED_BYTES = 1024 * 1024;

/**
 * Removes a copy of the output without TAP, because the test runner was not reached, for example after a failed build.
 */
export function removeWithoutTap(file: string): void {
  const text = textOf(file, { maxBytes: MAX_SEARCHED_BYTES, links: 'refused' });
  if (text !== undefined && !TAP_LINE.test(text)) rmSync(file);
}

interface Document {
  file: string;
  length: number;
}

/** Accepts the lines of stdout in order. */
export class PrintedTap {
  readonly #dir: string;
  readonly #files: string[] = [];
  /** The open documents by the prefix of their lines. */
  readonly #open = new Map<string, Document>();
  #plan: string | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  line(line: string): void {
    const prefix = VERSION.exec(line)?.[1];
    if (prefix !== undefined) this.#begin(prefix);
    else if (this.#plan !== undefined && RESULT.test(line) && !this.#open.has(''))
      this.#write(this.#begin(''), this.#plan);
    this.#plan = PLAN.test(line) ? line : undefined;
    const own = [...this.#open.keys()].find((before) => before !== '' && line.startsWith(before)) ?? '';
    const document = this.#open.get(own);
    if (document !== undefined) this.#write(document, line.slice(own.length));
  }

  /** The written files. */
  end(): string[] {
    return this.#files;
  }

  #begin(prefix: string): Document {
    const file = path.join(this.#dir, `printed-${this.#files.length + 1}.tap`);
    this.#files.push(file);
    const document = { file, length: 0 };
    this.#open.set(prefix, document);
    return document;
  }

  #write(document: Document, line: string): void {
    document.length += line.length + 1;
    if (document.length <= MAX_DOCUMENT_CHARACTERS) appendFileSync(document.file, `${line}\n`);
  }
}
