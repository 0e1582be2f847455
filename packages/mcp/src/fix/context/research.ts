/**
 * Builds the research query from the context, runs the user's program that answers it, and splits the result into
 * parts. Only that program may use the network.
 */

import { runProgram } from '../../system/programs.ts';
import { clip, removeInvisibleCharacters, toSingleLine } from '../../text/untrusted-text.ts';
import type { FixContext } from './context-model.ts';

/** Long, because the program searches the web and reads the results. */
const TIMEOUT_MS = 120_000;

/** Limit for the text in a brief. */
const MAX_TEXT_CHARACTERS = 8_000;
const MAX_SOURCES = 20;

export interface ResearchQuery {
  /** The query as a single sentence. */
  query: string;
  /** Markdown as the contract defines it: the context summary and then the query. */
  markdown: string;
}

/** Creates the query. It contains the year, because answers become outdated. */
export function createResearchQuery(context: FixContext, year: number): ResearchQuery {
  const { error_type, location, hypothesis, tech_stack, environment } = context;
  const stack = tech_stack.join(', ');
  const query = toSingleLine(
    `How to fix ${error_type || 'an error'}${stack ? ` in ${stack}` : ''} when ${hypothesis} ` +
      `best practices defensive programming ${year}`,
  );
  const markdown = [
    '## Context Summary',
    `- Error: ${toSingleLine(error_type) || 'unknown'}`,
    `- Location: ${location ?? 'unknown'}`,
    `- Function: ${context.function ?? 'unknown'}`,
    `- Root Cause Hypothesis: ${toSingleLine(hypothesis)}`,
    `- Tech Stack: ${stack || 'unknown'}`,
    `- Environment: ${environment}`,
    '',
    '## Generated Research Query',
    `"${query}"`,
    '',
  ];
  return { query, markdown: markdown.join('\n') };
}

interface ResearchOptions {
  cwd: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
  env?: Readonly<Record<string, string>>;
  /** Removes secrets from the output of the program. */
  redact?: ((text: string) => string) | undefined;
}

export interface Research {
  /** Output of the program without secrets, limited in length. Empty if the program failed. */
  text: string;
  /** URLs in the output. */
  sources: string[];
  /** Why the output is missing or incomplete. Null if nothing is wrong. */
  problem: string | null;
}

/** Runs a command line with the query on its standard input. */
export async function runResearch(command: string, query: ResearchQuery, options: ResearchOptions): Promise<Research> {
  const { cwd, signal, timeoutMs = TIMEOUT_MS, env = {}, redact = (text) => text } = options;
  const result = await runProgram(command, [], { cwd, signal, timeoutMs, env, shell: true, stdin: query.markdown });
  const problem =
    result.problem === null
      ? null
      : `The research command failed: ${redact(removeInvisibleCharacters(result.problem))}.`;
  const text = cleanResearchText(result.stdout, redact);
  if (text === '' && problem === null) return { text, sources: [], problem: 'The research command printed nothing.' };
  return { text, sources: extractUrls(text), problem };
}

/** Removes secrets and invisible characters from the text of an agent or a program, and limits its length. */
export function cleanResearchText(text: string, redact: (text: string) => string = (same) => same): string {
  return clip(redact(removeInvisibleCharacters(text)).trim(), MAX_TEXT_CHARACTERS);
}

