/** Reads the checked-in memories of earlier versions and compares their answers and content with those of the current build. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { z } from 'zod';
import { type Content, countsOf, type Recurrence, type Suggested } from './memory.ts';

const here = path.dirname(fileURLToPath(import.meta.url));

/** Versions that have a fixture; each is a folder. */
export const VERSIONS = readdirSync(here).filter((name) => /^\d/u.test(name));

/** Upper bound for the entries of a version in `exceptions.json`. */
const MAX_EXCEPTIONS = 3;

const ids = z.array(z.string());
const suggested = z.object({ pattern: z.string(), fixId: z.string(), fix: z.string() });

const contentSchema = z.object({
  patterns: z.record(
    z.string(),
    z.object({
      occurrences: z.number(),
      resolutions: z.number(),
      aliases: ids,
      solutions: ids,
      fixes: z.record(z.string(), z.string()),
    }),
  ),
  incidents: z.record(z.string(), z.object({ solutions: z.record(z.string(), ids) })),
  shared: ids,
  runs: z.record(z.string(), z.number()),
  evidence: z.record(z.string(), z.number()),
  changes: ids,
}) satisfies z.ZodType<Content>;

/** `team` counts the rows of the team server's own schema. */
const contentsSchema = z.object({
  sqlite: contentSchema,
  postgres: contentSchema,
  team: z.object({ tokens: ids, auditEntries: z.number() }),
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
      cases: ids,
    }) satisfies z.ZodType<Recurrence>,
  ),
  answers: z.array(z.object({ kind: z.string(), source: z.string(), sqlite: suggested, postgres: suggested })),
});

/** `failure` is the position in the list of the 300; the name is for readers. */
const exceptionsSchema = z.array(
  z.strictObject({ version: z.string(), failure: z.int(), caseName: z.string(), reason: z.string().min(20) }),
);

export function fixture(version: string, database: 'sqlite' | 'postgres') {
  const file = (name: string) => brotliDecompressSync(readFileSync(path.join(here, version, `${name}.br`)));
  const json = (name: string): unknown => JSON.parse(file(name).toString('utf8'));
  const recognized = recognizedSchema.parse(json('recognized.json'));
  const contents = contentsSchema.parse(json('content.json'));
  const cases = recognized.runs.flatMap((run) => run.cases);
  const wanted = recognized.answers.map((answer) => answer[database]);
  return { file, recognized, content: contents[database], team: contents.team, wanted, cases };
}

/** Positions of the failures that `exceptions.json` excuses for a version. Throws when there are too many. */
export function exceptionsOf(version: string): number[] {
  const text = readFileSync(path.join(here, 'exceptions.json'), 'utf8');
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

/** Failures whose fix changed. Patterns are not compared, because a later version may merge two of them. */
export function changedFixes(
  cases: readonly string[],
  wanted: readonly Suggested[],
  found: readonly (Suggested | undefined)[],
): ChangedFix[] {
  const named = (one: Suggested | undefined) => (one === undefined ? 'none' : `${one.fixId}: ${one.fix}`);
  const all = cases.map((caseName, failure) => ({
    failure,
    caseName,
    was: named(wanted[failure]),
    is: named(found[failure]),
  }));
  return all.filter(({ was, is }) => was !== is);
}

/** Lists entries of `was` that `is` lacks or has with another value. Additions are allowed. */
export function lostFrom(was: Content, is: Content): string[] {
  const counts = countsOf(is);
  const fewer = Object.entries(countsOf(was)).filter(([kind, count]) => (counts[kind] ?? 0) < count);
  return [
    ...fewer.map(([kind, count]) => `${kind}: ${counts[kind]} of ${count}`),
    ...lostPatterns(was.patterns, is.patterns),
    ...lostIncidents(was.incidents, is.incidents),
    ...gone('file to share', was.shared, is.shared),
    ...changed('cases of run', was.runs, is.runs),
    ...changed('failures of test', was.evidence, is.evidence),
    ...gone('change', was.changes, is.changes),
  ];
}

function lostPatterns(was: Content['patterns'], is: Content['patterns']): string[] {
  return Object.entries(was).flatMap(([id, before]) => {
    const now = is[id];
    if (now === undefined) return [`pattern ${id} is gone`];
    const { occurrences, resolutions } = before;
    return [
      ...changed(`count of ${id}`, { occurrences, resolutions }, { ...now }),
      ...gone(`alias of ${id}`, before.aliases, now.aliases),
      ...gone(`solution of ${id}`, before.solutions, now.solutions),
      ...changed(`state of fix`, before.fixes, now.fixes),
    ];
  });
}

function lostIncidents(was: Content['incidents'], is: Content['incidents']): string[] {
  return Object.entries(was).flatMap(([id, { solutions }]) => {
    const now = is[id];
    if (now === undefined) return [`incident ${id} is gone`];
    return Object.entries(solutions).flatMap(([solution, outcomes]) =>
      now.solutions[solution] === undefined
        ? [`solution ${solution} is gone`]
        : gone(`outcome of ${solution}`, outcomes, now.solutions[solution]),
    );
  });
}

function gone(what: string, was: readonly string[], is: readonly string[]): string[] {
  const there = new Set(is);
  return was.filter((id) => !there.has(id)).map((id) => `${what}: ${id} is gone`);
}

function changed(what: string, was: Record<string, string | number>, is: Record<string, unknown>): string[] {
  const differs = Object.entries(was).filter(([key, value]) => is[key] !== value);
  return differs.map(([key, value]) => `${what} ${key}: was ${value}, is ${is[key]}`);
}
