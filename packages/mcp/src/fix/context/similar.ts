/**
 * Finds other places in the project with the same call or name as the failing line. They may work, but this is not
 * checked.
 */

import { type Hit, isTestFile, searchLines } from './code/search.ts';
import type { Finding } from './context-model.ts';
import type { ContextScope } from './scope.ts';

const MAX_HITS = 8;

/** Longer lines are generated. */
const MAX_LINE_CHARACTERS = 160;

/** Names that are too common for other uses to be similar code. */
const EVERYWHERE = new Set(
  'if for while switch return function require import console log error map filter push print println printf format len range str int list dict set get then catch await async new this self super describe it test expect assert String Number Object Array Boolean Error Some None Ok Err unwrap clone into iter collect main'.split(
    ' ',
  ),
);

export async function similarCode(scope: ContextScope): Promise<Finding> {
  const names = failingNames(scope);
  if (names.length === 0) return { why_not: 'Neither the error nor the failing line names anything to search for.' };
  for (const name of names) {
    const hits = (await searchLines(scope, name, { limit: 200, word: true })).filter((hit) => elsewhere(hit, scope));
    if (hits.length === 0) continue;
    const shown = [...hits].sort((a, b) => rank(a, name) - rank(b, name)).slice(0, MAX_HITS);
    const more = hits.length > shown.length ? `\n(${hits.length - shown.length} more)` : '';
    const rows = shown.map(({ file, line, text }) => `${file}:${line}: ${text.trim().slice(0, MAX_LINE_CHARACTERS)}`);
    return { answer: `${name} elsewhere:\n${rows.join('\n')}${more}`, source: `git grep -w ${name}` };
  }
  return { why_not: `Nothing else in the project uses ${names.join(', ')}.` };
}

function elsewhere({ file, line, text }: Hit, { place }: ContextScope): boolean {
  if (place === null || file !== place.file) return true;
  // An import in the same file is not another use.
  return Math.abs(line - place.line) > 2 && !/^\s*(?:import|from|use|require)\b|=\s*require\(/u.test(text);
}

/** Sorts calls before mentions, code before tests, and tests before documents. */
function rank({ file, text }: Hit, name: string): number {
  const call = text.includes(`${name}(`) || text.includes(`${name}.`) ? 0 : 2;
  const prose = /\.(?:md|txt|rst|ya?ml|json)$/u.test(file) ? 4 : 0;
  return call + prose + (isTestFile(file) ? 1 : 0);
}

/** Returns names that the error quotes, then the calls in the failing line. */
function failingNames(scope: ContextScope): string[] {
  const { request, place } = scope;
  const { headline } = request.error;
  const failing = place?.lines[place.line - 1] ?? '';
  const missing = /\b([A-Za-z_$][\w$]*) is not (?:defined|a function)/u.exec(headline)?.[1];
  const dotted = /([\w$]+)(?:\(\.\.\.\))?\.([\w$]+) is not a function/u.exec(headline)?.[2];
  const quoted = [...headline.matchAll(/["'`]([A-Za-z_$][\w$]{2,40})["'`]/gu)].map((match) => match[1]);
  const inLine = quoted.filter((name) => name !== undefined && failing.includes(name));
  // Without the failing line, an ordinary word is no evidence for a name in the code.
  const telling = quoted.filter((name) => place === null || /.[A-Z_]|.{12}/u.test(name ?? ''));
  const calls = [...failing.matchAll(/([A-Za-z_$][\w$]*)\s*(?:\(|!\()/gu)].map((match) => match[1]);
  // A missing member may be as common as `map`. The name before the dot is more specific.
  const before = [...failing.matchAll(/([A-Za-z_$][\w$]*)\s*(?:\?\.|\.|\[)/gu)].map((match) => match[1]);
  const made = before.flatMap((name) => callsThatMake(name ?? '', scope));
  const all = [
    missing,
    dotted,
    ...calls,
    ...made,
    ...inLine,
    ...before,
    ...telling,
    place?.function?.split(/[.:#]/u).at(-1),
  ];
  const names = all.filter((name) => name !== undefined).filter((name) => name.length >= 3 && !EVERYWHERE.has(name));
  return [...new Set(names)].slice(0, 6);
}

/** Distance above a line in which to look for the assignment of its variables. */
const LINES_ABOVE = 20;

/**
 * Returns the calls that made a variable of the failing line. For example, returns `fetchItems` for `items =
 * fetchItems(id)`.
 */
function callsThatMake(name: string, { place }: ContextScope): string[] {
  if (place === null || !/^[\w$]+$/u.test(name)) return [];
  const made = new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}\\s*(?::[^=]+)?:?=(?!=)(.*)$`, 'u');
  const above = place.lines.slice(Math.max(0, place.line - 1 - LINES_ABOVE), place.line - 1).reverse();
  const right = above.map((line) => made.exec(line)?.[1]).find((text) => text !== undefined) ?? '';
  return [...right.matchAll(/([A-Za-z_$][\w$]*)\s*\(/gu)].map((match) => match[1] ?? '');
}
