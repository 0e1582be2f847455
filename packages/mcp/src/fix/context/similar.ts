/**
 * Where else the project does what fails here: the same call or name in other places, which may work. Whether they work
 * is not known.
 */

import { type Hit, isTestFile, searchLines } from './code/search.ts';
import type { Finding } from './context-model.ts';
import type { ContextScope } from './scope.ts';

const MAX_HITS = 8;

/** Longer lines are generated. */
const MAX_LINE_CHARACTERS = 160;

/** Names so common that finding them elsewhere says nothing. */
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
  // That the file imports it is no other use.
  return Math.abs(line - place.line) > 2 && !/^\s*(?:import|from|use|require)\b|=\s*require\(/u.test(text);
}

/** Calls before mentions, code before tests, tests before words. */
function rank({ file, text }: Hit, name: string): number {
  const call = text.includes(`${name}(`) || text.includes(`${name}.`) ? 0 : 2;
  const prose = /\.(?:md|txt|rst|ya?ml|json)$/u.test(file) ? 4 : 0;
  return call + prose + (isTestFile(file) ? 1 : 0);
}

/** What the error quotes, then what the failing line calls. */
function failingNames(scope: ContextScope): string[] {
  const { request, place } = scope;
  const { headline } = request.error;
  const failing = place?.lines[place.line - 1] ?? '';
  const missing = /\b([A-Za-z_$][\w$]*) is not (?:defined|a function)/u.exec(headline)?.[1];
  const dotted = /([\w$]+)(?:\(\.\.\.\))?\.([\w$]+) is not a function/u.exec(headline)?.[2];
  const quoted = [...headline.matchAll(/["'`]([A-Za-z_$][\w$]{2,40})["'`]/gu)].map((match) => match[1]);
  const inLine = quoted.filter((name) => name !== undefined && failing.includes(name));
  // Away from the line a plain word says nothing.
  const telling = quoted.filter((name) => place === null || /.[A-Z_]|.{12}/u.test(name ?? ''));
  const calls = [...failing.matchAll(/([A-Za-z_$][\w$]*)\s*(?:\(|!\()/gu)].map((match) => match[1]);
  // A member that is read of nothing is as common as `map`; what stands before the dot is telling.
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

/** How far above a line the value it uses is made. */
const LINES_ABOVE = 20;

/** What a variable of the failing line was made by: of `items = fetchItems(id)` it is `fetchItems`. */
function callsThatMake(name: string, { place }: ContextScope): string[] {
  if (place === null || !/^[\w$]+$/u.test(name)) return [];
  const made = new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}\\s*(?::[^=]+)?:?=(?!=)(.*)$`, 'u');
  const above = place.lines.slice(Math.max(0, place.line - 1 - LINES_ABOVE), place.line - 1).reverse();
  const right = above.map((line) => made.exec(line)?.[1]).find((text) => text !== undefined) ?? '';
  return [...right.matchAll(/([A-Za-z_$][\w$]*)\s*\(/gu)].map((match) => match[1] ?? '');
}
