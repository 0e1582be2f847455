/**
 * Reads the checked-in memories of earlier versions and compares their answers and content with those of the current
 * build.
 */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { z } from 'zod';
import { type Content, countEntries, type Recurrence, type SuggestedFix } from './memory.ts';

const fixturesFolder = path.dirname(fileURLToPath(import.meta.url));

/** Versions that have a fixture; each is a folder. */
export const FIXTURE_VERSIONS = readdirSync(fixturesFolder).filter((name) => /^\d/u.test(name));

/** Maximum number of exceptions of a version in `exceptions.json`. */
const MAX_EXCEPTIONS = 3;

const idListSchema = z.array(z.string());
const suggestionSchema = z.object({ pattern: z.string(), fixId: z.string(), fix: z.string() });

const contentSchema = z.object({
  patterns: z.record(
    z.string(),
    z.object({
      occurrences: z.number(),
      resolutions: z.number(),
      aliases: idListSchema,
      solutions: idListSchema,
      fixes: z.record(z.string(), z.string()),
    }),
  ),
  incidents: z.record(z.string(), z.object({ solutions: z.record(z.string(), idListSchema) })),
  shared: idListSchema,
  runs: z.record(z.string(), z.number()),
  evidence: z.record(z.string(), z.number()),
  changes: idListSchema,
}) satisfies z.ZodType<Content>;

/** `team` counts the rows of the team server's own schema. */
const contentsSchema = z.object({
  sqlite: contentSchema,
  postgres: contentSchema,
  team: z.object({ tokens: idListSchema, auditEntries: z.number() }),
});

const recognizedSchema = z.object({
  startedAt: z.number(),
  runs: z.array(
    z.object({
      report: z.object({ name: z.string(), text: z.string() }).exactOptional(),
      command: z.string().exactOptional(),
      printed: z.string().exactOptional(),
      exitCode: z.number().exactOptional(),
      foreign: z.boolean(),
      cases: idListSchema,
    }) satisfies z.ZodType<Recurrence>,
  ),
  answers: z.array(
    z.object({ kind: z.string(), source: z.string(), sqlite: suggestionSchema, postgres: suggestionSchema }),
  ),
});

/** `failure` is the index in the list of the 300 failures; the name is for readers. */
const exceptionsSchema = z.array(
  z.strictObject({ version: z.string(), failure: z.int(), caseName: z.string(), reason: z.string().min(20) }),
);

export function readFixture(version: string, database: 'sqlite' | 'postgres') {
  const file = (name: string) => brotliDecompressSync(readFileSync(path.join(fixturesFolder, version, `${name}.br`)));
  const json = (name: string): unknown => JSON.parse(file(name).toString('utf8'));
  const recognized = recognizedSchema.parse(json('recognized.json'));
  const contents = contentsSchema.parse(json('content.json'));
  const cases = recognized.runs.flatMap((run) => run.cases);
  const wanted = recognized.answers.map((answer) => answer[database]);
  return { file, recognized, content: contents[database], team: contents.team, wanted, cases };
}

/** Returns the indexes of the failures that `exceptions.json` excuses for a version. Throws if there are too many. */
export function readExceptions(version: string): number[] {
  const text = readFileSync(path.join(fixturesFolder, 'exceptions.json'), 'utf8');
  const own = exceptionsSchema.parse(JSON.parse(text)).filter((exception) => exception.version === version);
  if (own.length > MAX_EXCEPTIONS) throw new Error(`${version} has more than ${MAX_EXCEPTIONS} exceptions`);
  return own.map(({ failure }) => failure);
}

interface ChangedFix {
  failure: number;
  caseName: string;
  was: string;
  is: string;
}

/**
 * Returns the failures whose suggested fix has changed. Patterns are not compared, because a later version may merge
 * two of them.
 */
export function findChangedFixes(
  cases: readonly string[],
  wanted: readonly SuggestedFix[],
  found: readonly (SuggestedFix | undefined)[],
): ChangedFix[] {
  const named = (one: SuggestedFix | undefined) => (one === undefined ? 'none' : `${one.fixId}: ${one.fix}`);
  const all = cases.map((caseName, failure) => ({
    failure,
    caseName,
    was: named(wanted[failure]),
    is: named(found[failure]),
  }));
  return all.filter(({ was, is }) => was !== is);
}

/** Lists the entries of `was` that `is` lacks or has with another value. Additional entries are allowed. */
export function describeLosses(was: Content, is: Content): string[] {
  const counts = countEntries(is);
  const fewer = Object.entries(countEntries(was)).filter(([kind, count]) => (counts[kind] ?? 0) < count);
  return [
    ...fewer.map(([kind, count]) => `${kind}: ${counts[kind]} of ${count}`),
    ...describePatternLosses(was.patterns, is.patterns),
    ...describeIncidentLosses(was.incidents, is.incidents),
    ...describeMissing('file to share', was.shared, is.shared),
    ...describeChangedValues('cases of run', was.runs, is.runs),
    ...describeChangedValues('failures of test', was.evidence, is.evidence),
    ...describeMissing('change', was.changes, is.changes),
  ];
}

function describePatternLosses(was: Content['patterns'], is: Content['patterns']): string[] {
  return Object.entries(was).flatMap(([id, before]) => {
    const now = is[id];
    if (now === undefined) return [`pattern ${id} is gone`];
    const { occurrences, resolutions } = before;
    return [
      ...describeChangedValues(`count of ${id}`, { occurrences, resolutions }, { ...now }),
      ...describeMissing(`alias of ${id}`, before.aliases, now.aliases),
      ...describeMissing(`solution of ${id}`, before.solutions, now.solutions),
      ...describeChangedValues(`state of fix`, before.fixes, now.fixes),
    ];
  });
}

function describeIncidentLosses(was: Content['incidents'], is: Content['incidents']): string[] {
  return Object.entries(was).flatMap(([id, { solutions }]) => {
    const now = is[id];
    if (now === undefined) return [`incident ${id} is gone`];
    return Object.entries(solutions).flatMap(([solution, outcomes]) =>
      now.solutions[solution] === undefined
        ? [`solution ${solution} is gone`]
        : describeMissing(`outcome of ${solution}`, outcomes, now.solutions[solution]),
    );
  });
}

function describeMissing(what: string, was: readonly string[], is: readonly string[]): string[] {
  const there = new Set(is);
  return was.filter((id) => !there.has(id)).map((id) => `${what}: ${id} is gone`);
}

function describeChangedValues(
  what: string,
  was: Record<string, string | number>,
  is: Record<string, unknown>,
): string[] {
  const differs = Object.entries(was).filter(([key, value]) => is[key] !== value);
  return differs.map(([key, value]) => `${what} ${key}: was ${value}, is ${is[key]}`);
}
