/**
 * Which errors a run had, as the engine signs them, with nothing stored: what the hook compares with what it knows.
 */

import { createHash } from 'node:crypto';
import path from 'node:path';
import {
  createInspector,
  type FailureKind,
  type Inspection,
  type Inspector,
  openEngine,
  type RecordRunParams,
  type ReportCase,
} from 'argus-engine';
import type { Config } from '../../config/schema.ts';
import { commandName } from '../run-of.ts';

/** One error of a run. */
export interface RunError {
  caseName: string;
  /** The error without its case, as the engine signs it: with the function of the project that it came from. */
  family: string;
  /** What it says, values included, wherever it came from; none where that is bound to the code around it. */
  saying?: string;
  /** The error says what was expected and not why it was not met: another test with the same words may be broken otherwise. */
  isOfCase: boolean;
  /** Words that stand in the error wherever it comes up. */
  words: string[];
}

/** More would say nothing more. */
const MAX_ERRORS = 20;
const MAX_WORDS = 12;
const MIN_WORD_CHARACTERS = 4;

/** The project's own rules, by which errors are told apart. */
export type Rules = Pick<Config, 'classify' | 'redact'>;

export function inspectorFor({ classify, redact }: Rules): Inspector {
  return createInspector({ rules: classify?.rules ?? [], secrets: redact?.patterns ?? [] });
}

/** The errors of a run before it is recorded; `dir` holds its reports. */
export async function errorsOf(run: RecordRunParams, rules: Rules, top: string, dir: string): Promise<RunError[]> {
  const failed = run.reports.length === 0 ? [] : await failedCases(run, rules, top, dir);
  const inspector = inspectorFor(rules);
  const ofCases = failed.slice(0, MAX_ERRORS).map((one) => errorOf(inspector, nameOf(one), one.error));
  const found = failed.length > 0 ? ofCases : [errorOf(inspector, commandName(run), run.outputTail)];
  return found.filter((one) => one !== undefined);
}

async function failedCases(run: RecordRunParams, rules: Rules, top: string, dir: string): Promise<ReportCase[]> {
  const engine = await openEngine({
    // No file is made for reading reports.
    databasePath: path.join(dir, 'none.db'),
    readOnly: true,
    projectRoot: top,
    rules: rules.classify?.rules ?? [],
    secrets: rules.redact?.patterns ?? [],
  });
  try {
    const { cases = [] } = await engine.prepareRun(run);
    return cases.filter(({ status }) => status === 'failed');
  } finally {
    await engine.close();
  }
}

/** As the engine names it. */
function nameOf({ file, suite, name }: ReportCase): string {
  return [...(file ? [file] : []), ...suite, name].join(' > ');
}

/** Undefined where there is no text. */
export function errorOf(inspector: Inspector, caseName: string, text: string | null | undefined): RunError | undefined {
  if (!text?.trim()) return undefined;
  const inspection = inspector.inspect({ text, caseName });
  const saying = sayingOf(inspection);
  return {
    caseName,
    family: inspection.familySignature,
    ...(saying === undefined ? {} : { saying }),
    isOfCase: isOfCase(inspection),
    words: wordsOf(inspection),
  };
}

/** Kinds of which the same words elsewhere are another mistake. */
const OF_CODE: ReadonlySet<FailureKind> = new Set([
  'null-dereference',
  'undefined-name',
  'missing-key',
  'out-of-range',
  'arithmetic',
  'type-error',
  'parse',
  'stack-overflow',
  'panic',
  'segmentation-fault',
]);

const MIN_SAYING_CHARACTERS = 12;

/** The lines that the engine found to be the error, as they were printed. */
function sayingOf(inspection: Inspection): string | undefined {
  const { normalized, redacted, failureKind, category } = inspection;
  if (isOfCase(inspection) || OF_CODE.has(failureKind)) return undefined;
  if (normalized.length < MIN_SAYING_CHARACTERS || !normalized.includes(' ')) return undefined;
  const lines = normalized.split('\n').map((line) => printedAs(line, redacted));
  if (lines.some((line) => line === undefined)) return undefined;
  const plain = lines.join('\n').replace(/^(?:Uncaught )?Error: /u, '');
  return createHash('sha256').update(`${category}\0${plain}`).digest('hex').slice(0, 32);
}

/** A placeholder stands for a value without spaces. */
function printedAs(line: string, text: string): string | undefined {
  const parts = line.split(/<[A-Z_]+>/u).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/gu, '\\$&'));
  return new RegExp(parts.join('\\S+'), 'u').exec(text)?.[0];
}

/** Kinds whose words are those of the test or of the runner. */
const OF_CASE: ReadonlySet<FailureKind> = new Set([
  'assertion',
  'snapshot',
  'mock-mismatch',
  'timeout',
  'http-error',
  'no-tests',
  'coverage-threshold',
  'unknown',
]);

function isOfCase({ failureKind }: Inspection): boolean {
  return OF_CASE.has(failureKind);
}

/** Placeholders stand for what is another value each time. */
function wordsOf({ normalized }: Inspection): string[] {
  const text = normalized.replaceAll(/<[A-Z_]+>/gu, ' ');
  const words = text.match(/[\p{L}_][\p{L}\p{N}_]+/gu) ?? [];
  const long = words.filter((word) => word.length >= MIN_WORD_CHARACTERS).map((word) => word.toLowerCase());
  return [...new Set(long)].slice(0, MAX_WORDS);
}