/** Returns the URLs in a text, in order and without duplicates. */
export function extractUrls(text: string): string[] {
  const found = [...text.matchAll(/\bhttps?:\/\/[^\s<>"'`\])}|\\]+/gu)].map((match) =>
    match[0].replace(/[.,;:!?]+$/u, ''),
  );
  return [...new Set(found)].slice(0, MAX_SOURCES);
}

/*
 * Splits the result of research into the parts of the contract: description, patterns, files, verification,
 * alternatives, sources. The result of a program or an agent may be JSON, text under headings, or prose. It is data and
 * is never executed.
 */

export interface ResearchFindings {
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
  /** URLs. */
  sources: string[];
}

type FindingsPart = keyof ResearchFindings;

/** Maximum number of entries of a part. */
const MAX_ENTRIES = 6;
const MAX_ENTRY_CHARACTERS = 500;

/** Common headings of each part. */
const HEADINGS: readonly [FindingsPart, RegExp][] = [
  ['description', /^(?:fix description|description|(?:the )?fix|solution|summary|root cause|answer)$/iu],
  ['patterns', /^(?:code patterns?(?: to apply)?|patterns?|code|snippets?|examples?)$/iu],
  ['files', /^(?:files?(?: to (?:modify|change|edit))?|affected files?)$/iu],
  ['verification', /^(?:verification(?: steps)?|verify|how to verify|testing?)$/iu],
  ['alternatives', /^(?:alternatives?(?: approaches| solutions)?|other approaches)$/iu],
  ['sources', /^(?:sources?|references?|links?|further reading)$/iu],
];

const FENCE = /^ {0,3}(`{3,}|~{3,})[^\n]*\n([\s\S]*?)\n {0,3}\1[ \t]*$/gmu;
/** A heading starts with `#`, is bold, or ends with a colon. Text may follow on the same line. */
const HEADING_FORMS = [
  /^#{1,6}\s+(?:\*\*|__)?([^:*_#]+)[:*_#\s]*()$/u,
  /^(?:[-*]\s+)?(?:\*\*|__)([^:*_]+):?(?:\*\*|__):?\s*(.*)$/u,
  /^(?:#{1,6}\s+|[-*]\s+)?([A-Za-z][A-Za-z ]{1,30}):\s*(.*)$/u,
];

const FILE_PATH = /(?<![\w/:.-])(?:\.{0,2}\/)?(?:[\w@.-]+\/)*[\w@-][\w@.-]*\.[A-Za-z][A-Za-z0-9]{0,9}(?![\w/(])/gu;

/** Splits a text into the parts. The text must be redacted and without invisible characters. */
export function parseFindings(text: string): ResearchFindings {
  const findings = parseJson(text) ?? parseHeadings(text) ?? parseProse(text);
  return {
    description: findings.description === null ? null : clip(findings.description.trim(), MAX_ENTRY_CHARACTERS) || null,
    patterns: limitEntries(findings.patterns),
    files: limitEntries(findings.files),
    verification: limitEntries(findings.verification),
    alternatives: limitEntries(findings.alternatives),
    sources: extractUrls(text),
  };
}

function limitEntries(entries: readonly string[]): string[] {
  const short = entries.map((entry) => clip(entry.trim(), MAX_ENTRY_CHARACTERS)).filter((entry) => entry !== '');
  return [...new Set(short)].slice(0, MAX_ENTRIES);
}

function createEmptyFindings(): ResearchFindings {
  return { description: null, patterns: [], files: [], verification: [], alternatives: [], sources: [] };
}

/**
 * Parses a JSON object whose keys name the parts, with or without a fence around it. Returns undefined if the text is
 * not such an object.
 */
function parseJson(text: string): ResearchFindings | undefined {
  const [, , inner] = FENCE_ONCE.exec(text.trim()) ?? [];
  try {
    const value: unknown = JSON.parse(inner ?? text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const found = createEmptyFindings();
    let isFound = false;
    for (const [name, content] of Object.entries(value)) {
      const part = findPart(name.replaceAll('_', ' '));
      if (part === undefined) continue;
      isFound = true;
      addTexts(found, part, toTexts(content));
    }
    return isFound ? found : undefined;
  } catch {
    return undefined;
  }
}

const FENCE_ONCE = /^(`{3,})[^\n]*\n([\s\S]*)\n\1$/u;

function toTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(toTexts);
  if (typeof value === 'string') return [value];
  return value === null || value === undefined ? [] : [JSON.stringify(value)];
}

/**
 * Parses text under headings. Code in a fence counts as a pattern in any part. Returns undefined if there are no
 * headings.
 */
function parseHeadings(text: string): ResearchFindings | undefined {
  const found = createEmptyFindings();
  let isFound = false;
  let part: FindingsPart = 'description';
  addTexts(found, 'patterns', extractFencedCode(text));
  for (const line of text.replace(FENCE, '').split('\n')) {
    const next = parseHeading(line.trim());
    if (next === undefined) {
      if (!/^#{1,6}\s/u.test(line)) addTexts(found, part, [removeBullet(line)]);
      continue;
    }
    part = next.part;
    isFound = true;
    addTexts(found, part, [next.rest]);
  }
  return isFound ? found : undefined;
}

function parseHeading(line: string): { part: FindingsPart; rest: string } | undefined {
  for (const form of HEADING_FORMS) {
    const [, heading, rest = ''] = form.exec(line) ?? [];
    const part = heading === undefined ? undefined : findPart(heading);
    if (part !== undefined) return { part, rest };
  }
  return undefined;
}

function findPart(heading: string): FindingsPart | undefined {
  return HEADINGS.find(([, pattern]) => pattern.test(heading.trim()))?.[0];
}

/** Uses the first paragraph as the description. Finds the other parts by typical words. */
function parseProse(text: string): ResearchFindings {
  const found = createEmptyFindings();
  addTexts(found, 'patterns', extractFencedCode(text));
  const paragraphs = text
    .replace(FENCE, '')
    .split(/\n\s*\n/u)
    .map((paragraph) => paragraph.trim());
  found.description = paragraphs.find((paragraph) => paragraph !== '' && !/^#/u.test(paragraph)) ?? null;
  for (const sentence of text.replace(FENCE, '').split(/(?<=[.!?])\s+|\n/u)) {
    if (/^\W*(?:alternatively|another (?:way|option|approach)|or else|if that does not)/iu.test(sentence))
      addTexts(found, 'alternatives', [removeBullet(sentence)]);
    else if (/^\W*(?:\$ |verify|to verify|check that|run `|then run|confirm)/iu.test(sentence))
      addTexts(found, 'verification', [removeBullet(sentence)]);
  }
  addTexts(
    found,
    'files',
    text
      .replaceAll(/\bhttps?:\/\/\S+/gu, '')
      .match(FILE_PATH)
      ?.filter((file) => file.includes('/')) ?? [],
  );
  return found;
}

function extractFencedCode(text: string): string[] {
  return [...text.matchAll(FENCE)].map(([, , code = '']) => code);
}

function removeBullet(line: string): string {
  return line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/u, '').trim();
}

function addTexts(found: ResearchFindings, part: FindingsPart, texts: readonly string[]): void {
  const filled = texts.filter((text) => text.trim() !== '');
  if (filled.length === 0) return;
  if (part !== 'description') found[part].push(...filled);
  else found.description = [found.description, ...filled].filter((one) => one !== null).join('\n');
}
