/**
 * Finds TAP in the output of a command, and writes each TAP document to a file for crates/report. Also corrects TAP in
 * which a runner adds or omits something.
 */

import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LIMITS } from 'argus-engine';
import { readBytes, tryReadText } from '../../system/files/read.ts';

/**
 * Matches the first line of a TAP document, with an optional prefix. pnpm, Yarn, Turborepo, Lerna and others print such
 * a prefix before each line of a package, for example `packages/cart test: ` or `[cart]: `.
 */
const VERSION_LINE = /^(.{0,200}?\s|)TAP version 1[34]$/u;

/** A document without a version, for example from Bats or Mocha, starts with its plan. */
const PLAN_LINE = /^1\.\.\d+(?:\s*#.*)?$/u;
const RESULT_LINE = /^(?:not )?ok \d+\b/u;

/** Maximum size of a document. */
const MAX_DOCUMENT_CHARACTERS = 32 * 1024 * 1024;

/** Matches a line of any TAP document. Larger outputs than MAX_SEARCHED_BYTES are not searched. */
const TAP_LINE = /^\s*(?:TAP version \d|\d+\.\.\d|(?:not )?ok\b)/mu;
const MAX_SEARCHED_BYTES = 1024 * 1024;

/**
 * Removes a copy of the output if it contains no TAP, because the test runner did not start, for example after a failed
 * build.
 */
export function removeFileWithoutTap(file: string): void {
  const text = tryReadText(file, { maxBytes: MAX_SEARCHED_BYTES, links: 'refused' });
  if (text !== undefined && !TAP_LINE.test(text)) rmSync(file);
}

interface TapDocument {
  file: string;
  length: number;
}

/** Accepts the lines of stdout in order. */
export class PrintedTap {
  readonly #dir: string;
  readonly #files: string[] = [];
  /** The open documents by the prefix of their lines. */
  readonly #open = new Map<string, TapDocument>();
  #plan: string | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  addLine(line: string): void {
    const prefix = VERSION_LINE.exec(line)?.[1];
    if (prefix !== undefined) this.#openDocument(prefix);
    else if (this.#plan !== undefined && RESULT_LINE.test(line) && !this.#open.has(''))
      this.#appendLine(this.#openDocument(''), this.#plan);
    this.#plan = PLAN_LINE.test(line) ? line : undefined;
    const linePrefix = [...this.#open.keys()].find((prefix) => prefix !== '' && line.startsWith(prefix)) ?? '';
    const document = this.#open.get(linePrefix);
    if (document !== undefined) this.#appendLine(document, line.slice(linePrefix.length));
  }

  /** Returns the written files. */
  end(): string[] {
    return this.#files;
  }

  #openDocument(prefix: string): TapDocument {
    const file = path.join(this.#dir, `printed-${this.#files.length + 1}.tap`);
    this.#files.push(file);
    const document = { file, length: 0 };
    this.#open.set(prefix, document);
    return document;
  }

  #appendLine(document: TapDocument, line: string): void {
    document.length += line.length + 1;
    if (document.length <= MAX_DOCUMENT_CHARACTERS) appendFileSync(document.file, `${line}\n`);
  }
}

/*
 * Removes the times from bats' TAP output. bats prints them if a JUnit report is requested. Only result lines change.
 */

/**
 * Matches `not ok 2 subtracts # in 4 ms`. After `# skip` without a reason, bats prints only the space before the time.
 */
const BATS_TIME = /^((?:not )?ok \d+ .*?)(?: # in \d+ ms|(?<=# skip) )$/u;

/** Accepts the output in chunks. Keeps back incomplete lines. */
export class BatsTimeRemover {
  #incompleteLine = '';

  add(piece: string): string {
    const lines = (this.#incompleteLine + piece).split('\n');
    this.#incompleteLine = lines.pop() ?? '';
    return lines.map((line) => `${line.replace(BATS_TIME, '$1')}\n`).join('');
  }

  end(): string {
    const rest = this.#incompleteLine.replace(BATS_TIME, '$1');
    this.#incompleteLine = '';
    return rest;
  }
}

/*
 * Finds errors that Node printed before it ended. If a test file could not be loaded, the report of node-tap lacks the
 * reason. These errors are added to the report as comments, which crates/report reads.
 */

/** Matches the first line of an error, for example `/srv/shop/a.js:12` or `node:internal/modules/cjs/loader:1210`. */
const ERROR_START = /^\S+:\d+$/u;
const ERROR_END = /^Node\.js v\d/u;

const MAX_LINES = 500;
const MAX_ERRORS = 64;

/** Collects errors from the lines of one stream, which must arrive in order. */
export class UncaughtErrorCollector {
  readonly #errors: string[] = [];
  #open: string[] | undefined;

  addLine(line: string): void {
    if (ERROR_START.test(line)) this.#open = [];
    if (this.#open === undefined || this.#open.length === MAX_LINES) return;
    this.#open.push(line);
    if (!ERROR_END.test(line)) return;
    if (this.#errors.length < MAX_ERRORS) this.#errors.push(this.#open.map((part) => `# ${part}\n`).join(''));
    this.#open = undefined;
  }

  /** Returns each error as lines of comments. */
  getComments(): string[] {
    return this.#errors;
  }
}

/** Adds the comments to the start of a TAP report, if the report exists. */
export function prependComments(file: string, comments: readonly string[]): void {
  if (comments.length === 0 || !existsSync(file)) return;
  const report = readBytes(file, { maxBytes: LIMITS.MAX_REPORT_BYTES, links: 'refused' });
  if (report.length > 0) writeFileSync(file, Buffer.concat([Buffer.from(comments.join('')), report]));
}
