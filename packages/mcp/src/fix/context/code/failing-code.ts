/**
 * Shows the failing code: the lines around the error and the comment and signature of its function, and similar code
 * elsewhere in the project.
 */

import type { ContextScope, EnclosingFunction, Finding } from '../context-model.ts';
import { type Hit, isTestFile, searchLines } from './search.ts';

/**
 * Number of lines that are shown before and after the failing line. If the function starts further above, but within
 * `MAX_LINES_ABOVE`, the lines from its start on are shown.
 */
const LINES_AROUND = 10;
const MAX_LINES_ABOVE = 40;

/** Longer lines are cut, because they are usually generated. */
const MAX_LINE_CHARACTERS = 200;

const UNKNOWN_LOCATION: Finding = { why_not: 'The location of the error is unknown.' };

export function describeFailingCode({ place, tested }: ContextScope): Finding {
  if (place === null) return UNKNOWN_LOCATION;
  if (tested === null) {
    return {
      answer: formatCodeAround(place.lines, place.line, place.enclosing),
      source: `${place.file}:${place.line}`,
    };
  }
  const { name, file, start, lines } = tested;
  const calls = `${place.file}:${place.line} calls ${name}, at ${file}:${start}`;
  return { answer: `${calls}\n${formatCodeAround(lines, start, tested)}`, source: `${file}:${start}` };
}

export function describeSignature({ place, tested }: ContextScope): Finding {
  if (place === null) return UNKNOWN_LOCATION;
  const enclosing = tested ?? place.enclosing;
  if (enclosing === null) return { why_not: `${place.file}:${place.line} is not in a function.` };
  return { answer: enclosing.signature, source: `${(tested ?? place).file}:${enclosing.start}` };
}

/** Returns numbered lines around a line, which is marked with `>`. */
export function formatCodeAround(
  lines: readonly string[],
  line: number,
  enclosing: EnclosingFunction | null = null,
): string {
  const header = enclosing && enclosing.from >= line - MAX_LINES_ABOVE ? enclosing.from : line;
  const from = Math.max(1, Math.min(header, line - LINES_AROUND));
  const to = Math.min(lines.length, line + LINES_AROUND);
  const numbered = lines.slice(from - 1, to).map((text, index) => {
    const number = String(from + index).padStart(String(to).length);
    return `${from + index === line ? '>' : ' '} ${number} | ${text.slice(0, MAX_LINE_CHARACTERS)}`.trimEnd();
  });
  return numbered.join('\n');
}

const MAX_HITS = 8;

/** Longer lines are cut, because they are usually generated. */
const MAX_HIT_CHARACTERS = 160;

/** Names so common that another use of them is not similar code. */
const COMMON_NAMES = new Set(
  'if for while switch return function require import console log error map filter push print println printf format len range str int list dict set get then catch await async new this self super describe it test expect assert String Number Object Array Boolean Error Some None Ok Err unwrap clone into iter collect main'.split(
    ' ',
  ),
);

/**
 * Finds other places in the project with the same call or name as the failing line. Whether the code there works is not
 * checked.
 */
export async function findSimilarCode(scope: ContextScope): Promise<Finding> {
  const names = findFailingNames(scope);
  if (names.length === 0) return { why_not: 'Neither the error nor the failing line contains a name to search for.' };
  for (const name of names) {
    const hits = (await searchLines(scope, name, { limit: 200, word: true })).filter((hit) => isOtherUse(hit, scope));
    if (hits.length === 0) continue;
    const shown = [...hits].sort((a, b) => rankHit(a, name) - rankHit(b, name)).slice(0, MAX_HITS);
    const more = hits.length > shown.length ? `\n(${hits.length - shown.length} more)` : '';
    const rows = shown.map(({ file, line, text }) => `${file}:${line}: ${text.trim().slice(0, MAX_HIT_CHARACTERS)}`);
    return { answer: `${name} elsewhere:\n${rows.join('\n')}${more}`, source: `git grep -w ${name}` };
  }
  return { why_not: `Nothing else in the project uses ${names.join(', ')}.` };
}

function isOtherUse({ file, line, text }: Hit, { place }: ContextScope): boolean {
  if (place === null || file !== place.file) return true;
  // An import in the same file is not another use.
  return Math.abs(line - place.line) > 2 && !/^\s*(?:import|from|use|require)\b|=\s*require\(/u.test(text);
}

/** Returns a lower number for a better match: calls before mentions, code before tests, tests before documents. */
function rankHit({ file, text }: Hit, name: string): number {
  const call = text.includes(`${name}(`) || text.includes(`${name}.`) ? 0 : 2;
  const prose = /\.(?:md|txt|rst|ya?ml|json)$/u.test(file) ? 4 : 0;
  return call + prose + (isTestFile(file) ? 1 : 0);
}

/**
 * Returns up to six names to search for: missing names from the error, then calls in the failing line, then other
 * names.
 */
function findFailingNames(scope: ContextScope): string[] {
  const { request, place } = scope;
  const { headline } = request.error;
  const failing = place?.lines[place.line - 1] ?? '';
  const missing = /\b([A-Za-z_$][\w$]*) is not (?:defined|a function)/u.exec(headline)?.[1];
  const dotted = /([\w$]+)(?:\(\.\.\.\))?\.([\w$]+) is not a function/u.exec(headline)?.[2];
  const quoted = [...headline.matchAll(/["'`]([A-Za-z_$][\w$]{2,40})["'`]/gu)].map((match) => match[1]);
  const inLine = quoted.filter((name) => name !== undefined && failing.includes(name));
  // If the failing line is not known, only a word that looks like an identifier counts.
  const distinctive = quoted.filter((name) => place === null || /.[A-Z_]|.{12}/u.test(name ?? ''));
  const calls = [...failing.matchAll(/([A-Za-z_$][\w$]*)\s*(?:\(|!\()/gu)].map((match) => match[1]);
  // A missing member may be as common as `map`. The name before the dot is more specific.
  const receivers = [...failing.matchAll(/([A-Za-z_$][\w$]*)\s*(?:\?\.|\.|\[)/gu)].map((match) => match[1]);
  const sourceCalls = receivers.flatMap((name) => findSourceCalls(name ?? '', scope));
  const all = [
    missing,
    dotted,
    ...calls,
    ...sourceCalls,
    ...inLine,
    ...receivers,
    ...distinctive,
    place?.function?.split(/[.:#]/u).at(-1),
  ];
  const names = all.filter((name) => name !== undefined).filter((name) => name.length >= 3 && !COMMON_NAMES.has(name));
  return [...new Set(names)].slice(0, 6);
}

/** Number of lines above a line in which to look for the assignment of its variables. */
const MAX_ASSIGNMENT_DISTANCE_LINES = 20;

/**
 * Returns the calls whose result is assigned to a variable of the failing line: `fetchItems` for `items =
 * fetchItems(id)`.
 */
function findSourceCalls(name: string, { place }: ContextScope): string[] {
  if (place === null || !/^[\w$]+$/u.test(name)) return [];
  const assignment = new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}\\s*(?::[^=]+)?:?=(?!=)(.*)$`, 'u');
  const above = place.lines
    .slice(Math.max(0, place.line - 1 - MAX_ASSIGNMENT_DISTANCE_LINES), place.line - 1)
    .reverse();
  const assigned = above.map((line) => assignment.exec(line)?.[1]).find((text) => text !== undefined) ?? '';
  return [...assigned.matchAll(/([A-Za-z_$][\w$]*)\s*\(/gu)].map((match) => match[1] ?? '');
}
