/**
 * Splits the result of research into the parts of the contract: description, patterns, files, verification,
 * alternatives, sources. A program or an agent may write it as JSON, under headings, or as prose. The result is data
 * and is never executed.
 */

import { clipped } from '../../text/untrusted.ts';
import { sourcesIn } from './research.ts';

export interface Findings {
  /** Description of the fix. */
  description: string | null;
  /** Code to apply. */
  patterns: string[];
  /** Files to change. */
  files: string[];
  /** Steps that verify the fix. */
  verification: string[];
  /** Alternative fixes. */
  alternatives: string[];
  /** Addresses. */
  sources: string[];
}

type Part = keyof Findings;

/** Limits for each list and each entry. */
const MAX_ENTRIES = 6;
const MAX_ENTRY_CHARACTERS = 500;

/** Common headings of each part. */
const HEADINGS: readonly [Part, RegExp][] = [
  ['description', /^(?:fix description|description|(?:the )?fix|solution|summary|root cause|answer)$/iu],
  ['patterns', /^(?:code patterns?(?: to apply)?|patterns?|code|snippets?|examples?)$/iu],
  ['files', /^(?:files?(?: to (?:modify|change|edit))?|affected files?)$/iu],
  ['verification', /^(?:verification(?: steps)?|verify|how to verify|testing?)$/iu],
  ['alternatives', /^(?:alternatives?(?: approaches| solutions)?|other approaches)$/iu],
  ['sources', /^(?:sources?|references?|links?|further reading)$/iu],
];

const FENCE = /^ {0,3}(`{3,}|~{3,})[^\n]*\n([\s\S]*?)\n {0,3}\1[ \t]*$/gmu;
/** A heading starts with `#`, is bold, or ends with a colon. Text may follow it on the same line. */
const HEADING_FORMS = [
  /^#{1,6}\s+(?:\*\*|__)?([^:*_#]+)[:*_#\s]*()$/u,
  /^(?:[-*]\s+)?(?:\*\*|__)([^:*_]+):?(?:\*\*|__):?\s*(.*)$/u,
  /^(?:#{1,6}\s+|[-*]\s+)?([A-Za-z][A-Za-z ]{1,30}):\s*(.*)$/u,
];

const FILE = /(?<![\w/:.-])(?:\.{0,2}\/)?(?:[\w@.-]+\/)*[\w@-][\w@.-]*\.[A-Za-z][A-Za-z0-9]{0,9}(?![\w/(])/gu;

/** Expects a text without secrets and invisible characters. */
export function findingsIn(text: string): Findings {
  const said = jsonIn(text) ?? headed(text) ?? prose(text);
  return {
    description: said.description === null ? null : clipped(said.description.trim(), MAX_ENTRY_CHARACTERS) || null,
    patterns: bounded(said.patterns),
    files: bounded(said.files),
    verification: bounded(said.verification),
    alternatives: bounded(said.alternatives),
    sources: sourcesIn(text),
  };
}

function bounded(entries: readonly string[]): string[] {
  const short = entries.map((entry) => clipped(entry.trim(), MAX_ENTRY_CHARACTERS)).filter((entry) => entry !== '');
  return [...new Set(short)].slice(0, MAX_ENTRIES);
}

function nothing(): Findings {
  return { description: null, patterns: [], files: [], verification: [], alternatives: [], sources: [] };
}

/** Reads an object with the names of the parts, with or without a fence around it. */
function jsonIn(text: string): Findings | undefined {
  const [, , inner] = FENCE_ONCE.exec(text.trim()) ?? [];
  try {
    const value: unknown = JSON.parse(inner ?? text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const found = nothing();
    let isFound = false;
    for (const [name, content] of Object.entries(value)) {
      const part = partOf(name.replaceAll('_', ' '));
      if (part === undefined) continue;
      isFound = true;
      add(found, part, textsOf(content));
    }
    return isFound ? found : undefined;
  } catch {
    return undefined;
  }
}

const FENCE_ONCE = /^(`{3,})[^\n]*\n([\s\S]*)\n\1$/u;

function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value === 'string') return [value];
  return value === null || value === undefined ? [] : [JSON.stringify(value)];
}

/** Reads the text under headings. Code in a fence is a pattern in any part. Undefined if there are no headings. */
function headed(text: string): Findings | undefined {
  const found = nothing();
  let isFound = false;
  let part: Part = 'description';
  add(found, 'patterns', fencedIn(text));
  for (const line of text.replace(FENCE, '').split('\n')) {
    const next = headingOf(line.trim());
    if (next === undefined) {
      if (!/^#{1,6}\s/u.test(line)) add(found, part, [withoutBullet(line)]);
      continue;
    }
    part = next.part;
    isFound = true;
    add(found, part, [next.rest]);
  }
  return isFound ? found : undefined;
}

function headingOf(line: string): { part: Part; rest: string } | undefined {
  for (const form of HEADING_FORMS) {
    const [, heading, rest = ''] = form.exec(line) ?? [];
    const part = heading === undefined ? undefined : partOf(heading);
    if (part !== undefined) return { part, rest };
  }
  return undefined;
}

function partOf(heading: string): Part | undefined {
  return HEADINGS.find(([, pattern]) => pattern.test(heading.trim()))?.[0];
}

/** Uses the first paragraph as the description. Finds the other parts by their words. */
function prose(text: string): Findings {
  const found = nothing();
  add(found, 'patterns', fencedIn(text));
  const paragraphs = text
    .replace(FENCE, '')
    .split(/\n\s*\n/u)
    .map((paragraph) => paragraph.trim());
  found.description = paragraphs.find((paragraph) => paragraph !== '' && !/^#/u.test(paragraph)) ?? null;
  for (const sentence of text.replace(FENCE, '').split(/(?<=[.!?])\s+|\n/u)) {
    if (/^\W*(?:alternatively|another (?:way|option|approach)|or else|if that does not)/iu.test(sentence))
      add(found, 'alternatives', [withoutBullet(sentence)]);
    else if (/^\W*(?:\$ |verify|to verify|check that|run `|then run|confirm)/iu.test(sentence))
      add(found, 'verification', [withoutBullet(sentence)]);
  }
  add(
    found,
    'files',
    text
      .replaceAll(/\bhttps?:\/\/\S+/gu, '')
      .match(FILE)
      ?.filter((file) => file.includes('/')) ?? [],
  );
  return found;
}

function fencedIn(text: string): string[] {
  return [...text.matchAll(FENCE)].map(([, , code = '']) => code);
}

function withoutBullet(line: string): string {
  return line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/u, '').trim();
}

function add(found: Findings, part: Part, texts: readonly string[]): void {
  const filled = texts.filter((text) => text.trim() !== '');
  if (filled.length === 0) return;
  if (part !== 'description') found[part].push(...filled);
  else found.description = [found.description, ...filled].filter((one) => one !== null).join('\n');
}
